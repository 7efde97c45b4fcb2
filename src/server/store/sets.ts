import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { countRows, type Db } from './db.ts';
import type { SetRow, SkinRow, Tables } from './schema/tables.ts';
import { DATA, RECORD, type SkinScope, type SkinWithData, tagsOfSkin } from './skins.ts';

export interface CountedSet extends SetRow {
  /** How many of its skins its viewer sees. */
  readonly skins: number;
  /** How many of its skins everyone sees who sees the set. */
  readonly seenByAll: number;
}

export interface SetPage {
  /** The number of the last set of the previous page. */
  readonly before?: number | undefined;
  readonly size: number;
}

export async function findSet(db: Db, uuid: string): Promise<SetRow | undefined> {
  return await db.selectFrom('sets').selectAll().where('uuid', '=', uuid).executeTakeFirst();
}

/** The set with this slug among the public ones, or among an owner's. */
export async function findSetByName(db: Db, scope: SkinScope, slug: string): Promise<SetRow | undefined> {
  return await setsIn(db, scope).selectAll().where('slug', '=', slug).executeTakeFirst();
}

/** Newest first. */
export async function listSets(db: Db, scope: SkinScope, { before, size }: SetPage): Promise<SetRow[]> {
  const page = setsIn(db, scope).selectAll('sets').orderBy('sets.id', 'desc').limit(size);
  return await (before === undefined ? page : page.where('sets.id', '<', before)).execute();
}

/** How many skins of these sets are seen. `viewer`: undefined for those who see only what everyone sees. */
export async function countSkinsIn(
  db: Db,
  sets: readonly SetRow[],
  viewer: string | undefined,
): Promise<CountedSet[]> {
  if (sets.length === 0) return []; // PostgreSQL has no empty lists
  const ids = sets.map(({ id }) => id);
  const rows = await db
    .selectFrom('set_skins')
    .innerJoin('sets', 'sets.id', 'set_skins.set_id')
    .innerJoin('skins', 'skins.id', 'set_skins.skin_id')
    .where('set_skins.set_id', 'in', ids)
    .groupBy('set_skins.set_id')
    .select((eb) => [
      'set_skins.set_id',
      countOf(eb, viewer).as('skins'),
      countOf(eb, undefined).as('seenByAll'),
    ])
    .execute();
  const counts = new Map(rows.map(({ set_id, ...counts }) => [set_id, counts]));
  const numbers = ({ id }: SetRow) => counts.get(id) ?? { skins: 0, seenByAll: 0 };
  return sets.map((set) => ({
    ...set,
    skins: Number(numbers(set).skins),
    seenByAll: Number(numbers(set).seenByAll),
  }));
}

function countOf(eb: ExpressionBuilder<Tables, 'sets' | 'skins'>, viewer: string | undefined) {
  return eb.fn.sum<number>(eb.case().when(isSeenIn(eb, viewer)).then(1).else(0).end());
}

export async function countSetsOf(db: Db, owner: string): Promise<number> {
  return await countRows(setsIn(db, { owner }));
}

function setsIn(db: Db, scope: SkinScope): SelectQueryBuilder<Tables, 'sets', object> {
  // The same expression as in the partial indices.
  const filter = scope === 'public' ? sql<boolean>`sets.visibility = 'public'` : undefined;
  const sets = db.selectFrom('sets');
  return filter ? sets.where(filter) : sets.where('sets.owner', '=', (scope as { owner: string }).owner);
}

/** The skins of a set that its viewer sees, in its order. */
export async function readSetSkins(
  db: Db,
  set: Pick<SetRow, 'id'>,
  viewer: string | undefined,
): Promise<SkinWithData[]> {
  return await db
    .selectFrom('set_skins')
    .innerJoin('sets', 'sets.id', 'set_skins.set_id')
    .innerJoin('skins', 'skins.id', 'set_skins.skin_id')
    .innerJoin('texture_data', 'texture_data.identity', 'skins.identity')
    .select(RECORD)
    .select(tagsOfSkin)
    .select(DATA)
    .where('set_skins.set_id', '=', set.id)
    .where((eb) => isSeenIn(eb, viewer))
    .orderBy('set_skins.position')
    .orderBy('set_skins.skin_id')
    .execute();
}

