import { type Db, inTransaction } from './db.ts';

/** Maximum number of works in one transaction: other processes wait for its end. */
const MOST_AT_ONCE = 32;

/** Takes effect as a whole or not at all; may run twice. */
type Work<T> = (tx: Db) => Promise<T>;

interface Waiting {
  /** Runs the work. The returned function hands over its result. */
  readonly attempt: Work<() => void>;
  /** Whether it writes by one statement, which is a transaction by itself. */
  readonly isOne: boolean;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs works that come in the same turn of the event loop in one transaction, for stores with one writer at a time: a
 * commit takes longer than most statements. If one of them fails, each runs in a transaction of its own.
 */
export class GroupCommit {
  #waiting: Waiting[] = [];

  async run<T>(db: Db, work: Work<T>, isOne = false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const attempt = async (tx: Db) => {
      const result = await work(tx);
      return () => resolve(result);
    };
    this.#waiting.push({ attempt, isOne, reject });
    if (this.#waiting.length === 1) setImmediate(() => void this.#runWaiting(db));
    return await promise;
  }

  async #runWaiting(db: Db): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < waiting.length; first += MOST_AT_ONCE)
      await runTogether(db, waiting.slice(first, first + MOST_AT_ONCE));
  }
}

async function runTogether(db: Db, group: readonly Waiting[]): Promise<void> {
  const runAll = async (tx: Db) => {
    const ends: (() => void)[] = [];
    for (const { attempt } of group) ends.push(await attempt(tx));
    return ends;
  };
  try {
    const isAlone = group.length === 1 && group[0]!.isOne;
    for (const end of await (isAlone ? runAll(db) : inTransaction(db, runAll))) end();
  } catch (error) {
    if (group.length === 1) group[0]!.reject(error);
    else for (const one of group) await runTogether(db, [one]);
  }
}
