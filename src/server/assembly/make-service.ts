import { hash } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { remembered } from '../../base/caches.ts';
import type { Clock } from '../../base/clock.ts';
import { callbackPolicy } from '../callbacks.ts';
import { type Description, type ServiceContext, USUAL_NAME } from '../context.ts';
import type { ServiceEvents } from '../events.ts';
import { describeTrust, type OwnKey, type TrustOptions, textureUrl } from '../generators/own-key.ts';
import type { Generator } from '../generators/port.ts';
import { ROUTES } from '../http/routes/routes.ts';
import type { Metrics } from '../metrics.ts';
import type { OpenIdProvider } from '../openid/provider.ts';
import { makeGuardedAgent } from '../outbound/guarded-agent.ts';
import { outboundPolicy } from '../outbound/target.ts';
import { PlayerLooks, type PlayerLooksOptions } from '../pictures/player-looks.ts';
import { GameTextures, RenderBudget, Renders } from '../pictures/renders.ts';
import { KnownAddresses, LOOKUPS, LookupBudget, Turns } from '../pools.ts';
import { countPending, jobReads } from '../queue/lists.ts';
import type { ClaimBounds } from '../queue/port.ts';
import { StoreQueue } from '../queue/store-queue.ts';
import { OpenRequests } from '../service/authentication.ts';
import { WebPages } from '../service/callers.ts';
import { GameServers } from '../service/game-servers.ts';
import { JobFeeds } from '../service/jobs/job-feeds.ts';
import { MAX_STORE_BYTES, StoreCeiling } from '../service/limits.ts';
import { MAX_OPEN } from '../service/moderation.ts';
import { PLANS, type Plans } from '../service/plans.ts';
import { Polling } from '../service/request-limits.ts';
import { secretOfStore } from '../service/sessions.ts';
import { Exports } from '../service/skins/export.ts';
import { Searches, Views } from '../service/skins/skins.ts';
import { Fetches } from '../service/sources/fetches.ts';
import { SlotReservations } from '../service/sources/source.ts';
import { Health, storeWarnings } from '../service/status/health.ts';
import { Stats } from '../service/status/stats.ts';
import { Duplicates } from '../service/submitting/answering.ts';
import type { OpenStore } from '../store/db.ts';
import { countOpenReports } from '../store/moderation.ts';
import { listNodes, NODE_TIMEOUT } from '../store/nodes.ts';
import { StoreReplacedError } from '../store/sqlite.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { kindOf, openGenerator, openOutbound, openOwnKey } from './generators.ts';
import type { Node, Releases } from './node.ts';
import type { ServerOptions } from './server-options.ts';
import { makeServiceParts, type RuntimeState, type ServiceParts } from './service-parts.ts';

/** The single sign-on provider; undefined if there is none. Sends no request yet. */
export async function openProvider(
  { openId: settings, ...options }: ServerOptions & { readonly plans: Plans },
  { clock, db }: ServiceParts,
  releases: Releases,
): Promise<OpenIdProvider | undefined> {
  if (!settings) return undefined;
  const { networks, ports } = outboundPolicy(options);
  // The operator has configured the issuer, so any port is allowed.
  const own = Number(new URL(settings.issuer).port);
  const policy = { networks, ports: own === 0 ? ports : [...ports, own] };
  const agent = makeGuardedAgent({ policy, proxies: options.proxies });
  releases.add(() => agent.close());
  const { OpenIdProvider } = await import('../openid/provider.ts');
  return new OpenIdProvider({
    ...{ settings, agent, clock },
    // The operator's name is reserved.
    knowsPlan: (name) => name !== PLANS.owner.name && options.plans.has(name),
    readKey: async () => await secretOfStore(db, 'sign-in-key'),
  });
}

/** Opens what draws pictures. Starts nothing and sends no requests before the first picture. */
export function openPictures(
  options: Omit<PlayerLooksOptions, 'gameTextures'> & Pick<ServerOptions, 'draw'>,
  releases: Releases,
): Pick<ServiceContext, 'renders' | 'playerLooks' | 'gameTextures'> {
  const renders = new Renders(new RenderBudget(options.clock), options.known, options.draw);
  releases.add(() => renders.close());
  const gameTextures = new GameTextures(options);
  return { renders, gameTextures, playerLooks: new PlayerLooks({ ...options, gameTextures }) };
}

