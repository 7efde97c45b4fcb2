import { type Expression, sql } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { DATABASE_NOW, readDatabaseClock } from '../store/database-time.ts';
import type { Db } from '../store/db.ts';

/** When a lease ends: at a time, or that many milliseconds from now by the database's clock. */
export type LeaseEnd = { readonly until: number } | { readonly lease: number };

/** The clock by which leases end: all that use the same jobs must have the same one. */
export interface LeaseClock {
  /** When a lease ends that is taken or renewed now. */
  end(): LeaseEnd;
  now(): Promise<number>;
}

/** For processes on one machine. `lease` in milliseconds. */
export function processLeases(clock: Clock, lease: number): LeaseClock {
  return { end: () => ({ until: clock.now() + lease }), now: async () => clock.now() };
}

/** For processes on several machines, whose clocks differ. `lease` in milliseconds. */
export function databaseLeases(db: Db, lease: number): LeaseClock {
  return { end: () => ({ lease }), now: async () => await readDatabaseClock(db) };
}

/** As it goes into a statement. */
export function leaseEnd(end: LeaseEnd): Expression<number> {
  return 'until' in end ? sql<number>`${end.until}` : sql<number>`${DATABASE_NOW} + ${end.lease}`;
}
