import { sql } from 'kysely';
import { countRows, type Db } from './db.ts';
import type { SetNameRow, SetRow } from './schema/tables.ts';

export async function findSetName(db: Db, slug: string): Promise<SetNameRow | undefined> {
  return await db.selectFrom('set_names').selectAll().where('slug', '=', slug).executeTakeFirst();
}

/** The set to which a name leads that is or was public. */
export async function findSetByPublicName(db: Db, slug: string): Promise<SetRow | undefined> {
  return await db
    .selectFrom('set_names')
    .innerJoin('sets', 'sets.id', 'set_names.set_id')
    .selectAll('sets')
    .where('set_names.slug', '=', slug)
    .executeTakeFirst();
}

/** Lets a name lead to a set, whatever it was before. */
export async function putSetName(db: Db, row: SetNameRow): Promise<void> {
  const { owner, set_id } = row;
  await db
    .insertInto('set_names')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doUpdateSet({ owner, set_id }))
    .execute();
}

/** A name that is kept for an owner, although no public set has it. */
export interface ReservedName {
  readonly slug: string;
  /** UUID and name of the set to which it leads; null: it was deleted. */
  readonly uuid: string | null;
  readonly name: string | null;
}

/** In alphabetical order. */
export async function reservedNamesOf(db: Db, owner: string): Promise<ReservedName[]> {
  return await reserved(db, owner)
    .select(['set_names.slug', 'sets.uuid', 'sets.name'])
    .orderBy('set_names.slug')
    .execute();
}

export async function countReservedNames(db: Db, owner: string): Promise<number> {
  return await countRows(reserved(db, owner));
}

function reserved(db: Db, owner: string) {
  return db
    .selectFrom('set_names')
    .leftJoin('sets', 'sets.id', 'set_names.set_id')
    .where('set_names.owner', '=', owner)
    .where(sql<boolean>`(sets.id is null or sets.visibility != 'public' or sets.slug != set_names.slug)`);
}

export async function deleteSetName(db: Db, slug: string): Promise<void> {
  await db.deleteFrom('set_names').where('slug', '=', slug).execute();
}

/** Lets the names of a set lead nowhere. Nobody else gets them. */
export async function forgetNames(db: Db, set_id: number): Promise<void> {
  await db.updateTable('set_names').set({ set_id: null }).where('set_id', '=', set_id).execute();
}
