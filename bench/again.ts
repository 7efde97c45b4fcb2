/** P6: the cost of running again when nothing has changed. */
import { join } from 'node:path';
import { execa } from 'execa';
import { Machine } from './machine.ts';
import { type Service, startHosted } from './services.ts';
import { untilSettled, writePatterns } from './skins.ts';
import { inTurns, type Row, ratio } from './table.ts';

const SKINS = 10_000;
const ROUNDS = 7;
const SLOTS = 50;

export async function againRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const skins = join(machine.folder, 'skins');
    const names = writePatterns(skins, SKINS);
    await untilSettled();
    const args = ['generate', skins, '--out', join(machine.folder, 'out')];
    const env = await makeAll(machine, args);
    await untilSettled(); // the lockfile and the last results were written just now
    const { hash, again } = await inTurns(ROUNDS, {
      hash: async () => await timeHashing(skins, names),
      again: async () => await machine.time(args, { env }),
    });
    const work = `generate ${SKINS} skins --out, again and unchanged`;
    return [ratio('P6', [work, 'sha256sum over the same'], { measured: again, baseline: hash, limit: 5 })];
  });
}

/** Fills the lockfile and the folder from a service that answers at once. Returns the environment that selects it. */
async function makeAll(machine: Machine, args: readonly string[]): Promise<Service['env']> {
  const slots = { limit: SLOTS, workers: SLOTS, grants: { queue: SLOTS } };
  const service = await startHosted(machine, { ...slots, serviceTime: 0, known: 'everything' });
  try {
    await machine.time([...args, '--no-verify'], { env: service.env });
  } finally {
    await service.close();
  }
  return service.env;
}

/** Milliseconds that another program takes to read the same files. */
export async function timeHashing(folder: string, names: readonly string[]): Promise<number> {
  const start = performance.now();
  await execa('sha256sum', names, { cwd: folder, stdout: 'ignore' });
  return performance.now() - start;
}
