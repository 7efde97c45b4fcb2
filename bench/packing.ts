/** P16: what reading a folder of pictures costs, and packing them. */
import { join } from 'node:path';
import { timeHashing } from './again.ts';
import { Machine } from './machine.ts';
import { untilSettled, writeSkins } from './skins.ts';
import { inTurns, type Row, ratio } from './table.ts';

const SKINS = 2_000;
const ROUNDS = 7;

export async function packingRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const skins = join(machine.folder, 'skins');
    const names = writeSkins(skins, SKINS);
    await untilSettled();
    const out = join(machine.folder, 'pack.zip');
    const { hash, ...commands } = await inTurns(ROUNDS, {
      hash: async () => await timeHashing(skins, names),
      check: async () => await machine.time(['check', skins]),
      pack: async () => await machine.time(['pack', skins, '--out', out]),
    });
    return Object.entries(commands).map(([name, measured]) => {
      const work = `${name} over ${SKINS} pictures`;
      return ratio('P16', [work, 'sha256sum over the same'], { measured, baseline: hash, limit: 14 });
    });
  });
}
