import { sql } from 'kysely';
import type { Db } from './db.ts';
import { isIn, wide } from './skin-lists.ts';
import { findSkinsByNumber, type SkinWithData } from './skins.ts';

/** The lowest and highest number of the public skins; undefined: there are none. */
export async function publicRange(db: Db): Promise<{ first: number; last: number } | undefined> {
  const ids = db.selectFrom('skins').select('skins.id').where(isIn('public')).limit(1);
  const first = await ids.orderBy('skins.id').executeTakeFirst();
  const last = await ids.orderBy('skins.id', 'desc').executeTakeFirst();
  return first && last && { first: first.id, last: last.id };
}

/** For each of these numbers, the first public skin with it or a higher one: with a single statement. */
export async function publicSkinsFrom(db: Db, starts: readonly number[]): Promise<number[]> {
  const next = db
    .selectFrom('skins')
    .select('skins.id')
    .where(isIn('public'))
    .where('skins.id', '>=', sql<number>`starts.at`)
    .orderBy('skins.id')
    .limit(1);
  const values = sql.join(starts.map((at) => sql`(${wide(at)})`));
  const { rows } = await sql<{ id: number | null }>`with starts (at) as (values ${values})
    select (${next}) as id from starts`.execute(db);
  return rows.flatMap(({ id }) => id ?? []);
}

/** Up to two skins whose UUIDs start with this, from those that are public or belong to this owner. */
export async function skinsBeginningWith(
  db: Db,
  start: string,
  owner: string | undefined,
): Promise<string[]> {
  const rows = await db
    .selectFrom('skins')
    .select('uuid')
    .where('uuid', '>=', start)
    .where('uuid', '<=', `${start}g`)
    .where((eb) =>
      eb.or([eb('visibility', '=', 'public'), ...(owner === undefined ? [] : [eb('owner', '=', owner)])]),
    )
    .limit(2)
    .execute();
  return rows.map(({ uuid }) => uuid);
}

/** A page of public skins, newest first. */
export async function publicSkinsAt(
  db: Db,
  { offset, size }: { offset: number; size: number },
): Promise<SkinWithData[]> {
  const rows = await db
    .selectFrom('skins')
    .select('skins.id')
    .where(isIn('public'))
    .orderBy('skins.id', 'desc')
    .offset(offset)
    .limit(size)
    .execute();
  return await findSkinsByNumber(
    db,
    rows.map(({ id }) => id),
  );
}
