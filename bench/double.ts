/** P17: how soon `serve --double` is ready, and what it holds in memory. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodePng } from '../src/skin/png/encode.ts';
import { drawSkin } from '../test/support/server/drawn-skins.ts';
import { Machine, PROGRAM } from './machine.ts';
import { PRINT_PEAK } from './memory.ts';
import { difference, inTurns, type Row, ratio } from './table.ts';

const ROUNDS = 15;
const WARM_UP = 2;
/** Submissions that a long test run makes. */
const SUBMISSIONS = 2_000;
const ARGS = ['serve', '--double'];
/** Jobs end at once, so that every submission becomes a skin. */
const SCENARIO = { service: { time: 0 } };

export async function doubleRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const turns = { baseline: () => timeNode(machine), measured: async () => await timeDouble(machine) };
    const times = await inTurns(ROUNDS, turns, WARM_UP);
    const peaks = { measured: await peakAfter(machine, SUBMISSIONS), baseline: await peakAfter(machine, 0) };
    const memory = `peak memory of a double after ${SUBMISSIONS} submissions`;
    return [
      ratio('P17', ['serve --double, until it is ready', 'node -e 0'], { ...times, limit: 8 }),
      difference('P17', [memory, 'one that has just started'], { ...peaks, unit: 'MB', limit: 150 }),
    ];
  });
}

function timeNode({ env }: Machine): number {
  const start = performance.now();
  spawnSync(process.execPath, ['-e', '0'], { env });
  return performance.now() - start;
}

async function timeDouble(machine: Machine): Promise<number> {
  const start = performance.now();
  const child = machine.start([PROGRAM, ...ARGS], { reject: false });
  await once(child.stdout!, 'data');
  const took = performance.now() - start;
  child.kill('SIGTERM');
  await child;
  return took;
}

async function peakAfter(machine: Machine, submissions: number): Promise<number> {
  const scenario = join(machine.folder, 'scenario.json');
  writeFileSync(scenario, JSON.stringify(SCENARIO));
  const args = ['--import', PRINT_PEAK, PROGRAM, ...ARGS, '--scenario', scenario];
  const child = machine.start(args, { reject: false });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  const { url, key } = JSON.parse(line.toString('utf8')) as { url: string; key: string };
  for (let number = 0; number < submissions; number++) await submit({ url, key }, number);
  child.kill('SIGTERM');
  const { stderr } = await child;
  return Number(stderr) / 1e6;
}

async function submit({ url, key }: { url: string; key: string }, number: number): Promise<void> {
  const picture = `data:image/png;base64,${encodePng(drawSkin(number)).toString('base64')}`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: picture });
  const answer = await fetch(`${url}/v2/queue`, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  if (answer.status !== 202) throw new Error(`Submission ${number} got ${answer.status}.`);
}
