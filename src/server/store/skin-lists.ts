import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from './db.ts';
import type { SkinRow, Tables } from './schema/tables.ts';
import { findSkinsByNumber, type SkinWithData } from './skins.ts';

/** The skins of one owner, of every visibility, or the public skins of all. */
export type SkinScope = { readonly owner: string } | 'public';

/** `popular`: the most viewed first. */
export type SkinSort = 'newest' | 'popular';

/** The position of a skin in a list. */
export type SkinPlace = Pick<SkinRow, 'id' | 'views'>;

export interface SkinPage {
  /** The last skin of the previous page, with its position at that time. */
  readonly before?: SkinPlace | undefined;
  readonly size: number;
  readonly sort?: SkinSort | undefined;
}

/** Ordered by number if newest first, so that a page stays the same when earlier skins are added or removed. */
export async function listSkins(db: Db, scope: SkinScope, page: SkinPage): Promise<SkinWithData[]> {
  const places = await pageOf(db, scope, page).select('id').execute();
  const ids = places.map(({ id }) => id);
  return await findSkinsByNumber(db, ids);
}

/** A page of a list, to be read in its order. */
export function pageOf(
  db: Db,
  scope: SkinScope,
  { before, size, sort = 'newest' }: SkinPage,
): SelectQueryBuilder<Tables, 'skins', object> {
  const all = db.selectFrom('skins').where(isIn(scope)).limit(size);
  if (sort === 'newest') {
    const newest = all.orderBy('id', 'desc');
    return before === undefined ? newest : newest.where('id', '<', before.id);
  }
  const popular = all.orderBy('views', 'desc').orderBy('id', 'desc');
  if (before === undefined) return popular;
  return popular.where((eb) => eb(eb.refTuple('views', 'id'), '<', eb.tuple(wide(before.views), before.id)));
}

/**
 * A number from outside that an `integer` column is compared with. PostgreSQL takes such a parameter for one of 32 bits,
 * as the column is, and fails for larger ones.
 */
export function wide(number: number): RawBuilder<number> {
  return sql`cast(${number} as bigint)`;
}

/** Maximum number of skins to count for a list. */
const MOST_COUNTED = 10_000;

/** Number of skins; undefined: too many to count on each request. */
export async function countSkins(db: Db, scope: SkinScope): Promise<number | undefined> {
  const { count } = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('skins')
        .select('id')
        .where(isIn(scope))
        .limit(MOST_COUNTED + 1)
        .as('some'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count) > MOST_COUNTED ? undefined : Number(count);
}

export function isIn(scope: SkinScope): RawBuilder<boolean> {
  // The same expression as in the partial index; otherwise SQLite does not use it.
  return scope === 'public' ? sql`skins.visibility = 'public'` : sql`skins.owner = ${scope.owner}`;
}
