import type { Db } from './db.ts';
import { MOST_AT_ONCE } from './group-commit.ts';
import type { PreparedQuery } from './prepared.ts';

interface Waiting<Values, Row> {
  readonly values: Values;
  readonly resolve: (row: Row | undefined | Promise<Row | undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A statement that needs no transaction around it. Where the store lets one write at a time, those of the same moment
 * are committed together: a commit takes longer than the statement, and keeps other processes out.
 */
export class GroupedStatement<Values extends object, Row> {
  readonly #db: Db;
  readonly #query: PreparedQuery<Values, Row>;
  #waiting: Waiting<Values, Row>[] = [];

  constructor(db: Db, query: PreparedQuery<Values, Row>) {
    this.#db = db;
    this.#query = query;
  }

  /** The first row of its result. An error of one concerns no other of the same moment. */
  async first(values: Values): Promise<Row | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Row | undefined>();
    this.#waiting.push({ values, resolve, reject });
    if (this.#waiting.length === 1) setImmediate(() => this.#runWaiting());
    return await promise;
  }

  #runWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < waiting.length; first += MOST_AT_ONCE) {
      this.#runGroup(waiting.slice(first, first + MOST_AT_ONCE));
    }
  }

  #runGroup(group: readonly Waiting<Values, Row>[]): void {
    try {
      const values = group.map((one) => one.values);
      const rows = group.length > 1 ? this.#query.firstTogether(this.#db, values) : undefined;
      for (const [n, one] of group.entries()) {
        one.resolve(rows ? rows[n] : this.#query.first(this.#db, one.values));
      }
    } catch (error) {
      for (const { reject } of group) reject(error); // the store itself failed, as it would for each of them
    }
  }
}
