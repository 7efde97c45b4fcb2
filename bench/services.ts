import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ResultPromise } from 'execa';
import { z } from 'zod';
import { startPostgres } from '../test/support/postgres/server.ts';
import { type Machine, PROGRAM, ROOT, removeAtExit } from './machine.ts';

/** A service in a separate process. */
export interface Service {
  readonly url: string;
  readonly pid: number;
  /** Environment that the program needs for this service, in addition to the machine's. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The service prints the key on its first start. */
const helloSchema = z.object({ url: z.string(), key: z.string().default('') });

interface OwnOptions {
  /** Milliseconds per generation. */
  readonly pace: number;
  readonly workers?: number;
  /** A PostgreSQL. */
  readonly store?: string;
  /** Module that its process runs first. */
  readonly preload?: string;
}

/** A skinsmith service, which reports jobs as they end. */
export async function startOwn(
  machine: Machine,
  { pace, workers, store, preload }: OwnOptions,
): Promise<Service> {
  const numbers = ['--pace', `${pace}`];
  if (workers !== undefined) numbers.push('--workers', `${workers}`);
  const place = store === undefined ? [] : ['--store', store];
  const options = [...numbers, ...place, '--log-level', 'error', '--quiet'];
  const first = preload === undefined ? [] : ['--import', preload];
  return await startService(machine, [...first, PROGRAM, 'serve', '--port', '0', '--json', ...options]);
}

/** The same with its own PostgreSQL as store. */
export async function startOnPostgres(
  machine: Machine,
  options: { pace: number; workers: number },
): Promise<Service> {
  const { store, stop } = await openPostgres();
  const service = await startOwn(machine, { ...options, store });
  const close = async () => {
    await service.close();
    await stop();
  };
  return { ...service, close };
}

/** A database for one service, which may be started several times. */
export async function openPostgres(): Promise<{
  readonly store: string;
  readonly stop: () => Promise<void>;
}> {
  const settings = { synchronous_commit: 'on', autovacuum: 'on', shared_buffers: '128MB' };
  const postgres = await startPostgres(settings, removeAtExit);
  return { store: postgres.urlOf('postgres'), stop: async () => await postgres.stop() };
}

/** A skinsmith service as a gateway to another. */
export async function startGateway(
  machine: Machine,
  { upstream, keyFile }: { upstream: string; keyFile: string },
): Promise<Service> {
  const above = ['--generator', 'upstream', '--upstream', upstream, '--upstream-key-file', keyFile];
  const options = [...above, '--log-level', 'error', '--quiet'];
  return await startService(machine, [PROGRAM, 'serve', '--port', '0', '--json', ...options]);
}

/** A server that only returns `bytes` of JSON. */
export async function startBare(machine: Machine, bytes: number): Promise<Service> {
  return await startService(machine, [join(ROOT, 'bench/bare.ts'), `${bytes}`]);
}

/** A service like the hosted one, warm, which must be polled. `options`: see src/double/hosted/options.ts. */
export async function startHosted(
  machine: Machine,
  options: Readonly<Record<string, unknown>>,
): Promise<Service> {
  const program = join(ROOT, 'bench/warm-hosted.ts');
  return await startService(machine, [program, JSON.stringify(options)]);
}

async function startService(machine: Machine, args: readonly string[]): Promise<Service> {
  const child = machine.start(args, { reject: false, buffer: false, stderr: 'inherit' });
  const { pid } = child;
  if (pid === undefined) throw new Error('The service could not be started.');
  const { url, key } = helloSchema.parse(JSON.parse(await firstLine(child)));
  return {
    url,
    pid,
    env: { SKINSMITH_BASE_URL: url, SKINSMITH_API_KEY: key },
    close: async () => {
      child.kill();
      await child;
    },
  };
}

/** Has Linux count the peak of the service's memory anew. */
export function forgetPeak({ pid }: Service): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** MB since then; 0 where Linux does not say it. */
export function peakOf({ pid }: Service): number {
  if (process.platform !== 'linux') return 0;
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_000;
}

/** @throws Error when it ends without output */
async function firstLine(child: ResultPromise): Promise<string> {
  return await new Promise((resolve, reject) => {
    eachLine(child, 'stdout', resolve);
    void child.then(() => reject(new Error('The service ended immediately after its start.')));
  });
}

/** Calls back for each line that a program writes. */
export function eachLine(
  child: ResultPromise,
  stream: 'stdout' | 'stderr',
  each: (line: string) => void,
): void {
  const input = child[stream];
  if (!input) throw new Error(`The process has no ${stream}.`);
  createInterface({ input }).on('line', each);
}
