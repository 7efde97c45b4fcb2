import { sql } from 'kysely';
import { isLockTimeout } from '../store/conflicts.ts';
import type { Db } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { WAITING } from '../store/schema/job-conditions.ts';
import { claimNext } from './claim.ts';
import { CLAIM_IN_TURN, CLAIM_UNLOCKED } from './claim-postgres.ts';
import type { LeaseEnd } from './lease-time.ts';
import { OneAtATime } from './one-at-a-time.ts';
import type { ClaimBounds, Lease } from './port.ts';

/** When claims are made, and until when their leases last. */
export interface ClaimTimes {
  now(): number;
  end(): LeaseEnd;
  /** Milliseconds that a claim waits for the owner whose turn it is. */
  readonly patience: number;
}

/** How the workers of one process get their jobs. */
export interface Claims {
  claim(owner: string, bounds: ClaimBounds): Promise<Lease | undefined>;
}

export function claimsOf(db: Db, times: ClaimTimes): Claims {
  return db.store.isShared ? new ClaimsTogether(db, times) : { claim: claimAlone(db, times) };
}

/** SQLite has one writer at a time: a claim is a statement. */
function claimAlone(db: Db, times: ClaimTimes): Claims['claim'] {
  return async (owner, bounds) => {
    // A claim that finds nothing takes the lock all the same, and waits for whatever other processes write.
    if (!(await isAnyDue(db, times.now()))) return undefined;
    return await claimNext(db, owner, { now: times.now(), until: times.end(), bounds });
  };
}

const DUE = prepare((db, { now }: { now: number }) =>
  db.selectFrom('jobs').select('id').where(WAITING).where('run_at', '<=', now).limit(sql.lit(1)),
);

/** Whether a job waits that may run now, if there is room for it. */
async function isAnyDue(db: Db, now: number): Promise<boolean> {
  return (await DUE.first(db, { now })) !== undefined;
}

/** Workers that get jobs with one statement. */
const MOST_TOGETHER = 32;

interface Waiting {
  readonly owner: string;
  readonly resolve: (lease: Lease | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * On PostgreSQL one statement at a time takes jobs for all workers of a process that want one by then: each would pass
 * over the jobs of an owner whose row another one has locked, and many at once get in each other's way.
 */
class ClaimsTogether implements Claims {
  readonly #db: Db;
  readonly #times: ClaimTimes;
  readonly #turns = new OneAtATime();
  #waiting: Waiting[] = [];

  constructor(db: Db, times: ClaimTimes) {
    this.#db = db;
    this.#times = times;
  }

  async claim(owner: string, bounds: ClaimBounds): Promise<Lease | undefined> {
    // Limits over all owners are looked at for each job, under a lock of the queue.
    if (Object.keys(bounds).length > 0) return await this.#turns.run(() => this.#claimOne(owner, bounds));
    const { promise, resolve, reject } = Promise.withResolvers<Lease | undefined>();
    this.#waiting.push({ owner, resolve, reject });
    if (this.#waiting.length === 1) void this.#turns.run(() => this.#claimForWaiting());
    return await promise;
  }

  async #claimOne(owner: string, bounds: ClaimBounds): Promise<Lease | undefined> {
    return await claimNext(this.#db, owner, { now: this.#times.now(), until: this.#times.end(), bounds });
  }

  async #claimForWaiting(): Promise<void> {
    const together = this.#waiting.splice(0, MOST_TOGETHER);
    if (this.#waiting.length > 0) void this.#turns.run(() => this.#claimForWaiting());
    try {
      await this.#share(together);
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }

  /** As long as there are jobs: one statement may leave out some that could be taken. */
  async #share(workers: readonly Waiting[]): Promise<void> {
    for (let left = workers; left.length > 0; ) {
      const leases = await this.#claimSeveral(left.map(({ owner }) => owner));
      const served = leases.length === 0 ? left.length : leases.length;
      for (const [index, { resolve }] of left.slice(0, served).entries()) resolve(leases[index]);
      left = left.slice(served);
    }
  }

  /** For the first of these workers, in their order; none if there is nothing to do. */
  async #claimSeveral(workers: readonly string[]): Promise<Lease[]> {
    const { patience } = this.#times;
    const values = { workers, most: workers.length, now: this.#times.now(), patience, ...this.#times.end() };
    const rows = await CLAIM_IN_TURN.all(this.#db, values).catch(async (error) => {
      if (!isLockTimeout(error)) throw error;
      return await CLAIM_UNLOCKED.all(this.#db, values);
    });
    const leases: Lease[] = [];
    for (const { known, place, more, ...job } of rows) {
      leases[place - 1] = { owner: workers[place - 1] ?? '', job, hasData: known !== null, isLast: !more };
    }
    return leases;
  }
}
