/** P16: what reading a folder of pictures costs, and packing them. */
import { join } from 'node:path';
import { timeHashing } from './again.ts';
import { Machine } from './machine.ts';
import { untilSettled, writeSkins } from './skins.ts';
import { median, type Row } from './table.ts';

const SKINS = 2_000;
const ROUNDS = 7;

export async function packingRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const skins = join(machine.folder, 'skins');
    const names = writeSkins(skins, SKINS);
    await untilSettled();
    const commands = {
      check: ['check', skins],
      pack: ['pack', skins, '--out', join(machine.folder, 'pack.zip')],
    };
    const times: Record<keyof typeof commands | 'hash', number[]> = { check: [], pack: [], hash: [] };
    for (let round = 0; round < ROUNDS; round++) {
      times.hash.push(await timeHashing(skins, names));
      times.check.push(await machine.time(commands.check));
      times.pack.push(await machine.time(commands.pack));
    }
    return (['check', 'pack'] as const).map((name) => ({
      id: 'P16',
      work: `${name} over ${SKINS} pictures`,
      against: 'sha256sum over the same',
      unit: 'ms',
      measured: median(times[name]),
      baseline: median(times.hash),
      comparison: 'ratio',
      limit: 14,
    }));
  });
}
