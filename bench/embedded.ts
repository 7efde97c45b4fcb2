/** P5: how much of this computer's signing rate reaches the output as files, in memory where that is possible. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Machine, memoryDisk } from './machine.ts';
import { writeSkins } from './skins.ts';
import { inTurns, type Row, ratio } from './table.ts';

const SKINS = 1_000;
const ROUNDS = 3;

export async function embeddedRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    const skins = join(machine.folder, 'skins');
    writeSkins(skins, SKINS);
    await timeGenerating(machine, skins); // fills the compile cache
    return [await measure(machine, skins)];
  }, memoryDisk());
}

async function measure(machine: Machine, skins: string): Promise<Row> {
  const { baseline, measured } = await inTurns(ROUNDS, {
    baseline: async () => await timeSigning(machine),
    measured: async () => await timeGenerating(machine, skins),
  });
  const against = `${SKINS} RSA-4096 signatures, all cores`;
  return ratio('P5', [`generate ${SKINS} skins --out, embedded`, against], { measured, baseline, limit: 5 });
}

async function timeGenerating(machine: Machine, skins: string): Promise<number> {
  await machine.reset();
  return await machine.time(['generate', skins, '--out', join(machine.dataDir, 'out')]);
}

/** Runs in a separate process with a thread for each core: this process's thread count is already fixed. */
async function timeSigning(machine: Machine): Promise<number> {
  const cores = availableParallelism();
  const args = [fileURLToPath(import.meta.resolve('./signatures.ts')), `${SKINS}`, `${cores}`];
  const { stdout } = await machine.start(args, { env: { UV_THREADPOOL_SIZE: `${cores}` } });
  return Number(stdout);
}
