import type { Compilable, QueryResult, RawBuilder } from 'kysely';
import type { Db } from './db.ts';

export class PreparedQuery<Values extends object, Row> {
  readonly #build: (db: Db, values: Values) => Compilable<Row>;

  constructor(build: (db: Db, values: Values) => Compilable<Row>) {
    this.#build = build;
  }

  async run(db: Db, values: Values): Promise<QueryResult<Row>> {
    return await db.executeQuery(this.#build(db, values).compile());
  }

  async all(db: Db, values: Values): Promise<Row[]> {
    return (await this.run(db, values)).rows;
  }

  async first(db: Db, values: Values): Promise<Row | undefined> {
    return (await this.run(db, values)).rows[0];
  }

  async only(db: Db, values: Values): Promise<Row> {
    const row = await this.first(db, values);
    if (row === undefined) throw new Error('The query has no result.');
    return row;
  }

  async change(db: Db, values: Values): Promise<number> {
    return Number((await this.run(db, values)).numAffectedRows ?? 0n);
  }
}

export function prepare<Values extends object, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
): PreparedQuery<Values, Row> {
  return new PreparedQuery(build);
}

/** The same for a statement that is written in SQL, because only one database has what it needs. */
export function prepareSql<Values extends object, Row>(
  build: (values: Values) => RawBuilder<Row>,
): PreparedQuery<Values, Row> {
  return prepare((db, values) => ({ compile: () => build(values).compile(db) }));
}
