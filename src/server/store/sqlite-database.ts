import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { QueryResult, SqliteDatabase, SqliteStatement } from 'kysely';
import { isSqliteBusy } from '../../base/sqlite-codes.ts';
import type { KnownSchema } from './known-schema.ts';
import type { OpenFiles } from './open-files.ts';
import { BUSY, type RunsTogether } from './prepared.ts';

/** Milliseconds for which a statement waits while another process writes. Nothing else happens in the process meanwhile. */
export const PATIENCE = 10_000;

/** Maximum number of cached prepared statements; the service uses about fifty. */
const MAX_STATEMENTS = 500;

/** node:sqlite with the interface that Kysely's driver expects, and a cache of prepared statements. */
export class PreparedDatabase implements SqliteDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #files: OpenFiles;
  readonly #schema: KnownSchema;

  constructor(
    database: DatabaseSync,
    { files, schema }: { readonly files: OpenFiles; readonly schema: KnownSchema },
  ) {
    this.#database = database;
    this.#files = files;
    this.#schema = schema;
  }

  /** @throws StoreReplacedError, StoreTooNewError */
  prepare(sql: string): SqliteStatement {
    this.#files.verify();
    this.#schema.verify();
    const kept = this.#statements.get(sql);
    if (kept) return kept;
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const statement = adapt(this.#database.prepare(sql));
    this.#statements.set(sql, statement);
    return statement;
  }

  /** There is one connection, so whether a transaction is open on it tells whose turn it is. */
  runAtOnce(
    sql: string,
    parameters: readonly unknown[],
    isInTransaction: boolean,
  ): QueryResult<unknown> | undefined {
    if (!this.#database.isOpen || this.#database.isTransaction !== isInTransaction) return undefined;
    const statement = this.prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) };
    const { changes } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  /** One statement needs no transaction around it. */
  runTogether(
    sql: string,
    several: readonly (readonly unknown[])[],
    { isPatient }: { isPatient: boolean },
  ): RunsTogether {
    if (!this.#database.isOpen || this.#database.isTransaction) return undefined;
    this.#files.look();
    try {
      if (!isPatient) this.#waitFor(0);
      return several.length === 1 ? this.#runEach(sql, several) : this.#runInTransaction(sql, several);
    } catch (error) {
      if (isSqliteBusy(error) && !isPatient) return BUSY;
      throw error;
    } finally {
      if (!isPatient) this.#waitFor(PATIENCE);
    }
  }

  /** The transaction takes the write lock at once, see `ImmediateDriver`. */
  #runInTransaction(sql: string, several: readonly (readonly unknown[])[]): RunsTogether {
    this.runAtOnce('begin immediate', [], false);
    try {
      const results = this.#runEach(sql, several);
      if (results) this.runAtOnce('commit', [], true);
      return results;
    } finally {
      // With a full disk, SQLite has rolled back itself.
      if (this.#database.isTransaction) this.runAtOnce('rollback', [], true);
    }
  }

  /** Undefined if one fails: why is told when it runs by itself. @throws Error while another process writes */
  #runEach(sql: string, several: readonly (readonly unknown[])[]): QueryResult<unknown>[] | undefined {
    const { isTransaction } = this.#database;
    try {
      return several.map((parameters) => this.runAtOnce(sql, parameters, isTransaction)!);
    } catch (error) {
      if (isSqliteBusy(error)) throw error;
      return undefined;
    }
  }

  /** A prepared statement would not do: SQLite sets it when the statement is compiled. */
  #waitFor(milliseconds: number): void {
    this.#database.exec(`PRAGMA busy_timeout = ${milliseconds}`);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

function adapt(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  statement.setReturnArrays(true); // building the row objects here makes them faster to create, and to read
  let names = columnsOf(statement);
  let asObject = objectMaker(names);
  return {
    reader: names.length > 0,
    all: (parameters) => {
      const rows = statement.all(...values(parameters)) as unknown as unknown[][];
      // A newer process that updated the schema in the meantime may have added a column.
      if (rows[0] && rows[0].length !== names.length) {
        names = columnsOf(statement);
        asObject = objectMaker(names);
      }
      return rows.map(asObject);
    },
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

function columnsOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name);
}

type ObjectMaker = (row: readonly unknown[]) => Record<string, unknown>;

/**
 * Makes objects of rows. It is compiled for the columns, so that the engine makes each object in one step instead of
 * adding dozens of properties one by one.
 */
function objectMaker(names: readonly string[]): ObjectMaker {
  const fields = names.map((name, at) => `${JSON.stringify(name)}: row[${at}]`);
  return new Function('row', `return { ${fields.join(', ')} };`) as ObjectMaker;
}
