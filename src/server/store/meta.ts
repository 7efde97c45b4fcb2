import type { Db } from './db.ts';

/** Facts about the store as a whole. */
export type MetaKey =
  | 'schema'
  | 'public-url'
  | 'local-url'
  | 'address-key'
  | 'sign-in-key'
  | 'last-look'
  | 'revocations'
  | 'signing-key'
  | 'account-key'
  /** What makes the skins of `serve`; absent: the service's own key. */
  | 'generator'
  /** Hours for which `serve` keeps finished jobs; absent: the default. */
  | 'retention'
  | 'oldest-reader'
  | 'copying-from';

export async function readMeta(db: Db, key: MetaKey): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

/** `keys`: one, or several that get the same value. */
export async function writeMeta(db: Db, keys: MetaKey | readonly MetaKey[], value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values([keys].flat().map((key) => ({ key, value })))
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Writes the value unless there is one. */
export async function keepMeta(db: Db, key: MetaKey, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
}

/** `value`: delete only this value. */
export async function deleteMeta(db: Db, key: MetaKey, value?: string): Promise<void> {
  const all = db.deleteFrom('meta').where('key', '=', key);
  await (value === undefined ? all : all.where('value', '=', value)).execute();
}

/** The store contains only part of the data that is being copied into it. */
export class StoreUnfinishedError extends Error {
  override readonly name = 'StoreUnfinishedError';
  readonly code = 'store_unfinished';
  readonly hint = 'Run the same skinsmith store copy again; it continues where it stopped.';
}

/** @throws StoreUnfinishedError */
export async function verifyWhole(db: Db): Promise<void> {
  if ((await readMeta(db, 'copying-from')) === undefined) return;
  throw new StoreUnfinishedError('The store contains only part of a copy.');
}
