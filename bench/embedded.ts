/** P5: how much of this computer's signing rate reaches the output as files, in memory where that is possible. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Machine } from './machine.ts';
import { memoryDisk } from './memory-disk.ts';
import { writeSkins } from './skins.ts';
import { median, type Row } from './table.ts';

const SKINS = 1_000;
const ROUNDS = 3;
/** Runs before the measurement: a command keeps its compiled code after its first three (src/cli/starting). */
const WARM_UPS = 3;

/** A processor, as OpenSSL sees it. */
interface Processor {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Some have instructions that make signatures three times as fast; the work around them takes as long on all. */
const PROCESSORS: readonly Processor[] = [
  { name: '', env: {} },
  { name: ', without AVX512-IFMA', env: { OPENSSL_ia32cap: ':~0x200000' } },
];

export async function embeddedRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    const skins = join(machine.folder, 'skins');
    writeSkins(skins, SKINS);
    for (let run = 0; run < WARM_UPS; run++) await timeGenerating(machine, skins);
    const rows: Row[] = [];
    for (const processor of PROCESSORS) rows.push(await measure(machine, skins, processor));
    return rows;
  }, memoryDisk());
}

async function measure(machine: Machine, skins: string, { name, env }: Processor): Promise<Row> {
  const times: Record<'generate' | 'sign', number[]> = { generate: [], sign: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times.sign.push(await timeSigning(machine, env));
    times.generate.push(await timeGenerating(machine, skins, env));
  }
  return {
    id: 'P5',
    work: `generate ${SKINS} skins --out, embedded${name}`,
    against: `${SKINS} RSA-4096 signatures, all cores`,
    unit: 'ms',
    measured: median(times.generate),
    baseline: median(times.sign),
    comparison: 'ratio',
    limit: 2.5,
  };
}

async function timeGenerating(machine: Machine, skins: string, env: Processor['env'] = {}): Promise<number> {
  await machine.reset();
  return await machine.time(['generate', skins, '--out', join(machine.dataDir, 'out')], { env });
}

/**
 * Runs in a separate process with a thread for each core: this process's thread count is already fixed. Its key has two
 * primes, as keys usually have; the program's own has four.
 */
async function timeSigning(machine: Machine, env: Processor['env']): Promise<number> {
  const cores = availableParallelism();
  const args = [fileURLToPath(import.meta.resolve('./signatures.ts')), `${SKINS}`, `${cores}`];
  const { stdout } = await machine.start(args, { env: { ...env, UV_THREADPOOL_SIZE: `${cores}` } });
  return Number(stdout);
}
