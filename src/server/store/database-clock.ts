import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import type { Db } from './db.ts';

/** Milliseconds since the epoch by PostgreSQL's clock when the statement runs, not when its transaction began. */
export const DATABASE_NOW: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export async function readDatabaseClock(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${DATABASE_NOW} as now`.execute(db);
  return rows[0]?.now ?? 0;
}

/** Difference between a machine's clock and the database's, in milliseconds, from which it is reported. */
export const MAX_SKEW = 2_000;

/** Measurements at the start, of which the fastest is the most exact. */
const FIRST_MEASUREMENTS = 3;

/**
 * The database's time on another machine, exact to half a round trip, for comparison with times that other nodes
 * wrote. This machine's own clock may be wrong by hours or change without any effect. Where milliseconds matter, above
 * all for the ends of leases, statements use the database's clock itself (`DATABASE_NOW`).
 */
export class DatabaseClock implements Clock {
  readonly #local: Clock;
  /** Milliseconds from the monotonic clock of this process to the time of the database. */
  #ahead = 0;
  /** Milliseconds that the round trip took by which `#ahead` was measured. */
  #trip = Number.POSITIVE_INFINITY;

  constructor(local: Clock) {
    this.#local = local;
  }

  now(): number {
    return Math.round(this.#local.monotonic() + this.#ahead);
  }

  monotonic(): number {
    return this.#local.monotonic();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await this.#local.sleep(ms, signal);
  }

  /** Milliseconds that this machine's clock is ahead of the database's. */
  get skew(): number {
    return this.#local.now() - this.now();
  }

  /**
   * Measures again; `read` returns the database's time. A slower measurement counts only if it shows that the earlier
   * one is no longer right.
   */
  async measure(read: () => Promise<number>): Promise<void> {
    const start = this.#local.monotonic();
    const there = await read();
    const trip = this.#local.monotonic() - start;
    const ahead = there - (start + trip / 2);
    const isWrong = Math.abs(ahead - this.#ahead) > trip / 2 + 1;
    if (trip > this.#trip && !isWrong) return;
    this.#ahead = ahead;
    this.#trip = trip;
  }
}

export async function openDatabaseClock(read: () => Promise<number>, local: Clock): Promise<DatabaseClock> {
  const clock = new DatabaseClock(local);
  for (let n = 0; n < FIRST_MEASUREMENTS; n++) await clock.measure(read);
  return clock;
}
