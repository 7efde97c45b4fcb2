/** P13: new skins over HTTP, signed and recorded, on a node whose store is PostgreSQL, beside one with a file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ends } from './across-nodes.ts';
import { Machine } from './machine.ts';
import { openPostgres, type Service, startOwn } from './services.ts';
import { writePatterns } from './skins.ts';
import { submit } from './submitting.ts';
import { inTurns, type Row, ratio } from './table.ts';

const ROUNDS = 5;
const SKINS = 200;
/** As many as the owner has slots. Each sends a skin when its last one has ended. */
const CLIENTS = 5;

export async function newSkinRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    const { store, stop } = await openPostgres();
    await machine.reset();
    const clustered = await startOwn(machine, { pace: 0, store });
    const folder = join(machine.folder, 'skins');
    const pictures = writePatterns(folder, ROUNDS * SKINS).map((name) => readFileSync(join(folder, name)));
    await machine.reset();
    const alone = await startOwn(machine, { pace: 0 });
    try {
      const some = (round: number) => pictures.slice(round * SKINS, (round + 1) * SKINS);
      const figures = await inTurns(ROUNDS, {
        measured: async (round) => await timeOf(clustered, some(round)),
        baseline: async (round) => await timeOf(alone, some(round)),
      });
      const work = `${SKINS} new skins over HTTP, signed, over PostgreSQL, ${CLIENTS} clients`;
      return [ratio('P13', [work, 'the same on SQLite'], { ...figures, limit: 3 })];
    } finally {
      await Promise.all([clustered.close(), alone.close()]);
      await stop();
    }
  });
}

/** Milliseconds until all of these are completed. */
async function timeOf(service: Service, pictures: readonly Buffer[]): Promise<number> {
  const ends = await Ends.of(service);
  const left = pictures.values();
  const start = performance.now();
  const client = async () => {
    for (const picture of left) await ends.at((await submit(service, picture)).id);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  ends.close();
  return performance.now() - start;
}
