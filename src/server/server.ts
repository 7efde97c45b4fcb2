import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import { openSigningKey, type SigningKey } from '../textures/signing-key.ts';
import { VERSION } from '../version.ts';
import { GENERATORS, paced } from './generators/generators.ts';
import { buildApp } from './http/app.ts';
import type { LogLevel } from './http/log.ts';
import { JobSignals } from './job-signals.ts';
import { startMaintenance } from './maintenance.ts';
import { nameThisProcess } from './queue/lease-owner.ts';
import { StoreQueue } from './queue/store-queue.ts';
import { Releases } from './releases.ts';
import { hashApiKey, makeApiKey } from './service/api-key.ts';
import type { Session } from './service/authenticate.ts';
import type { ServiceContext } from './service/context.ts';
import { JobFeeds } from './service/job-feeds.ts';
import { waitForEnds } from './service/jobs.ts';
import { makeFirstOwnerKey } from './service/keys.ts';
import { ensureOwner } from './service/users.ts';
import { readMeta, writeMeta } from './store/meta.ts';
import { openStore, type Store } from './store/store.ts';
import { WorkerPool } from './worker-pool.ts';

export type { LogLevel } from './http/log.ts';

/** Where `serve` listens when it is not told (S-K-I-N on a telephone), and where skins made by the
 * embedded service say their textures are: run `serve` and they are. */
const DEFAULT_PORT = 7546;
const DEFAULT_HOST = '127.0.0.1';
/** Hours a finished job is kept. */
const DEFAULT_RETENTION_HOURS = 7 * 24;

export interface ServerOptions {
  /** Folder of the store and the signing key; made when missing. */
  readonly dataDir: string;
  readonly host?: string;
  /** 0: any free one. */
  readonly port?: number;
  /** Jobs generated at the same time; 0: accept and answer, generate nothing. */
  readonly workers?: number;
  /** Address that goes into signed texture URLs; default: where the server listens. */
  readonly publicUrl?: string;
  readonly logLevel?: LogLevel;
  readonly retentionHours?: number;
  /** Least milliseconds a generation takes: to rehearse against a slow service. */
  readonly pace?: number;
  /** Makes a key that lives as long as the process, for the command that embeds the service. */
  readonly embedded?: boolean;
  readonly clock?: Clock;
}

export interface RunningServer {
  /** Where it listens, no slash at its end. */
  readonly url: string;
  /** The owner's API key: on the very first start (once), or the session's own when embedded. */
  readonly key: string | undefined;
  /**
   * Stops it. Whatever is being generated is finished; with `drain` so are first all jobs that the
   * embedded service has accepted. What takes longer than `limit` ms waits for the next start.
   */
  close(options?: { drain?: boolean; limit?: number }): Promise<void>;
}

const STOP_LIMIT = 20_000;

/** Starts the service. Things are opened in order and released in the opposite one. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const releases = new Releases();
  try {
    return await open(options, releases);
  } catch (error) {
    await releases.releaseAll();
    throw error;
  }
}

async function open(options: ServerOptions, releases: Releases): Promise<RunningServer> {
  const { clock = systemClock, host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const store = await openStore(options.dataDir);
  releases.add(() => store.close());
  const { key, session } = await signIn(store, options, clock);

  const live: Live = { publicUrl: '', isStopping: false, accepted: new Set(), report: () => {} };
  const { context, pool } = await makeService(options, store, live);
  const app = await buildApp({ context, session, logLevel: options.logLevel ?? 'silent' });
  releases.add(() => app.close());
  live.report = (error) => app.log.error({ err: error }, 'worker');
  const retention = (options.retentionHours ?? DEFAULT_RETENTION_HOURS) * 3_600_000;
  const onError = (error: unknown) => live.report(error);
  const maintenance = startMaintenance({ ...context, store, retention, onError });
  releases.add(() => maintenance.stop());
  await app.listen({ host, port });
  const url = urlOf(host, (app.server.address() as AddressInfo).port);
  live.publicUrl = await settlePublicUrl(store, options, url);
  await maintenance.recoverNow();
  pool.start();

  return {
    url,
    key,
    close: async ({ drain = false, limit = STOP_LIMIT } = {}) => {
      // A service in trouble leaves its jobs to the next start.
      if (drain) await waitForEnds(context, live.accepted, limit).catch(onError);
      live.isStopping = true;
      await Promise.all([context.feeds.close(), pool.stop(limit)]);
      context.signals.elsewhere(); // requests still waiting for a job learn that it will not come now
      await releases.releaseAll();
    },
  };
}

/** What changes while the server runs. */
interface Live {
  /** Known once it listens. */
  publicUrl: string;
  isStopping: boolean;
  readonly accepted: Set<string>;
  report: (error: unknown) => void;
}

