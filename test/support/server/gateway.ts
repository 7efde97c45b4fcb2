import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerOptions } from '../../../src/server/server.ts';
import type { HostedService } from '../hosted/hosted-service.ts';
import { skinPng } from './drawn-skins.ts';
import { ownFolder } from './own-folder.ts';
import { poll } from './poll.ts';
import { runProcess } from './run-process.ts';
import { openOwnStore, runServer, type ServerUnderTest } from './running-server.ts';
import type { TestCaller } from './test-caller.ts';

/** Room for a hundred jobs of each caller: callers share the slots of the service above. */
const ROOM = {
  queue: 100,
  concurrency: 100,
  per_minute: 1_000_000,
  per_hour: 1_000_000,
  private_skins: true,
  capes: true,
};
export const PLANS = { free: ROOM, owner: ROOM };

/** A service whose skins another service makes. */
export async function runGateway(
  upstream: Pick<HostedService, 'url' | 'key'>,
  options: Partial<ServerOptions> = {},
): Promise<ServerUnderTest> {
  return await runServer(await gatewayOptions(upstream, options));
}

/** Another over the same data folder, in a process of its own. */
export async function runGatewayProcess(
  upstream: Pick<HostedService, 'url' | 'key'>,
  { dataDir, ...options }: Partial<ServerOptions> & { readonly dataDir: string },
): Promise<{ readonly url: string }> {
  return await runProcess({ ...(await gatewayOptions(upstream, options)), dataDir });
}

async function gatewayOptions(
  upstream: Pick<HostedService, 'url' | 'key'>,
  options: Partial<ServerOptions> = {},
): Promise<Partial<ServerOptions>> {
  const plansFile = join(await ownFolder(), 'plans.json');
  await writeFile(plansFile, JSON.stringify(PLANS));
  const { url, key: apiKey } = upstream;
  return { generator: 'upstream', plansFile, ...options, upstream: { url, apiKey, ...options.upstream } };
}

/** Queues the skins of these numbers, one after the other. */
export async function push(caller: TestCaller, numbers: readonly number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const number of numbers) {
    const { body } = await caller.upload('/v2/queue', skinPng(number));
    ids.push(String(body.job?.id));
  }
  return ids;
}

export function numbers(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => from + n);
}

export interface Ended {
  readonly owner: string;
  readonly status: string;
  readonly error_code: string | null;
  readonly attempts: number;
}

/** Waits until a store has this many different skins. */
export async function skins(dataDir: string, count: number): Promise<void> {
  const { db } = await openOwnStore(dataDir);
  await poll(
    async () => await db.selectFrom('texture_data').select('identity').execute(),
    ({ length }) => length >= count,
  );
}

/** All jobs of a store in the order of their ends, once this many have ended. */
export async function ends(dataDir: string, count: number): Promise<Ended[]> {
  const { db } = await openOwnStore(dataDir);
  const ended = db
    .selectFrom('jobs')
    .select(['owner', 'status', 'error_code', 'attempts'])
    .where('finished_at', 'is not', null)
    .orderBy('finished_at')
    .orderBy('turn');
  return await poll(
    () => ended.execute(),
    ({ length }) => length >= count,
  );
}