type AssemblyOptions = ServerOptions & { readonly plans: Plans; readonly events: ServiceEvents };

interface Surroundings {
  readonly store: OpenStore;
  readonly state: RuntimeState;
  readonly releases: Releases;
  readonly node: Node;
  readonly jobsToDo: ClaimBounds;
}

/** Creates the queue, the generator and the workers. An existing signing key must be usable. */
export async function makeService(
  options: AssemblyOptions,
  { store, state, releases, node, jobsToDo }: Surroundings,
): Promise<{ context: ServiceContext; pool: WorkerPool }> {
  const parts = makeServiceParts(store, state, node);
  const ownKey = await openOwnKey(options, store.db);
  const outbound = await openOutbound(options, parts, releases);
  const publicUrl = () => state.publicUrl;
  const opened = await openGenerator(options, { ...parts, ...outbound }, { ownKey, publicUrl, releases });
  const { generator } = opened;
  const jobs = { ...makeJobs(options, parts, { ...opened, jobsToDo }), generator };
  const limiters = makeLimiters(parts.clock);
  const { queue, pool, feeds } = jobs;
  const rules = rulesOf(options, parts.clock);
  const status = makeStatus(options, { parts, store, state, ownKey, jobs });
  const context: ServiceContext = {
    ...parts,
    ...outbound,
    ...status,
    ...limiters,
    ...openPictures({ ...parts, ...outbound, ...limiters, draw: options.draw }, releases),
    gameServers: new GameServers({ ...options, ...parts, ...outbound, known: limiters.known }),
    ...rules,
    openId: await openProvider(options, parts, releases),
    ...liveParts(options, state),
    ...keyParts(ownKey, generator, () => ({ publicUrl: state.publicUrl, name: rules.site.name })),
    queue,
    feeds,
    generator,
    publicUrl,
    events: options.events,
    openRequests: new OpenRequests(parts),
    metrics: await openMetrics(options, { parts, feeds, pool, state, store }),
    workers: pool,
    description: remembered(describe),
  };
  return { context, pool };
}

function makeLimiters(clock: Clock) {
  const known = new KnownAddresses(() => clock.monotonic());
  return {
    known,
    turns: new Turns(clock),
    polling: new Polling(clock),
    duplicates: new Duplicates(),
    fetches: new Fetches(known),
    slotReservations: new SlotReservations(),
    exports: new Exports(known),
    searches: new Searches(clock),
    views: new Views(clock),
  };
}

function rulesOf(options: AssemblyOptions, clock: Clock) {
  return {
    generatorKind: kindOf(options),
    plans: options.plans,
    callbacks: callbackPolicy(options),
    usersMayLink: options.userAccounts ?? true,
    wardrobe: { rule: options.wardrobe ?? 'operator', claims: new LookupBudget(clock, LOOKUPS.claims) },
    site: { name: USUAL_NAME, ...options.site },
    findPack: options.findPack ?? (async () => undefined),
  };
}

/** What depends on the server's addresses and on whether it is stopping. */
function liveParts({ allowedOrigins = [], embedded }: AssemblyOptions, state: RuntimeState) {
  const ownAddresses = () => state.ownAddresses;
  return {
    webPages: new WebPages(allowedOrigins, ownAddresses),
    textureUrl: (hash: string) => textureUrl(state.publicUrl, hash),
    ownAddresses,
    provableAddresses: () => state.provableAddresses,
    onAccepted: (uuid: string) => {
      if (embedded) state.accepted.add(uuid); // `serve` runs too long to remember them
    },
    isStopping: () => state.isStopping,
  };
}

interface Jobs {
  readonly queue: StoreQueue;
  readonly pool: WorkerPool;
  readonly feeds: JobFeeds;
}

function makeJobs(
  { pace = 0, workers, embedded = false, events }: AssemblyOptions,
  service: ServiceParts,
  opened: { readonly generator: Generator; readonly workers?: number; readonly jobsToDo: ClaimBounds },
): Jobs {
  const { generator, jobsToDo } = opened;
  const bounds = async () => ({ ...(await generator.bounds?.()), ...jobsToDo });
  const queue = new StoreQueue(service.db, { ...service, events, bounds });
  const count = workers ?? opened.workers ?? usualWorkers() * (embedded ? EMBEDDED : 1);
  const leastDuration = pace === 0 ? undefined : pace;
  const parts = { ...service, queue, generator, events };
  const pool = new WorkerPool({ ...parts, count, leastDuration });
  return { queue, pool, feeds: new JobFeeds({ ...parts, reads: jobReads(parts.db) }) };
}

