import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, systemClock } from '../clock.ts';
import type { GameAddresses } from '../game/addresses.ts';
import { type GameOptions, openGame } from '../game/game.ts';
import { openSigningKey, type SigningKey } from '../textures/signing-key.ts';
import { VERSION } from '../version.ts';
import { openAccounts } from './accounts/accounts.ts';
import type { AccountRules } from './accounts/rules.ts';
import { finishRestore } from './backup/swap.ts';
import { callbackPolicy, startCallbacks } from './callbacks/start.ts';
import { GENERATORS, type GeneratorKind, type OpenGenerator, paced } from './generators/generators.ts';
import { textureUrl } from './generators/signing.ts';
import type { UpstreamSettings } from './generators/upstream/settings.ts';
import { buildApp } from './http/app.ts';
import { EDGE_LIMITS, type EdgeLimits } from './http/edge.ts';
import type { LogAddresses, LogLevel, LogStream } from './http/log.ts';
import { ROUTES } from './http/routes.ts';
import { JobSignals } from './job-signals.ts';
import { startMaintenance } from './maintenance.ts';
import { startMetrics } from './metrics/metrics.ts';
import { Observers } from './observer.ts';
import { makeGuardedAgent } from './outbound/guarded-agent.ts';
import { outboundPolicy } from './outbound/policy.ts';
import { addressesOf, urlOf } from './own-addresses.ts';
import { nameThisProcess } from './queue/lease-owner.ts';
import { StoreQueue } from './queue/store-queue.ts';
import { Releases } from './releases.ts';
import { hashApiKey, makeApiKey } from './service/api-key.ts';
import type { Session } from './service/authenticate.ts';
import type { ServiceContext } from './service/context.ts';
import { Health } from './service/health.ts';
import { JobFeeds } from './service/job-feeds.ts';
import { waitForEnds } from './service/jobs.ts';
import { makeFirstOwnerKey } from './service/keys.ts';
import { Plans } from './service/plans.ts';
import { readPlans } from './service/plans-file.ts';
import { Polling } from './service/polling.ts';
import { ensureOwner, findUnknownPlans } from './service/users.ts';
import { Fetches } from './sources/fetches.ts';
import { readMeta, writeMeta } from './store/meta.ts';
import { openStore, type Store } from './store/store.ts';
import { WorkerPool } from './worker-pool.ts';