/**
 * Public skins, and the viewer's own. An unlisted skin is only seen in sets that are not public, which like the skin
 * itself need their address, and by the owner of the set.
 */
function isSeenIn(eb: ExpressionBuilder<Tables, 'sets' | 'skins'>, owner: string | undefined) {
  const unlisted = eb('skins.visibility', '=', 'unlisted');
  const everyone = [eb('skins.visibility', '=', 'public'), unlisted.and('sets.visibility', '!=', 'public')];
  if (owner === undefined) return eb.or(everyone);
  return eb.or([...everyone, eb('skins.owner', '=', owner), unlisted.and('sets.owner', '=', owner)]);
}

export type NewSet = Omit<SetRow, 'id' | 'hidden_from' | 'changed_at'>;

/** @returns its number */
export async function insertSet(db: Db, set: NewSet): Promise<number> {
  const { id } = await db
    .insertInto('sets')
    .values({ ...set, changed_at: set.created_at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function changeSet(
  db: Db,
  id: number,
  change: Partial<Omit<SetRow, 'id' | 'uuid' | 'owner' | 'created_at'>>,
): Promise<void> {
  await db.updateTable('sets').set(change).where('id', '=', id).execute();
}

/** Their skins stay. Nobody gets their public names, to which game servers may have addresses. */
export async function deleteSetsOf(db: Db, owner: string): Promise<void> {
  await db.updateTable('set_names').set({ owner: null }).where('owner', '=', owner).execute();
  await db.deleteFrom('sets').where('owner', '=', owner).execute();
}

/** Its skins stay. */
export async function deleteSetRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('sets').where('id', '=', id).execute();
}

/** The numbers of a set's skins in its order, regardless of who may see them. */
export async function skinsInSet(db: Db, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('set_skins')
    .select('skin_id')
    .where('set_id', '=', id)
    .orderBy('position')
    .orderBy('skin_id')
    .execute();
  return rows.map(({ skin_id }) => skin_id);
}

/** Replaces a set's skins. Those that stay keep their ids in packs. */
export async function putSkinsInSet(db: Db, set_id: number, skins: readonly number[]): Promise<void> {
  const before = await db
    .deleteFrom('set_skins')
    .where('set_id', '=', set_id)
    .returning(['skin_id', 'pack_id'])
    .execute();
  const ids = new Map(before.map(({ skin_id, pack_id }) => [skin_id, pack_id]));
  const rows = skins.map((skin_id, position) => ({ set_id, skin_id, position, pack_id: ids.get(skin_id) }));
  if (rows.length > 0) await db.insertInto('set_skins').values(rows).execute();
}

export interface SetMember extends Pick<SkinRow, 'uuid' | 'name'> {
  readonly skin_id: number;
  readonly pack_id: string | null;
}

/** All skins of a set, regardless of who may see them. */
export async function membersOf(db: Db, set_id: number): Promise<SetMember[]> {
  return await db
    .selectFrom('set_skins')
    .innerJoin('skins', 'skins.id', 'set_skins.skin_id')
    .select(['skin_id', 'uuid', 'name', 'pack_id'])
    .where('set_id', '=', set_id)
    .execute();
}

export async function givePackId(
  db: Db,
  set_id: number,
  { skin_id, pack_id }: Pick<SetMember, 'skin_id' | 'pack_id'>,
): Promise<void> {
  await db
    .updateTable('set_skins')
    .set({ pack_id })
    .where('set_id', '=', set_id)
    .where('skin_id', '=', skin_id)
    .execute();
}

/** The existing ones of these skins, with what decides who sees them. */
export async function skinNumbers(
  db: Db,
  uuids: readonly string[],
): Promise<Pick<SkinRow, 'id' | 'uuid' | 'owner' | 'visibility'>[]> {
  if (uuids.length === 0) return [];
  return await db
    .selectFrom('skins')
    .select(['id', 'uuid', 'owner', 'visibility'])
    .where('uuid', 'in', uuids)
    .execute();
}
