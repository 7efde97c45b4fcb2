import type { Clock } from '../../base/clock.ts';
import { sleepOrEvent } from '../../base/sleeping.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { type Completion, completeWithSkin } from './complete.ts';
import { completeTogether } from './complete-postgres.ts';

/** How the workers of one process record what they have made. */
export interface Completions {
  /** False if the lease is lost, or an operator has blocked the image. */
  complete(completion: Completion): Promise<boolean>;
}

interface Terms {
  readonly clock: Clock;
  /** Milliseconds that completions wait for others of the process. */
  readonly patience: number;
}

export function completionsOf(db: Db, terms: Terms): Completions {
  if (db.store.isShared) return new CompletionsTogether(db, terms);
  return { complete: async (completion) => await completeWithSkin(db, completion) };
}

/** Completions in one transaction. */
const MOST_TOGETHER = 32;

interface Waiting {
  readonly completion: Completion;
  readonly resolve: (isDone: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * On PostgreSQL, completions that arrive while a transaction is under way are recorded by the next one; none is delayed
 * to fill a group. One that waits for a locked owner lets others pass after a while.
 */
class CompletionsTogether implements Completions {
  readonly #db: Db;
  readonly #terms: Terms;
  #waiting: Waiting[] = [];
  #isUnderWay = false;

  constructor(db: Db, terms: Terms) {
    this.#db = db;
    this.#terms = terms;
  }

  async complete(completion: Completion): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    this.#waiting.push({ completion, resolve, reject });
    if (!this.#isUnderWay) setImmediate(() => void this.#recordWaiting());
    this.#isUnderWay = true;
    return await promise;
  }

  async #recordWaiting(): Promise<void> {
    while (this.#waiting.length > 0) await this.#untilLate(this.#record(this.#takeGroup()));
    this.#isUnderWay = false;
  }

  /** Those that have waited the longest. The second of an owner for the same data finds the record of the first. */
  #takeGroup(): Waiting[] {
    const group = new Map<string, Waiting>();
    for (const one of this.#waiting) {
      const { owner, identity } = one.completion.lease.job;
      const key = JSON.stringify([owner, identity]);
      if (group.size < MOST_TOGETHER && !group.has(key)) group.set(key, one);
    }
    const taken = new Set(group.values());
    this.#waiting = this.#waiting.filter((one) => !taken.has(one));
    return [...taken];
  }

  async #untilLate(work: Promise<void>): Promise<void> {
    const { clock, patience } = this.#terms;
    await sleepOrEvent(clock, patience, (wake) => {
      void work.then(wake);
      return () => {};
    });
  }

  /** If one of them fails, each is tried by itself. Never rejects: the caller that waits for a completion gets its error. */
  async #record(group: readonly Waiting[]): Promise<void> {
    const [first, ...others] = group;
    try {
      const left = await this.#recordTogether(group);
      await Promise.all(byOwner(left).map(async (some) => await this.#record(some)));
    } catch (error) {
      if (others.length === 0) first?.reject(error);
      else await Promise.all(group.map(async (one) => await this.#record([one])));
    }
  }

  /** Returns those whose owners are locked. */
  async #recordTogether(group: readonly Waiting[]): Promise<Waiting[]> {
    const completions = group.map(({ completion }) => completion);
    const { isDone, left } = await inTransaction(
      this.#db,
      async (tx) => await completeTogether(tx, completions),
      group.length === 1 ? undefined : 1,
    );
    for (const { completion, resolve } of group) {
      const done = isDone.get(completion);
      if (done !== undefined) resolve(done);
    }
    return group.filter(({ completion }) => left.includes(completion));
  }
}

function byOwner(waiting: readonly Waiting[]): Waiting[][] {
  return [...Map.groupBy(waiting, ({ completion }) => completion.lease.job.owner).values()];
}
