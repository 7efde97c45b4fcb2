import { sql } from 'kysely';
import type { Db } from '../store/db.ts';
import { isPostgres } from '../store/dialect.ts';
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
  const numbers = isPostgres(db) ? sql`overriding system value` : sql``;
  await sql`insert into ${sql.table(table.name)} (${columns}) ${numbers} values ${values}
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

/** The highest number that a row of each numbered table has had. */
export async function readNumbers(db: Db): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (const name of NUMBERED) {
    const used = isPostgres(db)
      ? sql<{
          last: number | null;
        }>`select pg_sequence_last_value(pg_get_serial_sequence(${name}, 'id')) as last`
      : sql<{ last: number | null }>`select max(seq) as last from sqlite_sequence where name = ${name}`;
    numbers.set(name, Number((await used.execute(db)).rows[0]?.last ?? 0));
  }
  return numbers;
}

/** Sees to it that the next rows get numbers after these. */
export async function setNumbers(db: Db, numbers: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, last] of numbers) {
    if (last === 0) continue;
    if (isPostgres(db)) {
      await sql`select setval(pg_get_serial_sequence(${name}, 'id'), ${last}::bigint)`.execute(db);
    } else {
      await sql`delete from sqlite_sequence where name = ${name}`.execute(db);
      await sql`insert into sqlite_sequence (name, seq) values (${name}, ${last})`.execute(db);
    }
  }
}

/** What PostgreSQL keeps by triggers, and SQLite counts when it is asked: how many jobs of each owner are in progress. */
export async function countProcessing(db: Db): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`insert into callers (owner, turn, spent_at, generated_at, minute, hour)
    select distinct owner, 0, 0, 0, '[]', '[]' from jobs where ${PENDING} on conflict do nothing`.execute(db);
  await sql`update callers set processing = pending.processing, burst = greatest(pending.most, pending.processing)
    from (select owner, count(*) filter (where ${PROCESSING}) as processing, max(greatest(concurrency, burst)) as most
      from jobs where ${PENDING} group by owner) as pending
    where callers.owner = pending.owner`.execute(db);
}
