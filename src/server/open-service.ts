import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { makeFolder } from '../base/files.ts';
import { VERSION } from '../base/version.ts';
import { findOpenSecrets, IS_REMOTE, jobsToDo, kindOf } from './assembly/generators.ts';
import { makeService } from './assembly/make-service.ts';
import { openNode, Releases, retentionOf, startMaintenance } from './assembly/node.ts';
import type { ServerOptions } from './assembly/server-options.ts';
import { ErrorLog, makeRuntimeState, openStoreOf, type RuntimeState } from './assembly/service-parts.ts';
import { finishRestore } from './backup/swap.ts';
import { type Callbacks, startCallbacks } from './callbacks.ts';
import type { ServiceContext } from './context.ts';
import type { ServiceEvents } from './events.ts';
import type { ServiceLog } from './http/log.ts';
import { jobBody } from './http/views.ts';
import { skinAsSent, waitForEnds, withSkin } from './service/jobs/jobs.ts';
import { Plans, readPlans } from './service/plans.ts';
import { ensureOwner, findUnknownPlans } from './service/users/users.ts';
import { findCallbackJob } from './store/callbacks.ts';
import type { Db } from './store/db.ts';
import type { UserRow } from './store/schema/tables.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** Maximum unfinished jobs of all commands that embed a service with the same store: enough to share. */
const EMBEDDED_SLOTS = 10_000;
/** Milliseconds for generations in progress when the service stops. */
const STOP_LIMIT = 20_000;
/** Milliseconds for requests to end by themselves once nothing is left to wait for. */
const REQUESTS_LIMIT = 5_000;

/** The addresses of a service, without trailing slashes. */
export interface Addresses {
  /** The address in signed texture URLs. */
  readonly publicUrl: string;
  /** All known addresses of the service. */
  readonly own: readonly string[];
  /** The addresses at which nothing but this server can listen. */
  readonly provable: readonly string[];
}

/** Carries requests to the service. */
export interface Adapter {
  readonly log: ServiceLog;
  /** Starts accepting requests. */
  open(): Promise<Addresses>;
  /** Accepts no more requests; resolves when those under way have ended. */
  close(): Promise<void>;
  /** Ends all requests, whatever is under way. */
  cutOff(): void;
  countConnections(): Promise<number>;
}

export interface Parts {
  readonly context: ServiceContext;
  /** The person who runs the service. */
  readonly owner: UserRow;
}

export interface OpenService<A extends Adapter> {
  readonly adapter: A;
  /**
   * Stops the service after the generations in progress, and with `drain` after all jobs that the embedded service has
   * accepted. Whatever takes longer than `limit` ms waits for the next start.
   */
  close(options?: { drain?: boolean; limit?: number }): Promise<void>;
}

/** Starts the service behind an adapter. Releases everything in the reverse order of opening. */
export async function openService<A extends Adapter>(
  options: ServerOptions,
  openAdapter: (parts: Parts) => Promise<A>,
): Promise<OpenService<A>> {
  const releases = new Releases();
  try {
    return await open(options, openAdapter, releases);
  } catch (error) {
    await releases.releaseAll();
    throw error;
  }
}

async function open<A extends Adapter>(
  options: ServerOptions,
  openAdapter: (parts: Parts) => Promise<A>,
  releases: Releases,
): Promise<OpenService<A>> {
  const { clock = systemClock } = options;
  if (!options.inMemory) await prepareFolder(options.dataDir, clock);
  const plans = await plansOf(options);
  const store = await openStoreOf(options);
  releases.add(() => store.close());

  const early: string[] = []; // warnings before there is a log
  const state = makeRuntimeState(early);
  const events: ServiceEvents = new EventEmitter();
  const onError = (error: unknown) => state.report(error);
  const node = await openNode(options, store.db, { releases, onError });
  const owner = await ensureOwner(store.db, node.clock.now());
  const parts = { store, state, releases, node, jobsToDo: await jobsToDo(store.db, options, owner) };
  const { context, pool } = await makeService({ ...options, plans, events }, parts);
  const adapter = await openAdapter({ context, owner });
  releases.add(() => adapter.close());
  const errors = new ErrorLog(adapter.log, clock);
  connect(adapter, { state, events, early, errors });
  await warnOfUnknownPlans(adapter, store.db, plans);
  await warnOfSettings(adapter, options);

  const retention = await retentionOf(store.db, options);
  const maintenance = startMaintenance({ ...context, ...node, store, retention, onError });
  releases.add(() => maintenance.stop());
  const { publicUrl, own, provable } = await adapter.open();
  state.publicUrl = publicUrl;
  state.ownAddresses = own;
  state.provableAddresses = provable;
  await maintenance.recoverNow();
  pool.start();
  adapter.log.info({ url: own[0], version: VERSION, ...signerField(options) }, 'started');
  const callbacks = startWebhooks(adapter, { ...context, fetchProxies: options.fetchProxies }, errors);
  return { adapter, close: closer({ adapter, context, state, pool, callbacks, releases }) };
}

