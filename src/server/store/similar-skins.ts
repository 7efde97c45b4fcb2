import { setImmediate } from 'node:timers/promises';
import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely';
import { BANDS, type Band, distanceBetween, nearBands, SIMILAR } from '../../skin/fingerprint.ts';
import type { Db } from './db.ts';
import type { Tables } from './schema/tables.ts';
import type { SkinWithData } from './skins.ts';

/** A skin that looks like another one. */
export interface SimilarSkinRow
  extends Pick<SkinWithData, 'uuid' | 'name' | 'visibility' | 'variant' | 'cape_hash'> {
  /** 0: the same picture; at most 1. */
  readonly distance: number;
}

interface SimilarQuery {
  /** Whose skins are found whatever their visibility; of others, only public ones are. */
  readonly viewer: string | undefined;
  readonly size: number;
}

/** Skins with the same picture first, then those whose pictures look most alike. */
export async function similarSkins(
  db: Db,
  skin: SkinWithData,
  { viewer, size }: SimilarQuery,
): Promise<SimilarSkinRow[]> {
  const same = await withSamePicture(db, skin, viewer);
  if (same.length >= size) return same.slice(0, size);
  const others = await withSimilarPicture(db, skin, { viewer, size: size - same.length });
  return [...same, ...others];
}

/** Maximum signed data to read with a picture: there is some for each variant, cape and signer. */
const MAX_DATA = 50;
/** Skins with the same picture that are read, to find those that differ from each other. */
const MAX_SAME = 50;

const COLUMNS = [
  'skins.uuid',
  'skins.name',
  'skins.visibility',
  'texture_data.variant',
  'texture_data.cape_hash',
] as const;

/** Skins with other arms, another cape or another name: at most one of each. */
async function withSamePicture(
  db: Db,
  skin: SkinWithData,
  viewer: string | undefined,
): Promise<SimilarSkinRow[]> {
  const data = db.selectFrom('texture_data').select('identity').where('texture_hash', '=', skin.texture_hash);
  const rows = await db
    .selectFrom(data.limit(sql.lit(MAX_DATA)).as('some'))
    .innerJoin('texture_data', 'texture_data.identity', 'some.identity')
    .innerJoin('skins', 'skins.identity', 'some.identity')
    .select(COLUMNS)
    .where((eb) => isShown(eb, viewer))
    .limit(sql.lit(MAX_SAME))
    .execute();
  const found = new Map(rows.map((row) => [describe(row), { ...row, distance: 0 }]));
  found.delete(describe(skin));
  return [...found.values()];
}

function describe({
  name,
  variant,
  cape_hash,
}: Pick<SkinWithData, 'name' | 'variant' | 'cape_hash'>): string {
  return JSON.stringify([name, variant, cape_hash]);
}

/** Hidden skins are private, so that only their owners could see them. */
function isShown(
  eb: ExpressionBuilder<Tables, 'skins'>,
  viewer: string | undefined,
): ExpressionWrapper<Tables, 'skins', SqlBool> {
  const isPublic = eb('skins.visibility', '=', sql.lit('public' as const));
  if (viewer === undefined) return isPublic;
  return eb.or([isPublic, eb.and([eb('skins.owner', '=', viewer), eb('skins.hidden_from', 'is', null)])]);
}

/** The distance of another picture that looks the same: it may differ where nothing is seen. */
const LEAST = 0.001;

/** One skin of each picture. */
async function withSimilarPicture(
  db: Db,
  { texture_hash }: SkinWithData,
  { viewer, size }: SimilarQuery,
): Promise<SimilarSkinRow[]> {
  const own = await fingerprintOf(db, texture_hash);
  if (!own) return [];
  const near = new Map<number, number>();
  for (const { skin, hash, fingerprint } of await candidates(db, own, viewer)) {
    const distance = Math.max(distanceBetween(own, fingerprint), LEAST);
    if (hash !== texture_hash && distance < SIMILAR) near.set(skin, distance);
  }
  const nearest = [...near].toSorted(([, one], [, other]) => one - other).slice(0, size);
  const skins = await readSkins(
    db,
    nearest.map(([id]) => id),
  );
  return nearest.flatMap(([id, distance]) => {
    const skin = skins.get(id);
    return skin ? [{ ...skin, distance }] : [];
  });
}

