import { type ExpressionBuilder, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { SkinVisibility } from '../../protocol/skin.ts';
import { countForList, type Db, exists, hasEffect, insertNew } from './db.ts';
import { lockOwner } from './locks.ts';
import { PreparedQuery } from './prepared-query.ts';
import type { SkinRow, Tables, TextureDataRow } from './schema/tables.ts';

/**
 * The words of a name that a search uses: its runs of letters and digits, in lower case. Only ASCII, so that every
 * database sorts them the same way.
 */
export function wordsIn(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? [])];
}

/**
 * What is stored for a name: its words and all their suffixes. Any part of a word is then a prefix of a stored entry,
 * and one range of an ordinary index finds it, however short, in every database. A name has as many entries as letters;
 * trigrams would be as many, and would not match one or two letters.
 */
export function suffixesOf(name: string): string[] {
  return [...new Set(wordsIn(name).flatMap((word) => Array.from(word, (_, at) => word.slice(at))))];
}

/** The range of entries with this prefix. */
export function prefixRange(word: string): { readonly first: string; readonly last: string } {
  return { first: word, last: word.padEnd(LONGEST, 'z') };
}

/** Longer than any word of a name. */
const LONGEST = 64;

/** Adds words for a skin that has none yet. */
export async function addWords(db: Db, skin_id: number, name: string | null): Promise<void> {
  const words = suffixesOf(name ?? '').map((word) => ({ word, skin_id }));
  if (words.length > 0) await db.insertInto('skin_words').values(words).execute();
}

export async function replaceWords(db: Db, skin_id: number, name: string | null): Promise<void> {
  await db.deleteFrom('skin_words').where('skin_id', '=', skin_id).execute();
  await addWords(db, skin_id, name);
}

/** A caller's skin record together with its signed data. */
export type SkinWithData = Omit<SkinRow, 'created_at'> &
  Omit<TextureDataRow, 'created_at'> & {
    readonly skin_created_at: number;
    readonly data_created_at: number;
    /** Tags with commas between them, in any order; null: none. */
    readonly tags: string | null;
  };

export type NewSkin = Pick<SkinRow, 'uuid' | 'owner' | 'identity' | 'name' | 'visibility' | 'created_at'>;

/** Columns of a record, with names that differ from those of its data. */
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
  'skins.likes',
] as const;
/** Columns of signed data, with names that differ from those of a record. */
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
    .select(tagsOfSkin)
    .select(DATA);
}

/**
 * The caller's record of this data with this visibility and name, created if necessary. Without a requested name, any
 * name matches. Run it in a transaction, so that two at once do not both insert.
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
  const record = { uuid, owner, identity, name, visibility, created_at, views: 0 };
  const inserted = await ADD_SKIN.first(db, record);
  await addWords(db, inserted!.id, name);
}

const ADD_SKIN = new PreparedQuery((db, record: Omit<SkinRow, 'id' | 'hidden_from' | 'likes'>) =>
  db.insertInto('skins').values(record).returning('id'),
);

/** The caller's own record of this data, if there is one that matches. */
export async function findOwnSkin(
  db: Db,
  skin: Omit<NewSkin, 'uuid' | 'created_at'>,
): Promise<SkinWithData | undefined> {
  const { owner, identity, visibility, name } = skin;
  return await OWN_SKIN.first(db, { owner, identity, name }, visibility);
}

const OWN_SKIN = new PreparedQuery(
  (db, { owner, identity, name }: Pick<NewSkin, 'owner' | 'identity' | 'name'>, visibility) => {
    const own = skinsWithData(db)
      .where('skins.owner', '=', owner)
      .where('skins.identity', '=', identity)
      .where('skins.visibility', '=', sql.lit(visibility as SkinVisibility)) // literals: see first-schema.ts
      .orderBy('skins.id')
      .limit(sql.lit(1));
    return name === null ? own : own.where('skins.name', '=', name);
  },
);

export async function findSkin(db: Db, uuid: string): Promise<SkinWithData | undefined> {
  return await skinsWithData(db).where('skins.uuid', '=', uuid).executeTakeFirst();
}

export async function findSkinByNumber(db: Db, id: number): Promise<SkinWithData | undefined> {
  return await skinsWithData(db).where('skins.id', '=', id).executeTakeFirst();
}

