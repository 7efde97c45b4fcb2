import type { Db } from './db.ts';
import { MOST_AT_ONCE } from './group-commit.ts';
import { BUSY, type PreparedQuery } from './prepared.ts';

/** Turns of the event loop in which to try again while another process writes, before everything waits for it. */
const MOST_TRIES = 20;

interface Waiting<Values, Row> {
  readonly values: Values;
  readonly resolve: (row: Row | undefined | Promise<Row | undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A statement that needs no transaction around it. Where the store lets one write at a time, those of the same moment
 * are committed together: a commit takes longer than the statement, and keeps other processes out. While another
 * process writes, they are put off to the next turn of the event loop, because SQLite would hold up this process for
 * milliseconds.
 */
export class GroupedStatement<Values extends object, Row> {
  readonly #db: Db;
  readonly #query: PreparedQuery<Values, Row>;
  #waiting: Waiting<Values, Row>[] = [];
  #isScheduled = false;
  #tries = 0;

  constructor(db: Db, query: PreparedQuery<Values, Row>) {
    this.#db = db;
    this.#query = query;
  }

  /** The first row of its result. An error of one concerns no other of the same moment. */
  async first(values: Values): Promise<Row | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Row | undefined>();
    this.#waiting.push({ values, resolve, reject });
    this.#schedule();
    return await promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runWaiting());
  }

  #runWaiting(): void {
    this.#isScheduled = false;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.slice(0, MOST_AT_ONCE);
      if (this.#runGroup(group)) this.#waiting.splice(0, group.length);
      else break;
    }
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** False if it is to be tried again. */
  #runGroup(group: readonly Waiting<Values, Row>[]): boolean {
    const isPatient = this.#tries >= MOST_TRIES;
    try {
      const values = group.map((one) => one.values);
      const rows = this.#query.firstTogether(this.#db, values, { isPatient });
      this.#tries = rows === BUSY ? this.#tries + 1 : 0;
      if (rows === BUSY) return false;
      for (const [n, one] of group.entries()) {
        one.resolve(rows ? rows[n] : this.#query.first(this.#db, one.values));
      }
    } catch (error) {
      for (const { reject } of group) reject(error); // the store itself failed, as it would for each of them
    }
    return true;
  }
}