async function prepareFolder(dataDir: string, clock: Clock): Promise<void> {
  makeFolder(dataDir, 0o700);
  await finishRestore(dataDir, clock.now());
}

/** Connects the parts of the service to the log, which also gets their earlier reports. */
function connect(
  adapter: Adapter,
  {
    state,
    events,
    early,
    errors,
  }: { state: RuntimeState; events: ServiceEvents; early: readonly string[]; errors: ErrorLog },
): void {
  const { log } = adapter;
  events.on('jobFailed', (job, { code, message }) => log.info({ job, code, reason: message }, 'job failed'));
  state.connections = async () => await adapter.countConnections();
  state.report = (error) => errors.report(error, 'worker');
  state.warn = (message) => log.warn(message);
  early.forEach(state.warn);
}

async function warnOfUnknownPlans({ log }: Adapter, db: Db, plans: Plans): Promise<void> {
  for (const plan of await findUnknownPlans(db, plans)) {
    log.warn(`The plan ${plan} no longer exists; its users have the plan free.`);
  }
}

async function warnOfSettings({ log }: Adapter, options: ServerOptions): Promise<void> {
  const { store, publicUrl, embedded } = options;
  if (embedded) return;
  // Signed skin data contains the texture's address permanently.
  if (store && publicUrl === undefined)
    log.warn(
      "Signed textures contain this server's own address. Give all servers the same one with --public-url.",
    );
  for (const path of await findOpenSecrets(options)) {
    log.warn(
      `Other users of this machine can read ${path}. Make it readable for the service only (mode 0400).`,
    );
  }
}

function startWebhooks(
  { log }: Adapter,
  context: ServiceContext & Pick<ServerOptions, 'fetchProxies'>,
  errors: ErrorLog,
): Callbacks {
  return startCallbacks({
    ...context,
    policy: context.callbacks,
    describeJob: async (jobId, scopes) =>
      await describeCallbackJob(context.db, jobId, scopes.includes('read')),
    onGivenUp: (report) => log.warn(report, 'webhook given up'),
    onError: (error) => errors.report(error, 'webhooks'),
  });
}

interface Running {
  readonly adapter: Adapter;
  readonly context: ServiceContext;
  readonly state: RuntimeState;
  readonly pool: WorkerPool;
  readonly callbacks: Callbacks;
  readonly releases: Releases;
}

function closer(running: Running): OpenService<Adapter>['close'] {
  const { adapter, context, state, pool, callbacks, releases } = running;
  return async ({ drain = false, limit = STOP_LIMIT } = {}) => {
    // A failing service leaves its jobs for the next start.
    if (drain) await waitForEnds(context, state.accepted, limit).catch(state.report);
    state.isStopping = true;
    adapter.log.info('stopping');
    await Promise.all([context.feeds.close(), pool.stop(limit), callbacks.stop(limit)]);
    context.signals.storeChanged(); // tells waiting requests that the job will not end now
    // A request that never ends must not keep the service from stopping.
    const late = setTimeout(() => adapter.cutOff(), Math.min(limit, REQUESTS_LIMIT));
    await releases.releaseAll().finally(() => clearTimeout(late));
    adapter.log.info('stopped');
  };
}

/** The content of a webhook: the answer of GET /v2/queue/:jobId; undefined if the job is no longer kept. */
async function describeCallbackJob(db: Db, jobId: number, mayRead: boolean): Promise<object | undefined> {
  const job = await findCallbackJob(db, jobId);
  if (!job) return undefined;
  const { skin, ...ended } = await withSkin(db, job);
  return jobBody({ ...ended, skin: skin && skinAsSent(mayRead, job, skin) }, []);
}

/** The built-in plans, with the changes from a file if there is one. @throws PlansFileError */
async function plansOf(options: ServerOptions): Promise<Plans> {
  const { dataDir, plansFile, anonymousPerHour } = options;
  const path = plansFile ?? join(dataDir, 'plans.json');
  const setting = {
    anonymousPerHour,
    ownerSlots: options.embedded && !options.inMemory ? EMBEDDED_SLOTS : undefined,
    lendsIdle: IS_REMOTE[kindOf(options)],
  };
  const isBuiltIn = plansFile === undefined && !existsSync(path);
  return isBuiltIn ? new Plans([], setting) : await readPlans(path, setting);
}

/** Tells readers of the log what signatures with the service's own key are worth. */
function signerField({ generator = 'signing' }: ServerOptions): { readonly signer?: string } {
  if (generator !== 'signing') return {};
  return { signer: "the service's own key; unmodified Minecraft accepts only skins signed by Mojang" };
}
