import type { Db } from './db.ts';
import type { SkinViewRow } from './schema/tables.ts';

/** Hours since the epoch. */
export function hourOf(now: number): number {
  return Math.floor(now / 3_600_000);
}

/** Counts a view; a second one by the same viewer in the same hour does not count. Run it in a transaction. */
export async function countView(tx: Db, view: SkinViewRow): Promise<void> {
  const added = await tx
    .insertInto('skin_views')
    .values(view)
    .onConflict((conflict) => conflict.columns(['skin_id', 'viewer', 'hour']).doNothing())
    .executeTakeFirst();
  if (added.numInsertedOrUpdatedRows !== 1n) return;
  await tx
    .updateTable('skins')
    .set((eb) => ({ views: eb('views', '+', 1) }))
    .where('id', '=', view.skin_id)
    .execute();
}

/** Removes the views of the hours before this one: they no longer matter. */
export async function forgetOldViews(db: Db, now: number): Promise<void> {
  await db.deleteFrom('skin_views').where('hour', '<', hourOf(now)).execute();
}
