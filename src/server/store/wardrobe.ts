import { sql } from 'kysely';
import { countRows, type Db, hasEffect } from './db.ts';
import { PreparedQuery } from './prepared-query.ts';
import type { TextureDataRow, WardrobeHistoryRow, WardrobeRow } from './schema/tables.ts';

/** A name by which a wardrobe is asked: in lower case, or the UUID of a player in offline mode. */
type WornKey = { readonly name: string } | { readonly playerId: string };

/** What others see of a name that wears something. */
export type WornRow = WardrobeRow & Pick<TextureDataRow, 'texture_hash' | 'variant' | 'value' | 'signature'>;

/** The name, whatever it wears. */
export async function findName(db: Db, name: string): Promise<WardrobeRow | undefined> {
  return await db.selectFrom('wardrobe').selectAll().where('name', '=', name).executeTakeFirst();
}

/** The name whose UUID in offline mode this is, whatever it wears. */
export async function findNameOfPlayer(db: Db, playerId: string): Promise<WardrobeRow | undefined> {
  return await db.selectFrom('wardrobe').selectAll().where('player_id', '=', playerId).executeTakeFirst();
}

/**
 * What everyone may see the name wear; undefined: nothing, or something that operators have hidden or blocked. One
 * statement, because clients ask for every player they see.
 */
export async function findWorn(db: Db, key: WornKey): Promise<WornRow | undefined> {
  const row = 'name' in key ? await BY_NAME.first(db, key) : await BY_PLAYER.first(db, key);
  return row as WornRow | undefined;
}

const BY_NAME = new PreparedQuery((db, { name }: { readonly name: string }) =>
  shown(db).where('wardrobe.name', '=', name),
);
const BY_PLAYER = new PreparedQuery((db, { playerId }: { readonly playerId: string }) =>
  shown(db).where('wardrobe.player_id', '=', playerId),
);

function shown(db: Db) {
  return db
    .selectFrom('wardrobe')
    .selectAll('wardrobe')
    .where('wardrobe.texture_hash', 'is not', null)
    .where(
      sql<boolean>`not exists (select 1 from blocked_images where hash in (wardrobe.texture_hash, wardrobe.cape_hash))`,
    )
    .where(
      sql<boolean>`not exists (select 1 from skins where uuid = wardrobe.skin_uuid and hidden_from is not null)`,
    );
}

/** Writes the name, whatever it was before. */
export async function putName(db: Db, row: WardrobeRow): Promise<void> {
  const { name: _, ...rest } = row;
  await db
    .insertInto('wardrobe')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(rest))
    .execute();
}

/** Deletes a name and its history. False if it does not exist. */
export async function deleteName(db: Db, name: string): Promise<boolean> {
  return await hasEffect(db.deleteFrom('wardrobe').where('name', '=', name));
}

export async function deleteNamesOf(db: Db, owner: string): Promise<void> {
  await db.deleteFrom('wardrobe').where('owner', '=', owner).execute();
}

export async function countNamesOf(db: Db, owner: string): Promise<number> {
  return await countRows(db.selectFrom('wardrobe').where('owner', '=', owner));
}

export interface NameQuery {
  /** Undefined: of all. */
  readonly owner?: string | undefined;
  /** The last name of the previous page, in lower case. */
  readonly after?: string | undefined;
  /** Only names that wear one of these. */
  readonly skins?: readonly string[] | undefined;
  readonly size: number;
}

/** In alphabetical order. */
export async function listNames(db: Db, { owner, after, skins, size }: NameQuery): Promise<WardrobeRow[]> {
  let page = db.selectFrom('wardrobe').selectAll().orderBy('name').limit(size);
  if (owner !== undefined) page = page.where('owner', '=', owner);
  if (after !== undefined) page = page.where('name', '>', after);
  if (skins !== undefined) page = page.where('skin_uuid', 'in', skins);
  return await page.execute();
}

/** Takes a skin off the names that wear it: those of an owner, or all. They stay with their users. */
export async function undressSkin(
  db: Db,
  skin: string,
  { owner, now }: { readonly owner?: string; readonly now: number },
): Promise<void> {
  const names = db
    .updateTable('wardrobe')
    .set({ ...NOTHING_WORN, changed_at: now })
    .where('skin_uuid', '=', skin);
  await (owner === undefined ? names : names.where('owner', '=', owner)).execute();
}

/** What a name has that shows nothing. */
export const NOTHING_WORN = {
  skin_uuid: null,
  texture_hash: null,
  variant: null,
  cape_hash: null,
  value: null,
  signature: null,
} as const;

/** Notes a change, and forgets all but the last `kept` of the name. */
export async function addToHistory(
  db: Db,
  entry: Omit<WardrobeHistoryRow, 'id'>,
  kept: number,
): Promise<void> {
  await db.insertInto('wardrobe_history').values(entry).execute();
  await db
    .deleteFrom('wardrobe_history')
    .where('name', '=', entry.name)
    .where(
      'id',
      '<=',
      sql<number>`coalesce((select id from wardrobe_history where name = ${entry.name}
        order by id desc limit 1 offset ${sql.lit(kept)}), 0)`,
    )
    .execute();
}

/** Newest first. */
export async function readHistory(db: Db, name: string): Promise<WardrobeHistoryRow[]> {
  return await db
    .selectFrom('wardrobe_history')
    .selectAll()
    .where('name', '=', name)
    .orderBy('id', 'desc')
    .execute();
}