/** The existing ones of these skins, in the order of the numbers. */
export async function findSkinsByNumber(db: Db, ids: readonly number[]): Promise<SkinWithData[]> {
  if (ids.length === 0) return [];
  const skins = await skinsWithData(db).where('skins.id', 'in', ids).execute();
  const byId = new Map(skins.map((skin) => [skin.id, skin]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export async function changeSkin(
  db: Db,
  id: number,
  change: Partial<Pick<SkinRow, 'name' | 'visibility' | 'hidden_from'>> & {
    readonly tags?: readonly string[];
  },
): Promise<void> {
  const { tags, ...columns } = change;
  if (Object.keys(columns).length > 0)
    await db.updateTable('skins').set(columns).where('id', '=', id).execute();
  if (change.name !== undefined) await replaceWords(db, id, change.name);
  if (tags !== undefined) await replaceTags(db, id, tags);
}

/** Also removes its words and views. */
export async function deleteSkinRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('skins').where('id', '=', id).execute();
}

const OPEN = ['public', 'unlisted'] as const;

/** Whether a skin that is not private uses this data: of any owner, or of this one. */
export async function hasOpenSkin(db: Db, identity: string, owner?: string): Promise<boolean> {
  let open = openSkins(db).select('id').where('identity', '=', identity);
  if (owner !== undefined) open = open.where('owner', '=', owner);
  return await exists(open.limit(1));
}

/** The data with this texture that skins use which are not private. */
export async function openIdentitiesOf(db: Db, hash: string): Promise<string[]> {
  const rows = await db
    .selectFrom('texture_data')
    .select('identity')
    .where('texture_hash', '=', hash)
    .where(
      sql<boolean>`exists (select 1 from skins
        where skins.identity = texture_data.identity and visibility in ('public', 'unlisted'))`,
    )
    .execute();
  return rows.map(({ identity }) => identity);
}

/** Some of the skins with this data that are not private. */
export async function openSkinsOf(db: Db, identity: string, size: number): Promise<Pick<SkinRow, 'uuid'>[]> {
  return await openSkins(db).select('uuid').where('identity', '=', identity).limit(size).execute();
}

function openSkins(db: Db) {
  return db.selectFrom('skins').where('visibility', 'in', OPEN);
}

/** A skin of an owner, with what a change of it needs. */
export type OwnSkin = Pick<SkinRow, 'id' | 'visibility' | 'identity'>;

/** The oldest skins of an owner after one of them. */
export async function skinsOfOwner(
  db: Db,
  owner: string,
  { after, size }: { readonly after: number; readonly size: number },
): Promise<OwnSkin[]> {
  return await db
    .selectFrom('skins')
    .select(['id', 'visibility', 'identity'])
    .where('owner', '=', owner)
    .where('id', '>', after)
    .orderBy('id')
    .limit(size)
    .execute();
}

/** Numbers of an owner's skins that others can see. */
export async function countOpenSkins(db: Db, owner: string): Promise<Record<(typeof OPEN)[number], number>> {
  const rows = await openSkins(db)
    .where('owner', '=', owner)
    .groupBy('visibility')
    .select((eb) => ['visibility', eb.fn.countAll<number>().as('count')])
    .execute();
  const numberOf = (visibility: (typeof OPEN)[number]) =>
    Number(rows.find((row) => row.visibility === visibility)?.count ?? 0);
  return { public: numberOf('public'), unlisted: numberOf('unlisted') };
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

/** The oldest public skin with any of this data, of an owner with this prefix. */
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

/** The skins of one owner, of every visibility, or the public skins of all. */
export type SkinScope = { readonly owner: string } | 'public';

/** `popular`: the most viewed first; `week`: those most viewed in the last days. */
export type SkinSort = 'newest' | 'popular' | 'week';

/** The position of a skin in a list; `views`: those that decide its order. */
export type SkinPlace = Pick<SkinRow, 'id' | 'views'>;

export interface SkinSelection {
  /** The last skin of the previous page, with its position at that time. */
  readonly before?: SkinPlace | undefined;
  readonly size: number;
  readonly sort?: SkinSort | undefined;
}

/** Ordered by number if newest first, so that a page stays the same when earlier skins are added or removed. */
export async function listSkins(db: Db, scope: SkinScope, page: SkinSelection): Promise<SkinWithData[]> {
  const places = await pageOf(db, scope, page).select('id').execute();
  const ids = places.map(({ id }) => id);
  return await findSkinsByNumber(db, ids);
}

/** A page of a list, to be read in its order. */
export function pageOf(
  db: Db,
  scope: SkinScope,
  { before, size, sort = 'newest' }: SkinSelection,
): SelectQueryBuilder<Tables, 'skins', object> {
  const all = db.selectFrom('skins').where(scopeFilter(scope)).limit(size);
  if (sort === 'newest') {
    const newest = all.orderBy('id', 'desc');
    return before === undefined ? newest : newest.where('id', '<', before.id);
  }
  const popular = all.orderBy('views', 'desc').orderBy('id', 'desc');
  if (before === undefined) return popular;
  return popular.where((eb) =>
    eb(eb.refTuple('views', 'id'), '<', eb.tuple(bigint(before.views), before.id)),
  );
}

/**
 * A number from outside to compare with an `integer` column. PostgreSQL assumes 32 bits for such a parameter, as for
 * the column, and fails for larger ones.
 */
export function bigint(number: number): RawBuilder<number> {
  return sql`cast(${number} as bigint)`;
}

/** Number of skins; undefined: too many to count on each request. */
export async function countSkins(db: Db, scope: SkinScope): Promise<number | undefined> {
  return await countForList(db, db.selectFrom('skins').select('id').where(scopeFilter(scope)));
}

export function scopeFilter(scope: SkinScope): RawBuilder<boolean> {
  // The same expression as in the partial index; otherwise SQLite does not use it.
  return scope === 'public' ? sql`skins.visibility = 'public'` : sql`skins.owner = ${scope.owner}`;
}

/** Skins whose UUIDs start with this, from those that are public or belong to this owner. */
export async function skinsBeginningWith(
  db: Db,
  start: string,
  { owner, size }: { readonly owner?: string | undefined; readonly size: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('skins')
    .select('uuid')
    .where('uuid', '>=', start)
    .where('uuid', '<=', `${start}g`)
    .where((eb) =>
      eb.or([eb('visibility', '=', 'public'), ...(owner === undefined ? [] : [eb('owner', '=', owner)])]),
    )
    .orderBy('uuid')
    .limit(size)
    .execute();
  return rows.map(({ uuid }) => uuid);
}

/** The tags of a skin, as both databases join them. */
export const tagsOfSkin = (eb: ExpressionBuilder<Tables, 'skins'>) => joinedTags(eb).as('tags');

export function joinedTags(eb: Pick<ExpressionBuilder<Tables, 'skins'>, 'selectFrom'>) {
  return eb
    .selectFrom('skin_tags')
    .select(sql<string | null>`string_agg(tag, ',')`.as('joined'))
    .whereRef('skin_tags.skin_id', '=', 'skins.id');
}

/** The tags of a skin, in alphabetical order. */
export function tagsOf({ tags }: Pick<SkinWithData, 'tags'>): readonly string[] {
  return tags ? tags.split(',').toSorted() : [];
}

export async function replaceTags(db: Db, skin_id: number, tags: readonly string[]): Promise<void> {
  await db.deleteFrom('skin_tags').where('skin_id', '=', skin_id).execute();
  if (tags.length > 0)
    await db
      .insertInto('skin_tags')
      .values(tags.map((tag) => ({ tag, skin_id })))
      .execute();
}

export async function hasLiked(db: Db, skin_id: number, owner: string): Promise<boolean> {
  return await exists(
    db.selectFrom('skin_likes').select('skin_id').where('skin_id', '=', skin_id).where('owner', '=', owner),
  );
}

/** @returns whether the user did not like it yet */
export async function addLike(db: Db, skin_id: number, owner: string): Promise<boolean> {
  const isNew = await insertNew(db, 'skin_likes', { skin_id, owner });
  if (isNew) await countLikes(db, skin_id, 1);
  return isNew;
}

/** @returns whether the user liked it */
export async function removeLike(db: Db, skin_id: number, owner: string): Promise<boolean> {
  const wasLiked = await hasEffect(
    db.deleteFrom('skin_likes').where('skin_id', '=', skin_id).where('owner', '=', owner),
  );
  if (wasLiked) await countLikes(db, skin_id, -1);
  return wasLiked;
}

/** Takes back some of a user's likes. @returns how many */
export async function removeSomeLikes(db: Db, owner: string, size: number): Promise<number> {
  const likes = db.selectFrom('skin_likes').select('skin_id').where('owner', '=', owner).limit(size);
  const liked = (await likes.execute()).map(({ skin_id }) => skin_id);
  for (const id of liked) await removeLike(db, id, owner);
  return liked.length;
}

async function countLikes(db: Db, id: number, step: number): Promise<void> {
  await db
    .updateTable('skins')
    .set((eb) => ({ likes: eb('likes', '+', step) }))
    .where('id', '=', id)
    .execute();
}

/** A skin of an owner by its name. */
export interface NamedSkin {
  readonly name: string;
  readonly uuid: string;
  /** Whether the owner has other skins of this name. */
  readonly isAmbiguous: boolean;
}

/** For each of these names that an owner's skins have, the oldest skin: two look-ups for a name, in a single statement. */
export async function ownSkinsNamed(db: Db, owner: string, names: readonly string[]): Promise<NamedSkin[]> {
  if (names.length === 0) return [];
  const own = db
    .selectFrom('skins')
    .select('skins.id')
    .where('skins.owner', '=', owner)
    .where('skins.name', '=', sql<string>`names.name`)
    .limit(1);
  const values = sql.join(names.map((name) => sql`(${name})`));
  const { rows } = await sql<{ name: string; uuid: string; first: number; last: number }>`
    with names (name) as (values ${values}),
    found as (select names.name, (${own.orderBy('skins.id')}) as first, (${own.orderBy('skins.id', 'desc')}) as last from names)
    select found.name, skins.uuid, found.first, found.last from found inner join skins on skins.id = found.first`.execute(
    db,
  );
  return rows.map(({ name, uuid, first, last }) => ({ name, uuid, isAmbiguous: first !== last }));
}
