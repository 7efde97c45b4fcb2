import { type SelectQueryBuilder, sql } from 'kysely';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { Db } from './db.ts';
import { lockOwner } from './locks.ts';
import type { SkinRow, Tables, TextureDataRow } from './schema/tables.ts';
import { addWords, replaceWords } from './skin-words.ts';

/** A caller's skin record together with its signed data. */
export type SkinWithData = Omit<SkinRow, 'created_at'> &
  Omit<TextureDataRow, 'created_at'> & { readonly skin_created_at: number; readonly data_created_at: number };

export interface NewSkin {
  readonly uuid: string;
  readonly owner: string;
  readonly identity: string;
  readonly name: string | null;
  readonly visibility: SkinVisibility;
  readonly created_at: number;
}

/** Columns of a record, as they are named beside those of its data. */
export const RECORD = [
  'skins.id',
  'skins.uuid',
  'skins.owner',
  'skins.identity',
  'skins.name',
  'skins.visibility',
  'skins.views',
  'skins.created_at as skin_created_at',
  'skins.hidden_from',
] as const;
/** Columns of signed data, as they are named beside those of a record. */
export const DATA = [
  'texture_data.texture_hash',
  'texture_data.variant',
  'texture_data.value',
  'texture_data.signature',
  'texture_data.url',
  'texture_data.generator_version',
  'texture_data.account',
  'texture_data.server',
  'texture_data.worker',
  'texture_data.created_at as data_created_at',
  'texture_data.duration',
  'texture_data.cape_hash',
  'texture_data.cape_url',
] as const;

function skinsWithData(db: Db): SelectQueryBuilder<Tables, 'skins' | 'texture_data', SkinWithData> {
  return db
    .selectFrom('skins')
    .innerJoin('texture_data', 'texture_data.identity', 'skins.identity')
    .select(RECORD)
    .select(DATA);
}

/**
 * The caller's record of this data with this visibility and name, created if necessary. Without a requested name, any
 * name matches. Run it in a transaction: two at once must not both insert.
 */
export async function ensureSkin(db: Db, skin: NewSkin): Promise<SkinWithData> {
  await lockOwner(db, skin.owner);
  const found = await findOwnSkin(db, skin);
  if (found) return found;
  await addSkin(db, skin);
  return await skinsWithData(db).where('skins.uuid', '=', skin.uuid).executeTakeFirstOrThrow();
}

/** Adds a new record of existing data. */
export async function addSkin(db: Db, skin: NewSkin): Promise<void> {
  const { uuid, owner, identity, name, visibility, created_at } = skin;
  const { id } = await db
    .insertInto('skins')
    .values({ uuid, owner, identity, name, visibility, created_at, views: 0 })
    .returning('id')
    .executeTakeFirstOrThrow();
  await addWords(db, id, name);
}

/** The caller's own record of this data, if there is one that matches. */
export async function findOwnSkin(
  db: Db,
  skin: Omit<NewSkin, 'uuid' | 'created_at'>,
): Promise<SkinWithData | undefined> {
  const { owner, identity, visibility, name } = skin;
  let own = skinsWithData(db)
    .where('skins.owner', '=', owner)
    .where('skins.identity', '=', identity)
    .where('skins.visibility', '=', sql.lit(visibility)) // literals: see first-schema.ts
    .orderBy('skins.id')
    .limit(sql.lit(1));
  if (name !== null) own = own.where('skins.name', '=', name);
  return await own.executeTakeFirst();
}

export async function findSkin(db: Db, uuid: string): Promise<SkinWithData | undefined> {
  return await skinsWithData(db).where('skins.uuid', '=', uuid).executeTakeFirst();
}

export async function findSkinByNumber(db: Db, id: number): Promise<SkinWithData | undefined> {
  return await skinsWithData(db).where('skins.id', '=', id).executeTakeFirst();
}

/** Those of the given skins that exist, in the order of the numbers. */
export async function findSkinsByNumber(db: Db, ids: readonly number[]): Promise<SkinWithData[]> {
  if (ids.length === 0) return [];
  const skins = await skinsWithData(db).where('skins.id', 'in', ids).execute();
  const byId = new Map(skins.map((skin) => [skin.id, skin]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export async function changeSkin(
  db: Db,
  id: number,
  change: Partial<Pick<SkinRow, 'name' | 'visibility' | 'hidden_from'>>,
): Promise<void> {
  await db.updateTable('skins').set(change).where('id', '=', id).execute();
  if (change.name !== undefined) await replaceWords(db, id, change.name);
}

/** Also removes its words and views. */
export async function deleteSkin(db: Db, id: number): Promise<void> {
  await db.deleteFrom('skins').where('id', '=', id).execute();
}

/** Whether a skin that is not private uses this data: anybody's, or one of this owner. */
export async function hasOpenSkin(db: Db, identity: string, owner?: string): Promise<boolean> {
  let open = db
    .selectFrom('skins')
    .select('id')
    .where('identity', '=', identity)
    .where('visibility', 'in', ['public', 'unlisted']);
  if (owner !== undefined) open = open.where('owner', '=', owner);
  return (await open.limit(1).executeTakeFirst()) !== undefined;
}

/** Some of the skins that are not private and have this texture. */
export async function openSkinsWithTexture(
  db: Db,
  hash: string,
  size: number,
): Promise<Pick<SkinRow, 'uuid'>[]> {
  return await db
    .selectFrom('texture_data')
    .innerJoin('skins', 'skins.identity', 'texture_data.identity')
    .select('skins.uuid')
    .where('texture_data.texture_hash', '=', hash)
    .where('skins.visibility', 'in', ['public', 'unlisted'])
    .limit(size)
    .execute();
}

/** One of the skins with this data. */
export async function someSkinOf(
  db: Db,
  identity: string,
  owner?: string,
): Promise<Pick<SkinRow, 'uuid'> | undefined> {
  let query = db.selectFrom('skins').select('uuid').where('identity', '=', identity);
  if (owner !== undefined) query = query.where('owner', '=', owner);
  return await query.limit(1).executeTakeFirst();
}

/** The oldest public skin with any of this data, of an owner whose name begins like this. */
export async function oldestPublicOf(
  db: Db,
  identities: readonly string[],
  ownersBegin: string,
): Promise<SkinWithData | undefined> {
  return await skinsWithData(db)
    .where('skins.identity', 'in', identities)
    .where('skins.visibility', '=', 'public')
    .where('skins.owner', 'like', `${ownersBegin}%`)
    .orderBy('skins.id')
    .limit(1)
    .executeTakeFirst();
}

export async function ownersOf(db: Db, identity: string): Promise<string[]> {
  const rows = await db
    .selectFrom('skins')
    .select('owner')
    .distinct()
    .where('identity', '=', identity)
    .execute();
  return rows.map(({ owner }) => owner);
}

export async function moveSkins(
  db: Db,
  { from, to, owner }: { from: string; to: string; owner?: string },
): Promise<void> {
  let query = db.updateTable('skins').set({ identity: to }).where('identity', '=', from);
  if (owner !== undefined) query = query.where('owner', '=', owner);
  await query.execute();
}
