import { type SelectQueryBuilder, sql } from 'kysely';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { Db } from './store.ts';
import type { SkinRow, Tables, TextureDataRow } from './tables.ts';

/** A caller's skin record together with the signed data it stands for. */
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

const RECORD = [
  'skins.id',
  'skins.uuid',
  'skins.owner',
  'skins.identity',
  'skins.name',
  'skins.visibility',
  'skins.views',
  'skins.created_at as skin_created_at',
] as const;
const DATA = [
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
] as const;

function skinsWithData(db: Db): SelectQueryBuilder<Tables, 'skins' | 'texture_data', SkinWithData> {
  return db
    .selectFrom('skins')
    .innerJoin('texture_data', 'texture_data.identity', 'skins.identity')
    .select(RECORD)
    .select(DATA);
}

/**
 * The caller's record of this data with this visibility and name, made when there is none. No name
 * asked for is content with any. Run it in a transaction: two at once must not both insert.
 */
export async function ensureSkin(db: Db, skin: NewSkin): Promise<SkinWithData> {
  const found = await findOwnSkin(db, skin);
  if (found) return found;
  await db
    .insertInto('skins')
    .values({ ...skin, views: 0 })
    .execute();
  return await skinsWithData(db).where('skins.uuid', '=', skin.uuid).executeTakeFirstOrThrow();
}

/** The caller's own record of this data, if there is one that suits. */
export async function findOwnSkin(
  db: Db,
  skin: Omit<NewSkin, 'uuid' | 'created_at'>,
): Promise<SkinWithData | undefined> {
  let query = skinsWithData(db)
    .where('skins.owner', '=', skin.owner)
    .where('skins.identity', '=', skin.identity)
    .where('skins.visibility', '=', skin.visibility);
  if (skin.name !== null) query = query.where('skins.name', '=', skin.name);
  return await query.orderBy('skins.id').limit(1).executeTakeFirst();
}

export async function findSkin(db: Db, uuid: string): Promise<SkinWithData | undefined> {
  return await skinsWithData(db).where('skins.uuid', '=', uuid).executeTakeFirst();
}

/** Those of these skins that there are. */
export async function findSkins(db: Db, uuids: readonly string[]): Promise<SkinWithData[]> {
  return await skinsWithData(db).where('skins.uuid', 'in', uuids).execute();
}

export interface SkinPage {
  /** UUID of the last skin of the page before. */
  readonly after?: string | undefined;
  readonly size: number;
  /** Part of a name. */
  readonly filter?: string | undefined;
}

/** Public skins, newest first. The page after a UUID is stable under inserts: it goes by the record's number. */
export async function listPublicSkins(db: Db, page: SkinPage): Promise<SkinWithData[]> {
  return await pageOf(skinsWithData(db).where(sql<boolean>`skins.visibility = 'public'`), page);
}

/** A caller's own skins of every visibility, newest first. */
export async function listOwnSkins(db: Db, owner: string, page: SkinPage): Promise<SkinWithData[]> {
  return await pageOf(skinsWithData(db).where('skins.owner', '=', owner), page);
}

async function pageOf(
  skins: SelectQueryBuilder<Tables, 'skins' | 'texture_data', SkinWithData>,
  page: SkinPage,
): Promise<SkinWithData[]> {
  let query = skins.orderBy('skins.id', 'desc').limit(page.size);
  if (page.after !== undefined) {
    const after = page.after;
    query = query.where('skins.id', '<', (eb) =>
      eb.selectFrom('skins as last').select('last.id').where('last.uuid', '=', after),
    );
  }
  if (page.filter) {
    const pattern = `%${page.filter.replaceAll(/[\\%_]/g, '\\$&')}%`;
    query = query.where(sql<boolean>`skins.name like ${pattern} escape '\\'`);
  }
  return await query.execute();
}
