import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { openGame } from '../../game/game.ts';
import { openAccounts } from '../accounts/accounts.ts';
import { callbackPolicy } from '../callbacks/start.ts';
import { JobSignals } from '../events/job-signals.ts';
import type { Observers } from '../events/observer.ts';
import type { OpenGenerator } from '../generators/port.ts';
import { describeTrust } from '../generators/signing/key-document.ts';
import { OwnKey } from '../generators/signing/own-key.ts';
import { textureUrl } from '../generators/signing/signing-generator.ts';
import { ROUTES } from '../http/routes.ts';
import { startMetrics } from '../metrics/metrics.ts';
import { makeGuardedAgent } from '../outbound/guarded-agent.ts';
import { outboundPolicy } from '../outbound/policy.ts';
import { nameThisProcess } from '../queue/lease-owner.ts';
import { StoreQueue } from '../queue/store-queue.ts';
import { OpenRequests } from '../service/callers/open-requests.ts';
import { WebPages } from '../service/callers/web-pages.ts';
import type { ServiceContext } from '../service/context.ts';
import { JobFeeds } from '../service/jobs/job-feeds.ts';
import { Duplicates } from '../service/limits/duplicates.ts';
import { Polling } from '../service/limits/polling.ts';
import { MAX_STORE_BYTES, StoreCeiling } from '../service/limits/store-ceiling.ts';
import type { Plans } from '../service/plans/plans.ts';
import { Health } from '../service/status/health.ts';
import { Stats } from '../service/status/stats.ts';
import { Fetches } from '../sources/fetches.ts';
import { HeldRoom } from '../sources/held-room.ts';
import { StoreReplacedError } from '../store/open-files.ts';
import type { Store } from '../store/store.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { GENERATORS, paced } from './generators.ts';
import type { Releases } from './releases.ts';
import type { ServerOptions } from './server-options.ts';

/** What changes while the server runs. */
export interface Live {
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

/** What the service works with: queue, generator, workers. A signing key that is there must be usable. */
export async function makeService(
  options: ServerOptions & { readonly plans: Plans; readonly observer: Observers },
  { store, live, releases }: { store: Store; live: Live; releases: Releases },
): Promise<{ context: ServiceContext; pool: WorkerPool }> {
  const { clock = systemClock, embedded, pace = 0, observer } = options;
  const keyPath = join(options.dataDir, 'signing-key.pem');
  const generatorKind = options.generator ?? 'signing';
  const ownKey = new OwnKey({ db: store.db, path: keyPath, isUsed: generatorKind === 'signing' });
  await ownKey.start(options.newSigningKey ?? false);
  const key = async () => await ownKey.open();
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
  const publicUrl = () => live.publicUrl;
  const opened: OpenGenerator = await GENERATORS[generatorKind]({
    key,
    hasKey: () => ownKey.isThere,
    isKeyChanged: async () => await ownKey.isChanged(),
    publicUrl,
    clock,
    db,
    self,
    pictures,
    accounts,
    wake: () => signals.work(),
    warn,
    onError,
    upstream: options.upstream,
  });
  releases.add(() => opened.close?.());
  const generator = paced(opened.generator, pace, clock);
  const bounds = async () => (await generator.bounds?.()) ?? {};
  const queue = new StoreQueue(db, { self, clock, observer, bounds });
  const shared = { db, queue, generator, signals, clock };
  const count = options.workers ?? opened.workers ?? usualWorkers();
  const leastDuration = pace === 0 ? undefined : pace;
  const pool = new WorkerPool({ ...shared, count, self, leastDuration, observer, onError });
  const feeds = new JobFeeds({ ...shared, onError });
  const isReady = async () => (await generator.isReady?.()) ?? true;
  const isStopping = () => live.isStopping;
  const { usedBytes, isReplaced } = store;
  const isKeyChanged = async () => await ownKey.isChanged();
  const trouble = () => (isReplaced() ? new StoreReplacedError() : pool.trouble);
  const maxBytes = embedded ? Number.POSITIVE_INFINITY : (options.maxStoreBytes ?? MAX_STORE_BYTES);
  const ceiling = new StoreCeiling({ usedBytes, maxBytes });
  const isFull = () => ceiling.isReached;
  const connections = async () => await live.connections();
  const context: ServiceContext = {
    ...shared,
    generatorKind,
    publicUrl,
    plans: options.plans,
    polling: new Polling(),
    duplicates: new Duplicates(),
    callbacks: callbackPolicy(options),
    game,
    accounts,
    usersMayLink: options.userAccounts ?? true,
    pictures,
    fetches: new Fetches(),
    heldRoom: new HeldRoom(),
    feeds,
    observer,
    health: new Health({
      db,
      clock,
      isStopping,
      isReplaced,
      isFull,
      isKeyChanged,
      trouble,
      isReady,
      onError,
    }),
    openRequests: new OpenRequests({ db, onError }),
    ceiling,
    stats: new Stats({ db, clock, workers: pool }),
    webPages: new WebPages(options.allowedOrigins ?? [], () => live.ownAddresses),
    metrics: embedded
      ? undefined
      : await startMetrics(observer, { isOpen: options.openMetrics ?? false, db, feeds, connections }),
    workers: pool,
    trouble,
    textureUrl: (hash) => textureUrl(live.publicUrl, hash),
    ownAddresses: () => live.ownAddresses,
    description: once(describe),
    keyDocument: async () =>
      await describeTrust({ key, publicUrl: live.publicUrl, trust: await generator.trust?.() }),
    onAccepted: (uuid) => {
      if (embedded) live.accepted.add(uuid); // `serve` lives too long to remember them
    },
    isStopping,
  };
  return { context, pool };
}

/** Loaded when asked for: no command waits for it. */
async function describe(): Promise<string> {
  const { describeApi } = await import('../http/openapi.ts');
  return JSON.stringify(await describeApi(ROUTES));
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
