import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../src/server/store/db.ts';

/** Adds this many more jobs like this one, after it: submitting thousands would take long. */
export async function copyJob(db: Db, uuid: string, copies: number): Promise<void> {
  const found = await db.selectFrom('jobs').selectAll().where('uuid', '=', uuid).executeTakeFirstOrThrow();
  const { id: _id, ...job } = found;
  const numbered = (value: string) => sql`${value} || ' ' || n`;
  const values: Record<string, RawBuilder<unknown>> = {
    ...Object.fromEntries(Object.entries(job).map(([column, value]) => [column, sql`${value}`])),
    uuid: numbered(job.uuid),
    request_key: numbered(job.request_key),
  };
  const columns = sql.join(Object.keys(values).map((column) => sql.ref(column)));
  await sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${copies})
    insert into jobs (${columns}) select ${sql.join(Object.values(values))} from numbers`.execute(db);
}
