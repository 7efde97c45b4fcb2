import type { Compilable, CompiledQuery, QueryResult, RawBuilder } from 'kysely';
import type { Db } from './db.ts';

/** A dialect's adapter that caches compiled queries, by query and names of its values: one for each store. */
export interface KeepsCompiled {
  readonly compiled: Map<object, Map<string, CompiledQuery>>;
}

/** A dialect's adapter that can run a statement at once, if nothing else is under way on its connection. */
export interface RunsAtOnce {
  /**
   * @param isInTransaction whether the statement belongs to the transaction that is open
   * @returns undefined if the statement has to wait for its turn
   */
  runAtOnce(
    sql: string,
    parameters: readonly unknown[],
    isInTransaction: boolean,
  ): QueryResult<unknown> | undefined;
  /**
   * Runs a statement for each of these lists of parameters, in one transaction.
   * @param isPatient whether to wait while another process writes; otherwise the result is `BUSY` then
   * @returns undefined if it has to wait for its turn, or fails for one of them: then none has taken effect
   * @throws Error if the transaction itself fails
   */
  runTogether(
    sql: string,
    parameters: readonly (readonly unknown[])[],
    options: { readonly isPatient: boolean },
  ): RunsTogether;
}

/** Another process is writing. */
export const BUSY = 'busy';
export type RunsTogether = readonly QueryResult<unknown>[] | typeof BUSY | undefined;

/** Takes the place of a value in a query that is compiled before the value is known. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A query that a store builds and compiles once and then runs with different values. */
export class PreparedQuery<Values extends object, Row> {
  readonly #build: (db: Db, values: Values) => Compilable<Row>;

  constructor(build: (db: Db, values: Values) => Compilable<Row>) {
    this.#build = build;
  }

  async run(db: Db, values: Values): Promise<QueryResult<Row>> {
    const query = this.compile(db, values);
    // Kysely gets to the connection by a dozen promises, which take longer than most statements.
    const { runAtOnce } = db.getExecutor().adapter as Partial<RunsAtOnce>;
    const result = runAtOnce?.(query.sql, query.parameters, db.isTransaction) as QueryResult<Row> | undefined;
    return result ?? (await db.executeQuery(query));
  }

  /** The statement with these values, for instance for a pipeline. */
  compile(db: Db, values: Values): CompiledQuery<Row> {
    const compiled = this.#compiledFor(db, values);
    return { ...compiled, parameters: parametersOf(compiled, values) };
  }

  async all(db: Db, values: Values): Promise<Row[]> {
    return (await this.run(db, values)).rows;
  }

  async first(db: Db, values: Values): Promise<Row | undefined> {
    return (await this.run(db, values)).rows[0];
  }

  /** @throws Error if there is no row, although there should always be one */
  async only(db: Db, values: Values): Promise<Row> {
    const row = await this.first(db, values);
    if (row === undefined) throw new Error('The query has no result.');
    return row;
  }

  /**
   * The first row for each of these values, which all have the same names, in one transaction.
   * @param isPatient whether to wait while another process writes; otherwise the result is `BUSY` then
   * @returns undefined if the store cannot do that at once, or one of them fails: then none has taken effect
   * @throws Error if the store itself fails
   */
  firstTogether(
    db: Db,
    several: readonly Values[],
    options: { readonly isPatient: boolean },
  ): (Row | undefined)[] | typeof BUSY | undefined {
    const [first] = several;
    const { runTogether } = db.getExecutor().adapter as Partial<RunsAtOnce>;
    if (!first || !runTogether) return undefined;
    const compiled = this.#compiledFor(db, first);
    const parameters = several.map((values) => parametersOf(compiled, values));
    const results = runTogether(compiled.sql, parameters, options);
    return results === BUSY ? BUSY : results?.map(({ rows }) => rows[0] as Row | undefined);
  }

  /** Returns the number of changed rows. */
  async change(db: Db, values: Values): Promise<number> {
    return Number((await this.run(db, values)).numAffectedRows ?? 0n);
  }

  #compiledFor(db: Db, values: Values): CompiledQuery<Row> {
    const { compiled } = db.getExecutor().adapter as Partial<KeepsCompiled>;
    const names = Object.keys(values);
    const key = names.join();
    const kept = compiled?.get(this)?.get(key);
    if (kept) return kept;
    const placeholders = names.map((name) => [name, new Placeholder(name)]);
    const made = this.#build(db, Object.fromEntries(placeholders)).compile();
    const others = compiled?.get(this);
    if (others) others.set(key, made);
    else compiled?.set(this, new Map([[key, made]]));
    return made;
  }
}

function parametersOf<Values extends object>(compiled: CompiledQuery, values: Values): unknown[] {
  return compiled.parameters.map((parameter) =>
    parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
  );
}

/**
 * For queries that run on every request: building and compiling a query takes several times as long as running it.
 * `build` puts each value where a parameter can stand. It may depend on which values are present, but not on their
 * contents.
 */
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
