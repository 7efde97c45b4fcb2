import { type Clock, systemClock } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import {
  type Holders,
  holdersByHeartbeat,
  holdersHere,
  nameThisProcess,
  nodeName,
  type ProcessName,
} from '../queue/leases.ts';
import { type DatabaseClock, openDatabaseClock } from '../store/database-clock.ts';
import type { Db } from '../store/db.ts';
import { beat, leave, listNodes, NODE_IS_GONE } from '../store/nodes.ts';
import { type Chores, choresHere, choresInStore } from './chores.ts';
import type { Releases } from './releases.ts';
import type { ServerOptions } from './server-options.ts';

/** Milliseconds between two signs of life. */
const BEAT = 2_000;

/** This process, among those that use the same store. */
export interface Node {
  /** As the holder of leases. */
  readonly self: ProcessName;
  /** What all of them compare times by. */
  readonly clock: Clock;
  /** Who knows which of them are gone. */
  readonly holders: Holders;
  /** Whose clock tells when leases end. */
  readonly leasesBy: 'process' | 'database';
  readonly chores: Chores;
  /** Milliseconds that this machine's clock is ahead of the one that all of them compare times by. */
  readonly skew: () => number;
  /** Whether no other machine uses the store, as far as is known. */
  readonly isAlone: () => Promise<boolean>;
}

interface Surroundings {
  readonly releases: Releases;
  readonly onError: (error: unknown) => void;
}

/** With PostgreSQL the others may be on other machines: the database has the clock, and is told who lives. */
export async function openNode(
  { clock }: Pick<ServerOptions, 'clock'>,
  db: Db,
  surroundings: Surroundings,
): Promise<Node> {
  const self = nameThisProcess();
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
  const leasesBy = clock ? 'process' : 'database'; // a clock that is passed in is that of all nodes
  const chores = choresInStore(db, { owner: id, ...surroundings });
  const isAlone = async () => (await listNodes(db, NODE_IS_GONE)).every((node) => node.id === id);
  const skew = () => told.skew;
  return { self, clock: clock ?? told, holders: holdersByHeartbeat, leasesBy, chores, skew, isAlone };
}

/** Returns the database's clock, which each sign of life brings along. */
async function startBeating(db: Db, id: string, { releases, onError }: Surroundings): Promise<DatabaseClock> {
  const live = async () => await beat(db, { id, version: VERSION });
  const clock = await openDatabaseClock(live, systemClock);
  let beating: Promise<void> | undefined;
  const timer = setInterval(() => {
    beating ??= clock
      .measure(live)
      .catch(onError)
      .finally(() => {
        beating = undefined;
      });
  }, BEAT);
  timer.unref();
  releases.add(async () => {
    clearInterval(timer);
    await beating;
    await leave(db, id).catch(onError); // without it the others wait until its heartbeat is missed
  });
  return clock;
}