/** One more than there are cores to sign on, so that none of them waits for the store; Node signs on four at most. */
function usualWorkers(): number {
  return Math.min(4, availableParallelism() + 1);
}

/** What the service works with: queue, generator, workers. A signing key that is there must be usable. */
async function makeService(
  options: ServerOptions,
  store: Store,
  live: Live,
): Promise<{ context: ServiceContext; pool: WorkerPool }> {
  const { clock = systemClock, workers: count = usualWorkers(), embedded, pace = 0 } = options;
  const keyPath = join(options.dataDir, 'signing-key.pem');
  const key = once(() => openSigningKey(keyPath));
  if (existsSync(keyPath)) await key();
  const self = nameThisProcess();
  const signals = new JobSignals();
  const { db } = store;
  const queue = new StoreQueue(db, { self, clock });
  const generator = paced(GENERATORS.signing({ key, publicUrl: () => live.publicUrl, clock }), pace, clock);
  const shared = { db, queue, generator, signals, clock };
  const onError = (error: unknown) => live.report(error);
  const leastDuration = pace === 0 ? undefined : pace;
  const pool = new WorkerPool({ ...shared, count, self, leastDuration, onError });
  const context: ServiceContext = {
    ...shared,
    feeds: new JobFeeds({ ...shared, onError }),
    expectedWait: (uuid, ahead) => pool.expectedWait(uuid, ahead),
    trouble: () => pool.trouble,
    keyDocument: async () => describeTrust(await key(), live.publicUrl),
    onAccepted: (uuid) => {
      if (embedded) live.accepted.add(uuid); // `serve` lives too long to remember them
    },
    isStopping: () => live.isStopping,
  };
  return { context, pool };
}

/**
 * The address that goes into texture URLs. The embedded service listens on another port each time, so
 * it signs for where `serve` last said it is reached, or will be by default.
 */
async function settlePublicUrl({ db }: Store, options: ServerOptions, url: string): Promise<string> {
  const remembered = await readMeta(db, 'public-url');
  if (options.embedded) return remembered ?? urlOf(DEFAULT_HOST, DEFAULT_PORT);
  const settled = options.publicUrl ?? url;
  const isLasting = options.publicUrl !== undefined || options.port !== 0;
  if (isLasting && settled !== remembered) await writeMeta(db, 'public-url', settled);
  return settled;
}

async function signIn(
  store: Store,
  options: ServerOptions,
  clock: Clock,
): Promise<{ key: string | undefined; session: Session | undefined }> {
  const owner = await ensureOwner(store.db, clock.now());
  if (!options.embedded) {
    return { key: await makeFirstOwnerKey(store.db, owner, clock.now()), session: undefined };
  }
  const key = makeApiKey();
  return { key, session: { hash: hashApiKey(key), user: owner } };
}

function describeTrust(key: SigningKey, publicUrl: string) {
  return {
    meta: { serverName: 'skinsmith', implementationName: 'skinsmith', implementationVersion: VERSION },
    skinDomains: [new URL(publicUrl).hostname],
    signaturePublickey: key.publicPem,
  };
}

function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Opens a costly thing when it is first wanted; a failure is not remembered. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return async () => {
    made ??= make();
    try {
      return await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  };
}
