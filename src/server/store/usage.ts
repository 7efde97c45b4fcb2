import type { Db } from './store.ts';
import type { UsageRow } from './tables.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** What a caller has spent in the current windows; `minute` and `hour` number them since the epoch. */
export async function readUsage(db: Db, owner: string, now: number): Promise<UsageRow> {
  const minute = Math.floor(now / MINUTE);
  const hour = Math.floor(now / HOUR);
  const row = await db.selectFrom('usage').selectAll().where('owner', '=', owner).executeTakeFirst();
  return {
    owner,
    minute,
    minute_used: row?.minute === minute ? row.minute_used : 0,
    hour,
    hour_used: row?.hour === hour ? row.hour_used : 0,
  };
}

/** Counts one generation against the caller's windows. */
export async function spendOne(db: Db, usage: UsageRow): Promise<void> {
  const spent = { ...usage, minute_used: usage.minute_used + 1, hour_used: usage.hour_used + 1 };
  await db
    .insertInto('usage')
    .values(spent)
    .onConflict((conflict) => conflict.column('owner').doUpdateSet(spent))
    .execute();
}