async function fingerprintOf(db: Db, hash: string): Promise<Uint8Array | null | undefined> {
  const texture = await db
    .selectFrom('textures')
    .select('fingerprint')
    .where('hash', '=', hash)
    .executeTakeFirst();
  return texture?.fingerprint;
}

/** A picture that may look alike, and one of its skins. */
interface Candidate {
  readonly skin: number;
  readonly hash: string;
  readonly fingerprint: Uint8Array;
}

/**
 * Compares at most 600 pictures, however many there are, in statements that take about a millisecond: meanwhile, SQLite
 * serves no other request.
 */
async function candidates(db: Db, own: Uint8Array, viewer: string | undefined): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const band of BANDS) {
    const [nearest = '', ...others] = nearBands(own, band);
    for (const keys of [[nearest], others]) {
      found.push(...(await candidatesAt(db, { band, keys, viewer })));
      await setImmediate();
    }
  }
  return found;
}

/** Pictures that are read for the nearest key of a band, for all others, and for each of those. */
const MAX_READ = 100;
const MAX_OF_KEY = 10;

const COLUMN = { head: 'head_band', body: 'body_band', light: 'light_band' } as const satisfies Record<
  Band,
  string
>;

async function candidatesAt(
  db: Db,
  { band, keys, viewer }: { band: Band; keys: readonly string[]; viewer: string | undefined },
): Promise<Candidate[]> {
  const rows = await db
    .selectFrom(withKeys(db, COLUMN[band], keys).as('near'))
    .select(['near.hash', 'near.fingerprint'])
    .select(({ selectFrom }) => {
      const data = selectFrom('texture_data')
        .select((eb) => shownSkinOf(eb, viewer).as('skin'))
        .whereRef('texture_data.texture_hash', '=', 'near.hash')
        .limit(sql.lit(MAX_DATA));
      return selectFrom(data.as('some'))
        .select('some.skin')
        .where('some.skin', 'is not', null)
        .limit(sql.lit(1))
        .as('skin');
    })
    .execute();
  return rows.flatMap(({ skin, hash, fingerprint }) =>
    skin === null || fingerprint === null ? [] : [{ skin, hash, fingerprint }],
  );
}

/**
 * A skin with this data that the viewer may see. Looked up for each data and without an "or", because PostgreSQL would
 * read all public skins for a join until it has analysed the table.
 */
function shownSkinOf(
  { fn, selectFrom }: ExpressionBuilder<Tables, 'texture_data'>,
  viewer: string | undefined,
) {
  const skin = selectFrom('skins')
    .select('skins.id')
    .whereRef('skins.identity', '=', 'texture_data.identity')
    .limit(sql.lit(1));
  const open = skin.where('skins.visibility', '=', sql.lit('public' as const));
  if (viewer === undefined) return fn.coalesce(open, sql.lit(null));
  return fn.coalesce(open, skin.where('skins.owner', '=', viewer).where('skins.hidden_from', 'is', null));
}

/** Some pictures with each key: of a list of keys, PostgreSQL would walk through the table until it has analysed it. */
function withKeys(db: Db, column: (typeof COLUMN)[Band], keys: readonly string[]) {
  const [first, ...others] = keys.map((key) => {
    const some = db.selectFrom('textures').select(['hash', 'fingerprint']).where(column, '=', key);
    return db
      .selectFrom(some.limit(sql.lit(keys.length === 1 ? MAX_READ : MAX_OF_KEY)).as('some'))
      .selectAll();
  });
  return others.reduce((all, other) => all.unionAll(other), first!).limit(sql.lit(MAX_READ));
}

async function readSkins(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Omit<SimilarSkinRow, 'distance'>>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('skins')
    .innerJoin('texture_data', 'texture_data.identity', 'skins.identity')
    .select('skins.id')
    .select(COLUMNS)
    .where('skins.id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, ...skin }) => [id, skin]));
}
