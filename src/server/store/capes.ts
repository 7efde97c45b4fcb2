import type { Db } from './db.ts';
import type { CapeRow } from './schema/tables.ts';

/** Adds the cape. False if its alias is taken. */
export async function insertCape(db: Db, cape: CapeRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('capes')
    .values(cape)
    .onConflict((conflict) => conflict.column('alias').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

export async function findCape(db: Db, uuid: string): Promise<CapeRow | undefined> {
  return await db.selectFrom('capes').selectAll().where('uuid', '=', uuid).executeTakeFirst();
}

export async function findCapeByAlias(db: Db, alias: string): Promise<CapeRow | undefined> {
  return await db.selectFrom('capes').selectAll().where('alias', '=', alias).executeTakeFirst();
}

/** The cape with this texture that is for everyone, if there is one. */
export async function findPublicCapeOf(db: Db, textureHash: string): Promise<CapeRow | undefined> {
  return await db
    .selectFrom('capes')
    .selectAll()
    .where('texture_hash', '=', textureHash)
    .where('support', '=', 'public')
    .orderBy('alias')
    .executeTakeFirst();
}

/** By alias. `support` undefined: all of them. */
export async function listCapes(db: Db, support?: CapeRow['support']): Promise<CapeRow[]> {
  const capes = db.selectFrom('capes').selectAll().orderBy('alias');
  return await (support === undefined ? capes : capes.where('support', '=', support)).execute();
}

export async function countCapes(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('capes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function changeCape(
  db: Db,
  uuid: string,
  change: Partial<Pick<CapeRow, 'alias' | 'support'>>,
): Promise<void> {
  await db.updateTable('capes').set(change).where('uuid', '=', uuid).execute();
}

/** False if there is no such cape. Its texture stays as long as signed data or a job needs it. */
export async function deleteCapeRow(db: Db, uuid: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('capes').where('uuid', '=', uuid).executeTakeFirst();
  return numDeletedRows > 0n;
}
