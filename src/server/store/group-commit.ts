import { type Db, inTransaction } from './db.ts';

/** Maximum number of works in one transaction: other processes wait for its end. */
export const MOST_AT_ONCE = 32;

/** Takes effect as a whole, also without a transaction around it; may run twice. */
type Work<T> = (db: Db) => Promise<T>;

interface Waiting {
  /** Runs the work. The returned function hands over its result. */
  readonly attempt: Work<() => void>;
  readonly reject: (error: unknown) => void;
}

/** Runs works that come at the same moment in one transaction: a commit costs as much as several statements. */
export class GroupCommit {
  readonly #db: Db;
  #waiting: Waiting[] = [];

  constructor(db: Db) {
    this.#db = db;
  }

  /** If another work of the same transaction fails, this one runs again by itself. */
  async run<T>(work: Work<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const attempt = async (db: Db) => {
      const result = await work(db);
      return () => resolve(result);
    };
    this.#waiting.push({ attempt, reject });
    if (this.#waiting.length === 1) setImmediate(() => void this.#runWaiting());
    return await promise;
  }

  async #runWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < waiting.length; first += MOST_AT_ONCE) {
      await this.#runGroup(waiting.slice(first, first + MOST_AT_ONCE));
    }
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    const isDone = group.length > 1 && (await this.#runTogether(group));
    if (isDone) return;
    for (const one of group) await this.#runAlone(one);
  }

  /** False if one of the works has failed: then none has taken effect. */
  async #runTogether(group: readonly Waiting[]): Promise<boolean> {
    let isWorkAtFault = false;
    try {
      const handOver = await inTransaction(this.#db, async (tx) => {
        isWorkAtFault = true;
        const results = [];
        for (const { attempt } of group) results.push(await attempt(tx));
        isWorkAtFault = false;
        return results;
      });
      for (const one of handOver) one();
    } catch (error) {
      if (isWorkAtFault) return false;
      for (const { reject } of group) reject(error); // the store itself failed, as it would for each of them
    }
    return true;
  }

  async #runAlone({ attempt, reject }: Waiting): Promise<void> {
    try {
      (await attempt(this.#db))();
    } catch (error) {
      reject(error);
    }
  }
}
