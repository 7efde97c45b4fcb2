import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { makeFolder } from '../base/make-folder.ts';
import { VERSION } from '../base/version.ts';
import { ErrorLog } from './assembly/error-log.ts';
import { kindOf, MADE_ELSEWHERE } from './assembly/generators.ts';
import { type Live, makeLive } from './assembly/live.ts';
import { startMaintenance } from './assembly/maintenance.ts';
import { makeService } from './assembly/make-service.ts';
import { addressesOf, DEFAULT_HOST, DEFAULT_PORT, settlePublicUrl, urlOf } from './assembly/own-addresses.ts';
import { Releases } from './assembly/releases.ts';
import type { ServerOptions } from './assembly/server-options.ts';
import { finishRestore } from './backup/swap.ts';
import { type Callbacks, startCallbacks } from './callbacks/start.ts';
import { Observers } from './events/observer.ts';
import { partOf } from './events/siblings.ts';
import type { AppOptions } from './http/fastify/app.ts';
import { type HttpServer, openHttpServer } from './http/fastify/http-server.ts';
import { NETWORK_LIMITS, type NetworkLimits } from './http/fastify/network-limits.ts';
import { jobBody } from './http/job-answers.ts';
import { hashApiKey, makeApiKey } from './service/callers/api-key.ts';
import type { Session } from './service/callers/authenticate.ts';
import type { ServiceContext } from './service/context.ts';
import { waitForEnds, withSkin } from './service/jobs/jobs.ts';
import { Plans } from './service/plans/plans.ts';
import { readPlans } from './service/plans/plans-file.ts';
import { makeFirstOwnerKey } from './service/users/keys.ts';
import { ensureOwner, findUnknownPlans } from './service/users/users.ts';
import { findCallbackJob } from './store/callbacks.ts';
import type { Db } from './store/db.ts';
import { openStore, type Store } from './store/store.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

export { makeKeyOfOwner, OwnerKeyError } from './assembly/owner-key.ts';
export type { ServerOptions } from './assembly/server-options.ts';
export { backUp } from './backup/backup.ts';
export { readBackup } from './backup/read-backup.ts';
export { restore } from './backup/restore.ts';
export type { JobNews, MetricSnapshot, MetricsSnapshot, Siblings } from './events/siblings.ts';
export type { GeneratorKind } from './generators/port.ts';
export type { UpstreamSettings } from './generators/upstream/settings.ts';
export type { LogAddresses, LogLevel, LogStream } from './http/fastify/log.ts';

/** Unfinished jobs of all commands that embed a service over the same store: they do not have to share few spots. */
const EMBEDDED_SPOTS = 10_000;
/** Hours a finished job is kept. */
const DEFAULT_RETENTION_HOURS = 7 * 24;

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
  const { clock = systemClock } = options;
  makeFolder(options.dataDir, 0o700);
  await finishRestore(options.dataDir, clock.now());
  const plans = await plansOf(options);
  const store = await openStore(options.dataDir, options);
  releases.add(() => store.close());
  const { key, session } = await signIn(store, options, clock);

  const early: string[] = []; // said before there is a log
  const live = makeLive(early);
  const observer = new Observers();
  const { context, pool } = await makeService({ ...options, plans, observer }, { store, live, releases });
  const http = await openHttpServer({ context, session, ...httpOptions(options) });
  releases.add(() => http.close());
  const errors = new ErrorLog(http.log, clock);
  connect(http, { live, observer, early, errors });
  await warnOfUnknownPlans(http, store.db, plans);

  const maintenance = startMaintenance({ ...context, store, ...maintenanceOptions(options, live) });
  releases.add(() => maintenance.stop());
  const url = await listen(http, options, { store, live });
  await maintenance.recoverNow();
  pool.start();
  http.log.info({ url, version: VERSION, ...signerField(options) }, 'started');
  const callbacks = startWebhooks(http, context, errors);
  return { url, key, close: closer({ http, context, live, pool, callbacks, releases }) };
}

function httpOptions(options: ServerOptions): Omit<AppOptions, 'context' | 'session'> {
  return {
    allowsAnonymous: options.anonymous ?? true,
    logLevel: options.logLevel ?? 'silent',
    logAddresses: options.logAddresses ?? 'short',
    logStream: options.logStream ?? process.stderr,
    networkLimits: networkLimitsOf(options),
    trustProxy: options.trustProxy,
  };
}

