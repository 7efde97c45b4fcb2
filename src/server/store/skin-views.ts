import { partsOf } from './adapter-parts.ts';
import type { Db } from './db.ts';
import type { SkinViewRow } from './schema/skin-tables.ts';

/** Hours since the epoch. */
export function hourOf(now: number): number {
  return Math.floor(now / 3_600_000);
}

/** Notes a view; a second one by the same viewer in the same hour does not count. Written later, with other usage. */
export function noteView(db: Db, view: SkinViewRow): void {
  partsOf(db).usage.view(db, view);
}

/** Removes the views of the hours before this one: they no longer matter. */
export async function forgetOldViews(db: Db, now: number): Promise<void> {
  await db.deleteFrom('skin_views').where('hour', '<', hourOf(now)).execute();
}
