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
import { median, type Row } from './table.ts';

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
  return absolute({ work: 'a head of 64 px, processor time', measured: median(times), limit: 2 });
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
  return absolute({
    work: 'serve: a body of 300 × 600 px, not drawn yet',
    measured: median(times),
    limit: 15,
  });
}

async function againRow({ url }: Service, texture: string): Promise<Row> {
  const times = { picture: [] as number[], texture: [] as number[] };
  const measure = async (path: string) => {
    const bytes = requestBytes(path, {});
    return (await timeRequests({ ...AGAIN, url, request: () => bytes })).milliseconds;
  };
  await measure(texture); // warms up the service
  await measure(`${texture}/body.png?size=600`);
  for (let round = 0; round < ROUNDS; round++) {
    times.texture.push(await measure(texture));
    times.picture.push(await measure(`${texture}/body.png?size=600`));
  }
  return {
    id: 'P14',
    work: `serve: the same body again, ${AGAIN.connections} connections`,
    against: 'a texture from the store',
    unit: 'ms',
    measured: median(times.picture),
    baseline: median(times.texture),
    comparison: 'ratio',
    limit: 1.5,
  };
}

function absolute(row: Pick<Row, 'work' | 'measured' | 'limit'>): Row {
  return { ...row, id: 'P14', against: 'nothing', unit: 'ms', baseline: 0, comparison: 'difference' };
}