export { backUp } from './backup/backup.ts';
export { restore } from './backup/restore.ts';
export type { GeneratorKind } from './generators/generators.ts';
export type { UpstreamSettings } from './generators/upstream/settings.ts';
export type { LogAddresses, LogLevel } from './http/log.ts';

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
  /** Who makes the skin data; default: `signing`, our own key. */
  readonly generator?: GeneratorKind;
  /** For the generator `upstream`. */
  readonly upstream?: UpstreamSettings;
  /** How linked game accounts are used. */
  readonly accountRules?: Partial<AccountRules>;
  /** Id of the operator's application at Microsoft, to link game accounts with. */
  readonly loginClientId?: string | undefined;
  readonly logLevel?: LogLevel;
  /** How much of callers' addresses is logged; default: `short`. */
  readonly logAddresses?: LogAddresses;
  /** Default: stderr, because stdout is data. */
  readonly logStream?: LogStream;
  /** Whether /metrics needs no operator's key. */
  readonly openMetrics?: boolean;
  /** Whose X-Forwarded-For is believed: addresses, networks and `loopback`, with commas between; default: nobody's. */
  readonly trustProxy?: string;
  readonly edge?: Partial<EdgeLimits>;
  readonly retentionHours?: number;
  /** JSON file of plans (service/plans-file.ts); default: plans.json in the data folder, if it is there. */
  readonly plansFile?: string;
  /** Least milliseconds a generation takes: to rehearse against a slow service. */
  readonly pace?: number;
  /** Networks (CIDR) or addresses that may be reached though they are private: by webhooks, for pictures. */
  readonly allowedNetworks?: readonly string[];
  /** Where the game's services are, where it is not their usual place. */
  readonly gameAddresses?: Partial<GameAddresses>;
  /** How fast they are asked, and how long one request may take. */
  readonly game?: Pick<GameOptions, 'rules' | 'timeout'>;
  /** False: callbacks are refused and nothing is sent. */
  readonly webhooks?: boolean;
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
/** Milliseconds that connections have to end by themselves once there is nothing left to wait for. */
const CONNECTIONS_LIMIT = 5_000;

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
  await finishRestore(options.dataDir);
  const plans = await plansOf(options);
  const store = await openStore(options.dataDir);
  releases.add(() => store.close());
  const { key, session } = await signIn(store, options, clock);

  const early: string[] = []; // said before there is a log
  const live: Live = {
    publicUrl: '',
    ownAddresses: [],
    isStopping: false,
    accepted: new Set(),
    report: () => {},
    warn: (message) => early.push(message),
    connections: async () => 0,
  };
  const observer = new Observers();
  const { context, pool } = await makeService({ ...options, plans, observer }, { store, live, releases });
  const app = await buildApp({
    context,
    session,
    logLevel: options.logLevel ?? 'silent',
    logAddresses: options.logAddresses ?? 'short',
    logStream: options.logStream ?? process.stderr,
    edge: { ...EDGE_LIMITS, ...options.edge },
    trustProxy: options.trustProxy,
  });
  releases.add(() => app.close());
  observer.add({
    jobFailed: (job, { code, message }) => app.log.info({ job, code, reason: message }, 'job failed'),
  });
  live.connections = promisify(app.server.getConnections.bind(app.server));
  live.report = (error) => app.log.error({ err: error }, 'worker');
  live.warn = (message) => app.log.warn(message);
  early.forEach(live.warn);
  for (const plan of await findUnknownPlans(store.db, plans)) {
    app.log.warn(`There is no plan ${plan} any more: its users have the plan free.`);
  }
  const retention = (options.retentionHours ?? DEFAULT_RETENTION_HOURS) * 3_600_000;
  const onError = (error: unknown) => live.report(error);
  const maintenance = startMaintenance({ ...context, store, retention, onError });
  releases.add(() => maintenance.stop());
  await app.listen({ host, port });
  const url = urlOf(host, (app.server.address() as AddressInfo).port);
  live.publicUrl = await settlePublicUrl(store, options, url);
  live.ownAddresses = addressesOf(host, url, live.publicUrl);
  await maintenance.recoverNow();
  pool.start();
  app.log.info({ url, version: VERSION }, 'started');
  const callbacks = startCallbacks(context, app.log);

  return {
    url,
    key,
    close: async ({ drain = false, limit = STOP_LIMIT } = {}) => {
      // A service in trouble leaves its jobs to the next start.
      if (drain) await waitForEnds(context, live.accepted, limit).catch(onError);
      live.isStopping = true;
      app.log.info('stopping');
      await Promise.all([context.feeds.close(), pool.stop(limit), callbacks.stop(limit)]);
      context.signals.elsewhere(); // requests still waiting for a job learn that it will not come now
      // A request that never ends must not keep the service from its end.
      const late = setTimeout(() => app.server.closeAllConnections(), Math.min(limit, CONNECTIONS_LIMIT));
      await releases.releaseAll().finally(() => clearTimeout(late));
      app.log.info('stopped');
    },
  };
}

/** What changes while the server runs. */
interface Live {
  /** Known once it listens. */
  publicUrl: string;
  /** All addresses that are known to lead here, no slash at their ends. */
  ownAddresses: readonly string[];
  isStopping: boolean;
  readonly accepted: Set<string>;
  report: (error: unknown) => void;
  warn: (message: string) => void;
  connections: () => Promise<number>;
}

