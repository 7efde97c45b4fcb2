/** P5: how much of this computer's signing rate reaches the output as files. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Machine } from './machine.ts';
import { writeSkins } from './skins.ts';
import { median, type Row } from './table.ts';

const SKINS = 1_000;
const ROUNDS = 3;

export async function embeddedRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    const skins = join(machine.folder, 'skins');
    writeSkins(skins, SKINS);
    const times: Record<'generate' | 'sign', number[]> = { generate: [], sign: [] };
    for (let round = 0; round < ROUNDS; round++) {
      await machine.reset();
      times.sign.push(await timeSigning(machine));
      times.generate.push(
        await machine.time(['generate', skins, '--out', join(machine.folder, `out-${round}`)]),
      );
    }
    return [
      {
        id: 'P5',
        work: `generate ${SKINS} skins --out, embedded`,
        against: `${SKINS} RSA-4096 signatures, all cores`,
        unit: 'ms',
        measured: median(times.generate),
        baseline: median(times.sign),
        comparison: 'ratio',
        limit: 2.5,
      },
    ];
  });
}

/** Runs in a separate process with a thread for each core: this process's thread count is already fixed. */
async function timeSigning(machine: Machine): Promise<number> {
  const cores = availableParallelism();
  const args = [
    fileURLToPath(import.meta.resolve('./signatures.ts')),
    machine.keyPath,
    `${SKINS}`,
    `${cores}`,
  ];
  const { stdout } = await machine.start(args, { env: { UV_THREADPOOL_SIZE: `${cores}` } });
  return Number(stdout);
}
