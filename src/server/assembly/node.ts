import { type Clock, systemClock } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import type { JobSignals } from '../events.ts';
import {
  type Holders,
  holdersByHeartbeat,
  holdersHere,
  type NodeName,
  nameThisNode,
  nodeName,
} from '../queue/leases.ts';
import { pruneCallers, pruneJobs, type StoreQueue } from '../queue/store-queue.ts';
import { endJobsOfDisabled } from '../service/users/users.ts';
import { pruneRevokedKeys } from '../store/api-keys.ts';
import { resetFutureRunTimes } from '../store/callbacks.ts';
import type { Db, OpenStore } from '../store/db.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import { pruneReports } from '../store/moderation.ts';
import {
  type DatabaseClock,
  endChore,
  listNodes,
  NODE_TIMEOUT,
  openDatabaseClock,
  pruneNodes,
  renewChore,
  sendHeartbeat,
  signOff,
  takeChore,
} from '../store/nodes.ts';
import { pruneSessions } from '../store/sessions.ts';
import { StoreReplacedError } from '../store/sqlite.ts';
import { prunePlayers, pruneUnusedTextures } from '../store/textures.ts';
import { pruneViews } from '../store/usage.ts';
import type { ServerOptions } from './server-options.ts';

/** Releases resources at the end: the last one first, each once, and all of them even if one fails. */
export class Releases {
  #stack: (() => void | Promise<void>)[] = [];

  add(release: () => void | Promise<void>): void {
    this.#stack.push(release);
  }

  /** Tries all. @throws AggregateError if several failed */
  async releaseAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let release = this.#stack.pop(); release; release = this.#stack.pop()) {
      try {
        await release();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'Several resources could not be released.');
  }
}

/** Regular work that one process does for all that use the same store. */
export type Chore = 'recover' | 'prune' | 'restore-accounts';

export interface Chores {
  /** Does the work, unless another node is doing it or has done it in the last `every` milliseconds. */
  run(chore: Chore, every: number, work: () => Promise<void>): Promise<void>;
}

/** On one machine, processes do their own chores: doing one twice does no harm. */
export const choresHere: Chores = { run: async (_chore, _every, work) => await work() };

/** Milliseconds after which a node that does a chore counts as gone. */
const LEASE = 30_000;
const RENEWALS_PER_LEASE = 3;
/** The fraction of the interval by which a run may come early: timers are inexact, and no run should be skipped. */
const EARLY = 0.1;

interface NodeOptions {
  readonly releases: Releases;
  readonly onError: (error: unknown) => void;
}

/** On several machines, the first node takes the chore's row in the store. */
export function choresInStore(
  db: Db,
  { owner, onError }: Pick<NodeOptions, 'onError'> & { readonly owner: string },
): Chores {
  const holder = { owner, lease: LEASE };
  return {
    run: async (chore, every, work) => {
      if (!(await takeChore(db, chore, { ...holder, every: Math.round(every * (1 - EARLY)) }))) return;
      const beat = setInterval(
        () => void renewChore(db, chore, holder).catch(onError),
        LEASE / RENEWALS_PER_LEASE,
      );
      try {
        await work();
      } finally {
        clearInterval(beat);
        await endChore(db, chore, owner).catch(onError); // otherwise its lease expires
      }
    },
  };
}

/** Milliseconds between heartbeats. */
const BEAT = 2_000;

/** This node among those that use the same store. */
export interface Node {
  /** The node's name as the holder of leases. */
  readonly self: NodeName;
  /** The clock by which all nodes compare times. */
  readonly clock: Clock;
  readonly holders: Holders;
  /** The clock that decides when leases end. */
  readonly leasesBy: 'process' | 'database';
  readonly chores: Chores;
  /** Milliseconds that this machine's clock is ahead of the common one. */
  readonly skew: () => number;
  /** Whether no other machine is known to use the store. */
  readonly isAlone: () => Promise<boolean>;
}

/**
 * With PostgreSQL, other nodes may be on other machines: the database provides the clock and records which nodes are alive.
 */
export async function openNode(
  { clock }: Pick<ServerOptions, 'clock'>,
  db: Db,
  surroundings: NodeOptions,
): Promise<Node> {
  const self = nameThisNode();
  if (!db.store.isShared) {
    const here = {
      leasesBy: 'process',
      chores: choresHere,
      skew: () => 0,
      isAlone: async () => true,
    } as const;
    return { self, clock: clock ?? systemClock, holders: holdersHere(self), ...here };
  }
  const id = nodeName(self);
  const told = await startBeating(db, id, surroundings);
  const leasesBy = clock ? 'process' : 'database'; // a clock passed in is common to all nodes
  const chores = choresInStore(db, { owner: id, ...surroundings });
  const isAlone = async () => (await listNodes(db, NODE_TIMEOUT)).every((node) => node.id === id);
  const skew = () => told.skew;
  return { self, clock: clock ?? told, holders: holdersByHeartbeat, leasesBy, chores, skew, isAlone };
}

/** Returns the database's clock, which each heartbeat reads. */
async function startBeating(db: Db, id: string, { releases, onError }: NodeOptions): Promise<DatabaseClock> {
  const state = async () => await sendHeartbeat(db, { id, version: VERSION });
  const clock = await openDatabaseClock(state, systemClock);
  let beating: Promise<void> | undefined;
  const timer = setInterval(() => {
    beating ??= clock
      .measure(state)
      .catch(onError)
      .finally(() => {
        beating = undefined;
      });
  }, BEAT);
  timer.unref();
  releases.add(async () => {
    clearInterval(timer);
    await beating;
    await signOff(db, id).catch(onError); // otherwise the others wait until they miss its heartbeat
  });
  return clock;
}

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
  await pruneJobs(store.db, before, { clock });
  await pruneCallers(store.db, clock.now());
  await pruneRevokedKeys(store.db, before);
  await pruneUnusedTextures(store.db, before);
  await pruneViews(store.db, clock.now());
  await prunePlayers(store.db, clock.now());
  await pruneSessions(store.db, clock.now());
  await pruneReports(store.db, clock.now() - REPORTS_KEPT);
  if (store.db.store.isShared) await pruneNodes(store.db, REMEMBERED);
}