/** One more than there are cores to sign on, so that none of them waits for the store; Node signs on four at most. */
function usualWorkers(): number {
  return Math.min(4, availableParallelism() + 1);
}

/** The built-in plans, changed by a file where there is one. @throws PlansFileError */
async function plansOf({ dataDir, plansFile }: ServerOptions): Promise<Plans> {
  const path = plansFile ?? join(dataDir, 'plans.json');
  return plansFile === undefined && !existsSync(path) ? new Plans() : await readPlans(path);
}

/** What the service works with: queue, generator, workers. A signing key that is there must be usable. */
async function makeService(
  options: ServerOptions & { readonly plans: Plans; readonly observer: Observers },
  { store, live, releases }: { store: Store; live: Live; releases: Releases },
): Promise<{ context: ServiceContext; pool: WorkerPool }> {
  const { clock = systemClock, embedded, pace = 0, observer } = options;
  const keyPath = join(options.dataDir, 'signing-key.pem');
  const key = once(() => openSigningKey(keyPath));
  if (existsSync(keyPath)) await key();
  const self = nameThisProcess();
  const signals = new JobSignals();
  const { db } = store;
  const { gameAddresses: addresses } = options;
  const game = openGame({ ...options.game, ...(addresses && { addresses }), clock });
  releases.add(() => game.close());
  const pictures = makeGuardedAgent({ policy: outboundPolicy(options) });
  releases.add(() => pictures.close());
  const onError = (error: unknown) => live.report(error);
  const warn = (message: string) => live.warn(message);
  const { accountRules: rules, loginClientId: clientId, dataDir } = options;
  const accounts = openAccounts({ db, game, clock, self, dataDir, rules, clientId, warn, onError });
  const opened: OpenGenerator = await GENERATORS[options.generator ?? 'signing']({
    key,
    publicUrl: () => live.publicUrl,
    clock,
    db,
    pictures,
    accounts,
    wake: () => signals.work(),
    warn,
    onError,
    upstream: options.upstream,
  });
  releases.add(() => opened.close?.());
  const generator = paced(opened.generator, pace, clock);
  const bounds = () => generator.bounds?.() ?? {};
  const queue = new StoreQueue(db, { self, clock, observer, bounds });
  const shared = { db, queue, generator, signals, clock };
  const count = options.workers ?? opened.workers ?? usualWorkers();
  const leastDuration = pace === 0 ? undefined : pace;
  const pool = new WorkerPool({ ...shared, count, self, leastDuration, observer, onError });
  const feeds = new JobFeeds({ ...shared, onError });
  const isReady = () => generator.isReady?.() ?? true;
  const isStopping = () => live.isStopping;
  const trouble = () => pool.trouble;
  const connections = async () => await live.connections();
  const context: ServiceContext = {
    ...shared,
    plans: options.plans,
    polling: new Polling(),
    callbacks: callbackPolicy(options),
    game,
    accounts,
    pictures,
    fetches: new Fetches(),
    feeds,
    observer,
    health: new Health({ db, clock, isStopping, trouble, isReady, onError }),
    metrics: embedded
      ? undefined
      : await startMetrics(observer, { isOpen: options.openMetrics ?? false, db, feeds, connections }),
    expectedWait: (uuid, ahead) => pool.expectedWait(uuid, ahead),
    trouble,
    textureUrl: (hash) => textureUrl(live.publicUrl, hash),
    ownAddresses: () => live.ownAddresses,
    description: once(describe),
    keyDocument: async () => describeTrust(await key(), live.publicUrl),
    onAccepted: (uuid) => {
      if (embedded) live.accepted.add(uuid); // `serve` lives too long to remember them
    },
    isStopping,
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

/** Loaded when asked for: no command waits for it. */
async function describe(): Promise<string> {
  const { describeApi } = await import('./http/openapi.ts');
  return JSON.stringify(describeApi(ROUTES));
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
