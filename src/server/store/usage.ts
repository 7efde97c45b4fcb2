import { type Db, hasEffect, inTransaction } from './db.ts';
import type { Usage } from './process-memory.ts';
import type { ApiKeyRow, SkinViewRow } from './schema/tables.ts';

/*
 * Uses of keys and views of skins are noted, and written together every few seconds and when the store is closed: a
 * killed process loses only the last of them.
 */

/** Milliseconds until noted usage is written. */
const DELAY = 2_000;
/** Number of entries that are written at once. */
const MANY = 1_000;

export function noteKeyUse(db: Db, key: Pick<ApiKeyRow, 'id' | 'last_used_at'>, now: number): void {
  if (db.store.usage.useKey(key, now)) writeSoon(db);
}

/**
 * Counts a generation accepted for the key. It is written with the next write, at the latest with the key's next use,
 * once a minute, so that a batch needs no extra statements.
 */
export function noteGeneration(db: Db, keyId: string): void {
  db.store.usage.countGeneration(keyId);
  if (db.store.usage.size >= MANY) writeSoon(db);
}

/** Notes a view; a second one by the same viewer in the same hour does not count. */
export function noteView(db: Db, view: SkinViewRow): void {
  db.store.usage.view(view);
  writeSoon(db);
}

/** Hours since the epoch. */
export function hourOf(now: number): number {
  return Math.floor(now / 3_600_000);
}

/** Days whose views make a skin popular. */
export const POPULAR_DAYS = 7;

/** Days since the epoch. */
export function dayOf(hour: number): number {
  return Math.floor(hour / 24);
}

/** Deletes the views of earlier hours and days, which no longer matter. */
export async function pruneViews(db: Db, now: number): Promise<void> {
  const hour = hourOf(now);
  await db.deleteFrom('skin_views').where('hour', '<', hour).execute();
  await db
    .deleteFrom('skin_days')
    .where('day', '<=', dayOf(hour) - POPULAR_DAYS)
    .execute();
}

function writeSoon(db: Db): void {
  const { usage } = db.store;
  // Important writes report an unwritable store.
  const write = () => void flushUsage(db).catch(() => {});
  if (usage.size >= MANY) write();
  else usage.timer ??= setTimeout(write, DELAY).unref();
}

/** Writes the noted usage, and waits for earlier writes. */
export async function flushUsage(db: Db): Promise<void> {
  const { usage } = db.store;
  const earlier = usage.underWay;
  clearTimeout(usage.timer);
  usage.timer = undefined;
  const write = usage.size === 0 ? undefined : writeUsage(db, usage.take());
  usage.underWay = Promise.allSettled([earlier, write]);
  if (!db.isTransaction) await earlier; // inside a transaction, the earlier write may wait for its end
  await write;
}

async function writeUsage(db: Db, { used, generations, views }: Usage): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const [id, at] of used) {
      await tx.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
    }
    for (const [id, count] of generations) {
      await tx
        .updateTable('api_keys')
        .set((eb) => ({ generations: eb('generations', '+', count) }))
        .where('id', '=', id)
        .execute();
    }
    for (const view of views) await countView(tx, view);
  });
}

/** Counts a view, unless the viewer was counted in that hour or the skin is gone. */
async function countView(tx: Db, { skin_id, viewer, hour }: SkinViewRow): Promise<void> {
  const isNew = await hasEffect(
    tx
      .insertInto('skin_views')
      .columns(['skin_id', 'viewer', 'hour'])
      .expression(
        tx
          .selectFrom('skins')
          .select((eb) => ['skins.id', eb.val(viewer).as('viewer'), eb.val(hour).as('hour')])
          .where('skins.id', '=', skin_id),
      )
      .onConflict((conflict) => conflict.columns(['skin_id', 'viewer', 'hour']).doNothing()),
  );
  if (!isNew) return;
  await tx
    .updateTable('skins')
    .set((eb) => ({ views: eb('views', '+', 1) }))
    .where('id', '=', skin_id)
    .execute();
  await tx
    .insertInto('skin_days')
    .values({ skin_id, day: dayOf(hour), views: 1 })
    .onConflict((conflict) =>
      conflict.columns(['skin_id', 'day']).doUpdateSet((eb) => ({ views: eb('skin_days.views', '+', 1) })),
    )
    .execute();
}
