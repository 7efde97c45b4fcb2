import { type RawBuilder, sql } from 'kysely';
import type { Db, StoreKind } from '../store/db.ts';
import { PENDING, PROCESSING } from '../store/schema/job-conditions.ts';
import { type Key, keyOf, type ReadTable, type Row } from './rows.ts';
import { NUMBERED } from './tables.ts';

/** Puts rows in, in place of those with the same keys. */
export async function putRows(db: Db, table: ReadTable, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = sql.join(table.columns.map((name) => sql.ref(name)));
  const values = sql.join(
    rows.map((row) => sql`(${sql.join(table.columns.map((name) => sql.val(row[name] ?? null)))})`),
  );
  const changed = table.columns.filter((name) => !table.key.includes(name));
  const change = sql.join(changed.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`));
  await sql`insert into ${sql.table(table.name)} (${columns}) ${NUMBERING[db.store.kind].inserting} values ${values}
    on conflict (${sql.join(table.key.map((name) => sql.ref(name)))})
    do ${changed.length === 0 ? sql`nothing` : sql`update set ${change}`}`.execute(db);
}

/** Removes rows by their keys, as far as they are there. */
export async function dropRows(db: Db, table: ReadTable, keys: readonly Key[]): Promise<void> {
  for (const key of keys) {
    const parts = table.key.map((name, n) => sql`${sql.ref(name)} = ${key[n]}`);
    await sql`delete from ${sql.table(table.name)} where ${sql.join(parts, sql` and `)}`.execute(db);
  }
}

/** Keys of rows that are in the second list and not in the first. */
export function surplus(table: ReadTable, wanted: readonly Row[], there: readonly Row[]): Key[] {
  const keys = new Set(wanted.map((row) => JSON.stringify(keyOf(table, row))));
  return there.map((row) => keyOf(table, row)).filter((key) => !keys.has(JSON.stringify(key)));
}

/** How a database numbers rows. */
interface Numbering {
  /** Part of an insertion of rows with their numbers. */
  readonly inserting: RawBuilder<unknown>;
  /** The highest number that a row of the table has had; null: none has had any. */
  last(table: string): RawBuilder<{ last: number | null }>;
  /** Statements that have the next row numbered after `last`. */
  setLast(table: string, last: number): readonly RawBuilder<unknown>[];
}

const NUMBERING = {
  sqlite: {
    inserting: sql``,
    last: (table) => sql`select max(seq) as last from sqlite_sequence where name = ${table}`,
    setLast: (table, last) => [
      sql`delete from sqlite_sequence where name = ${table}`,
      sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`,
    ],
  },
  postgres: {
    inserting: sql`overriding system value`,
    last: (table) => sql`select pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')) as last`,
    setLast: (table, last) => [sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last}::bigint)`],
  },
} as const satisfies Record<StoreKind, Numbering>;

/** The highest number that a row of each numbered table has had. */
export async function readNumbers(db: Db): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (const name of NUMBERED) {
    const { rows } = await NUMBERING[db.store.kind].last(name).execute(db);
    numbers.set(name, Number(rows[0]?.last ?? 0));
  }
  return numbers;
}

/** Sees to it that the next rows get numbers after these. */
export async function setNumbers(db: Db, numbers: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, last] of numbers) {
    if (last === 0) continue;
    for (const statement of NUMBERING[db.store.kind].setLast(name, last)) await statement.execute(db);
  }
}

/** What PostgreSQL keeps by triggers, and SQLite counts when it is asked: how many jobs of each owner are in progress. */
export async function countProcessing(db: Db): Promise<void> {
  if (db.store.kind === 'sqlite') return;
  await sql`insert into callers (owner, turn, spent_at, generated_at, minute, hour)
    select distinct owner, 0, 0, 0, '[]', '[]' from jobs where ${PENDING} on conflict do nothing`.execute(db);
  await sql`update callers set processing = pending.processing, burst = greatest(pending.most, pending.processing)
    from (select owner, count(*) filter (where ${PROCESSING}) as processing, max(greatest(concurrency, burst)) as most
      from jobs where ${PENDING} group by owner) as pending
    where callers.owner = pending.owner`.execute(db);
}