/** Each process has its part of the connections; the system spreads them evenly. */
function networkLimitsOf({ networkLimits, siblings }: ServerOptions): NetworkLimits {
  const limits = { ...NETWORK_LIMITS, ...networkLimits };
  if (!siblings) return limits;
  return { ...limits, maxConnections: Math.max(1, partOf(limits.maxConnections, siblings)) };
}

/** From now on the log is told what the parts of the service report, and what they reported so far. */
function connect(
  http: HttpServer,
  {
    live,
    observer,
    early,
    errors,
  }: { live: Live; observer: Observers; early: readonly string[]; errors: ErrorLog },
): void {
  const { log } = http;
  observer.add({
    jobFailed: (job, { code, message }) => log.info({ job, code, reason: message }, 'job failed'),
  });
  live.connections = async () => await http.countConnections();
  live.report = (error) => errors.report(error, 'worker');
  live.warn = (message) => log.warn(message);
  early.forEach(live.warn);
}

async function warnOfUnknownPlans({ log }: HttpServer, db: Db, plans: Plans): Promise<void> {
  for (const plan of await findUnknownPlans(db, plans)) {
    log.warn(`There is no plan ${plan} any more: its users have the plan free.`);
  }
}

function maintenanceOptions(
  { retentionHours = DEFAULT_RETENTION_HOURS, siblings }: ServerOptions,
  live: Live,
) {
  return {
    retention: retentionHours * 3_600_000,
    doesChores: siblings === undefined || siblings.index === 0,
    onError: (error: unknown) => live.report(error),
  };
}

/** @returns where it listens; the service knows its addresses from now on */
async function listen(
  http: HttpServer,
  options: ServerOptions,
  { store, live }: { store: Store; live: Live },
): Promise<string> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  const url = urlOf(host, await http.listen(host, port));
  live.publicUrl = await settlePublicUrl(store.db, options, url);
  live.ownAddresses = addressesOf(host, url, live.publicUrl);
  return url;
}

function startWebhooks({ log }: HttpServer, context: ServiceContext, errors: ErrorLog): Callbacks {
  return startCallbacks({
    ...context,
    policy: context.callbacks,
    describeJob: async (jobId) => await describeCallbackJob(context.db, jobId),
    onGivenUp: (report) => log.warn(report, 'webhook given up'),
    onError: (error) => errors.report(error, 'webhooks'),
  });
}

interface Running {
  readonly http: HttpServer;
  readonly context: ServiceContext;
  readonly live: Live;
  readonly pool: WorkerPool;
  readonly callbacks: Callbacks;
  readonly releases: Releases;
}

function closer({ http, context, live, pool, callbacks, releases }: Running): RunningServer['close'] {
  return async ({ drain = false, limit = STOP_LIMIT } = {}) => {
    // A service in trouble leaves its jobs to the next start.
    if (drain) await waitForEnds(context, live.accepted, limit).catch(live.report);
    live.isStopping = true;
    http.log.info('stopping');
    await Promise.all([context.feeds.close(), pool.stop(limit), callbacks.stop(limit)]);
    context.signals.storeChanged(); // requests still waiting for a job learn that it will not come now
    // A request that never ends must not keep the service from its end.
    const late = setTimeout(() => http.closeConnections(), Math.min(limit, CONNECTIONS_LIMIT));
    await releases.releaseAll().finally(() => clearTimeout(late));
    http.log.info('stopped');
  };
}

/** What a webhook tells: the answer of GET /v2/queue/:jobId; undefined if the job is no longer kept. */
async function describeCallbackJob(db: Db, jobId: number): Promise<object | undefined> {
  const job = await findCallbackJob(db, jobId);
  return job && jobBody(await withSkin(db, job), []);
}

/** The built-in plans, changed by a file where there is one. @throws PlansFileError */
async function plansOf(options: ServerOptions): Promise<Plans> {
  const { dataDir, plansFile, anonymousPerHour } = options;
  const path = plansFile ?? join(dataDir, 'plans.json');
  const setting = {
    anonymousPerHour,
    ownerSpots: options.embedded ? EMBEDDED_SPOTS : undefined,
    lendsIdle: MADE_ELSEWHERE[kindOf(options)],
  };
  const isBuiltIn = plansFile === undefined && !existsSync(path);
  return isBuiltIn ? new Plans([], setting) : await readPlans(path, setting);
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

/** Tells readers of the log what the signatures are worth, where a key of the service's own makes them. */
function signerField({ generator = 'signing' }: ServerOptions): { readonly signer?: string } {
  if (generator !== 'signing') return {};
  return { signer: "the service's own key; vanilla clients accept only skins signed by the game" };
}