/**
 * The factor for the workers of an embedded service: its jobs come in batches, and those claimed and completed at once
 * share a commit.
 */
const EMBEDDED = 5;

/** One more than the cores that sign, so that none of them waits for the store. Node signs on four at most. */
function usualWorkers(): number {
  return Math.min(4, availableParallelism() + 1);
}

interface StatusParts {
  readonly parts: ServiceParts;
  readonly store: OpenStore;
  readonly state: RuntimeState;
  readonly ownKey: OwnKey;
  readonly jobs: Jobs & { readonly generator: Generator };
}

function makeStatus(
  options: AssemblyOptions,
  { parts, store, state, ownKey, jobs: { pool, generator } }: StatusParts,
) {
  const { usedBytes, isReplaced, examine: examineStore } = store;
  const { schema } = parts.db.store;
  const trouble = () => (isReplaced() ? new StoreReplacedError() : (schema.fault ?? pool.trouble));
  const ceiling = new StoreCeiling(usedBytes, mostBytes(options));
  const health = new Health({
    ...parts,
    trouble,
    isReplaced,
    isTooNew: () => schema.fault !== undefined,
    warnings: () => storeWarnings(store, parts.skew()),
    isStopping: () => state.isStopping,
    isFull: () => ceiling.isReached,
    isKeyChanged: async () => await ownKey.isChanged(),
    isReady: async () => (await generator.isReady?.()) ?? true,
  });
  const stats = new Stats({ ...parts, workers: pool });
  return { trouble, ceiling, health, examineStore, stats, diskLeft: async () => await diskLeft(options) };
}

async function diskLeft({ dataDir, store, inMemory }: ServerOptions): Promise<number | undefined> {
  if (store || inMemory) return undefined;
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize;
}

/** PostgreSQL's disk is the concern of its operator. */
function mostBytes({ embedded, store, maxStoreBytes }: AssemblyOptions): number {
  if (embedded) return Number.POSITIVE_INFINITY;
  return maxStoreBytes ?? (store ? Number.POSITIVE_INFINITY : MAX_STORE_BYTES);
}

/** Undefined for an embedded service. */
async function openMetrics(
  { embedded, openMetrics: isOpen = false, events }: AssemblyOptions,
  {
    parts: { db, skew },
    feeds,
    pool,
    state,
    store,
  }: Pick<Jobs, 'feeds' | 'pool'> & {
    readonly parts: ServiceParts;
    readonly state: RuntimeState;
    readonly store: OpenStore;
  },
): Promise<Metrics | undefined> {
  if (embedded) return undefined;
  const { Metrics } = await import('../metrics.ts');
  const sources = {
    pendingJobs: async () => await countPending(db),
    openReports: async () => await countOpenReports(db, MAX_OPEN),
    eventStreams: () => feeds.size,
    connections: async () => await state.connections(),
    workers: () => pool,
    store: store.connections && {
      connections: store.connections,
      skew,
      nodes: async () => (await listNodes(db, NODE_TIMEOUT)).length,
    },
  };
  const metrics = new Metrics(sources, { isOpen });
  metrics.count(events);
  return metrics;
}

function keyParts(
  ownKey: OwnKey,
  generator: Generator,
  service: () => Pick<TrustOptions, 'publicUrl' | 'name'>,
): Pick<ServiceContext, 'ownKey' | 'keyDocument'> {
  const key = async () => await ownKey.open();
  return {
    ownKey: async () => (await ownKey.openExisting())?.publicKey,
    keyDocument: async () => await describeTrust({ ...service(), key, trust: await generator.trust?.() }),
  };
}

/** Loaded on demand, so that no command waits for it. */
async function describe(): Promise<Description> {
  const { describeApi } = await import('../http/openapi.ts');
  const plain = Buffer.from(JSON.stringify(await describeApi(ROUTES)));
  return { plain, gzipped: await promisify(gzip)(plain), digest: hash('sha1', plain, 'base64url') };
}
