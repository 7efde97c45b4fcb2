import type { Db } from './store.ts';
import type { UserRow } from './tables.ts';

export async function findUserByName(db: Db, name: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Adds the user unless the name is taken; answers whoever has it then. */
export async function ensureUser(db: Db, user: UserRow): Promise<UserRow> {
  const there = await findUserByName(db, user.name);
  if (there) return there;
  await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return await db.selectFrom('users').selectAll().where('name', '=', user.name).executeTakeFirstOrThrow();
}
