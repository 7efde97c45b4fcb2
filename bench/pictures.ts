/** P14: the cost of drawing a picture, and of one that is already drawn. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePng } from '../src/skin/png/decode.ts';
import { pixelHash } from '../src/skin/read-skin.ts';
import { renderSkin } from '../src/skin/render/render.ts';
import { requestBytes, timeRequests } from './load.ts';
import { Machine, ROOT } from './machine.ts';
import { type Service, startOwn } from './services.ts';
import { untilKnown } from './submitting.ts';
import { difference, inTurns, median, type Row, ratio } from './table.ts';

const ROUNDS = 6;
const HEADS = 200;
const BODIES = 20;
/** Few enough for one address to send all of them in a minute. */
const AGAIN = { requests: 400, connections: 16 };

/** The skin that `submit` sends. */
const SKIN = readFileSync(join(ROOT, 'examples/smith.png'));

export async function pictureRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const service = await startOwn(machine, { pace: 0, workers: 1 });
    try {
      await untilKnown(service);
      const texture = `/textures/${pixelHash(decodePng(SKIN))}`;
      return [headRow(), await coldRow(service, texture), await againRow(service, texture)];
    } finally {
      await service.close();
    }
  });
}

function headRow(): Row {
  const times = Array.from({ length: HEADS }, () => {
    const before = process.cpuUsage();
    renderSkin(SKIN, { view: 'head', size: 64 });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return difference('P14', ['a head of 64 px, processor time'], { measured: median(times), limit: 2 });
}

/** Requests each size once, so that none of them is drawn yet. */
async function coldRow({ url }: Service, texture: string): Promise<Row> {
  const ask = async (size: number) => {
    const start = performance.now();
    await (await fetch(`${url}${texture}/body.png?size=${size}`)).arrayBuffer();
    return performance.now() - start;
  };
  await ask(64); // starts the thread
  const times: number[] = [];
  for (let size = 600; times.length < BODIES; size++) times.push(await ask(size));
  const work = 'serve: a body of 300 × 600 px, not drawn yet';
  return difference('P14', [work], { measured: median(times), limit: 15 });
}

async function againRow({ url }: Service, texture: string): Promise<Row> {
  const measure = async (path: string) => {
    const bytes = requestBytes(path, {});
    return (await timeRequests({ ...AGAIN, url, request: () => bytes })).milliseconds;
  };
  const turns = {
    baseline: async () => await measure(texture),
    measured: async () => await measure(`${texture}/body.png?size=600`),
  };
  const figures = await inTurns(ROUNDS, turns, 1);
  const work = `serve: the same body again, ${AGAIN.connections} connections`;
  return ratio('P14', [work, 'a texture from the store'], { ...figures, limit: 1.5 });
}
