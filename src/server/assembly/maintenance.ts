import type { Clock } from '../../base/clock.ts';
import type { JobSignals } from '../events/job-signals.ts';
import { pruneCallers, pruneJobs, type StoreQueue } from '../queue/store-queue.ts';
import { endJobsOfDisabled } from '../service/users/users.ts';
import { pruneRevokedKeys } from '../store/api-keys.ts';
import { resetFutureRunTimes } from '../store/callbacks.ts';
import type { Db } from '../store/db.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import { pruneReports } from '../store/moderation.ts';
import { pruneNodes } from '../store/nodes.ts';
import type { OpenStore } from '../store/open-store.ts';
import { pruneSessions } from '../store/sessions.ts';
import { StoreReplacedError } from '../store/sqlite.ts';
import { prunePlayers, pruneUnusedTextures } from '../store/textures.ts';
import { pruneViews } from '../store/usage.ts';
import type { Chores } from './node.ts';
import type { ServerOptions } from './server-options.ts';

/** Hours to keep finished jobs. */
const DEFAULT_HOURS = 7 * 24;
const HOUR = 3_600_000;

/**
 * Milliseconds for which the service keeps finished jobs. `serve` records it in the store, so that a service that a
 * command starts for a while deletes nothing that `serve` would keep.
 */
export async function retentionOf(
  db: Db,
  {
    retentionHours = DEFAULT_HOURS,
    embedded,
    isBrief,
  }: Pick<ServerOptions, 'retentionHours' | 'embedded' | 'isBrief'>,
): Promise<number> {
  const usual = Number((await readMeta(db, 'retention')) ?? DEFAULT_HOURS);
  if (embedded || isBrief) return Math.max(usual, retentionHours) * HOUR;
  if (usual !== retentionHours) await writeMeta(db, 'retention', `${retentionHours}`);
  return retentionHours * HOUR;
}

interface MaintenanceOptions {
  readonly store: OpenStore;
  readonly queue: StoreQueue;
  readonly signals: JobSignals;
  readonly clock: Clock;
  /** Milliseconds to keep finished jobs. */
  readonly retention: number;
  /** Ensures that only one of several machines does this. */
  readonly chores: Chores;
  readonly onError: (error: unknown) => void;
}

export interface Maintenance {
  /** Frees the jobs of workers that are gone. */
  recoverNow(): Promise<void>;
  stop(): void;
}

/** Milliseconds between checks for other nodes' writes, the store's files, lost workers, and old jobs. */
const WATCH = 25;
const LOOK_FOR_FILES = 500;
const RECOVER = 5_000;
const PRUNE = 10 * 60_000;
/** Milliseconds to keep closed reports. The decision stays in the log. */
const REPORTS_KEPT = 90 * 24 * 3_600_000;
/** Milliseconds to remember nodes that ended without signing off. */
const REMEMBERED = 24 * 3_600_000;

/** Starts the regular work beside requests and workers. */
export function startMaintenance(options: MaintenanceOptions): Maintenance {
  const { chores, onError } = options;
  const every = (milliseconds: number, work: () => Promise<void>) =>
    setInterval(() => void work().catch(onError), milliseconds).unref();
  const recoverNow = async () => await recover(options);
  const { lookForFiles, lookForWrites } = looksAtStore(options);
  const timers = [
    every(LOOK_FOR_FILES, lookForFiles),
    every(WATCH, lookForWrites),
    every(RECOVER, () => chores.run('recover', RECOVER, recoverNow)),
    every(PRUNE, () => chores.run('prune', PRUNE, () => prune(options))),
  ];
  return { recoverNow, stop: () => timers.forEach(clearInterval) };
}

async function recover({ store, queue, signals, clock }: MaintenanceOptions): Promise<void> {
  await resetFutureRunTimes(store.db, clock.now());
  if ((await queue.recover()) > 0) signals.storeChanged(); // jobs wait again or have failed
  await endJobsOfDisabled({ db: store.db, queue, signals });
}

/** Checks whether others write to the store or replace its files. */
function looksAtStore({ store, signals }: Pick<MaintenanceOptions, 'store' | 'signals'>) {
  let wasReplaced = false;
  const lookForFiles = async () => {
    const isReplaced = store.isReplaced();
    if (isReplaced === wasReplaced) return;
    wasReplaced = isReplaced;
    signals.storeChanged(); // callers who wait for a job learn of it
    if (isReplaced) throw new StoreReplacedError();
  };
  const lookForWrites = async () => {
    if (!wasReplaced && store.changedByOthers()) signals.storeChanged();
  };
  return { lookForFiles, lookForWrites };
}

/**
 * Deletes rows that are no longer needed. A job's rows go with it, or when it ends (store/upstream-jobs.ts).
 */
export async function prune({
  store,
  clock,
  retention,
}: Pick<MaintenanceOptions, 'store' | 'clock' | 'retention'>): Promise<void> {
  const before = clock.now() - retention;
  await pruneJobs(store.db, { before, clock });
  await pruneCallers(store.db, clock.now());
  await pruneRevokedKeys(store.db, before);
  await pruneUnusedTextures(store.db, before);
  await pruneViews(store.db, clock.now());
  await prunePlayers(store.db, clock.now());
  await pruneSessions(store.db, clock.now());
  await pruneReports(store.db, clock.now() - REPORTS_KEPT);
  if (store.db.store.isShared) await pruneNodes(store.db, REMEMBERED);
}
