import { setImmediate } from 'node:timers/promises';
import { type ExpressionBuilder, sql } from 'kysely';
import { BANDS, type Band, distanceBetween, nearBands, SIMILAR } from '../../skin/fingerprint.ts';
import type { Db } from './db.ts';
import type { Tables, TextureRow } from './schema/tables.ts';
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
  const same = await withSamePicture(db, skin, { viewer, size });
  if (same.length === size) return same;
  const others = await withSimilarPicture(db, skin, { viewer, size: size - same.length });
  return [...same, ...others];
}

/** Skins with the same data that are read to find different names. */
const MAX_SAME = 1_000;

/** Skins with other arms, another cape or another name, at most one of each. One of each arms and cape comes first. */
async function withSamePicture(
  db: Db,
  skin: SkinWithData,
  { viewer, size }: SimilarQuery,
): Promise<SimilarSkinRow[]> {
  const ids: number[] = [];
  for (const { identity } of await shownData(db, skin.texture_hash, { viewer, size: MAX_DATA }))
    ids.push(...(await differentlyNamed(db, identity, { viewer, size: size + 1 })));
  const rows = await readSkins(db, ids, viewer);
  const different = new Map(rows.map((row) => [describe(row), row]));
  different.delete(describe(skin));
  const alike = Map.groupBy(different.values(), (row) => describe({ ...row, name: null }));
  return [...alike.values()]
    .flatMap((skins) => skins.map((row, turn) => ({ row, turn })))
    .toSorted((one, other) => one.turn - other.turn)
    .slice(0, size)
    .map(({ row: { id: _, ...row } }) => ({ ...row, distance: 0 }));
}

function describe({
  name,
  variant,
  cape_hash,
}: Pick<SkinWithData, 'name' | 'variant' | 'cape_hash'>): string {
  return JSON.stringify([name, variant, cape_hash]);
}

/** The numbers of shown skins with this data, the oldest one of each name. */
async function differentlyNamed(db: Db, identity: string, { viewer, size }: SimilarQuery): Promise<number[]> {
  const found: number[] = [];
  for (const shown of shownSkins(db, viewer)) {
    const some = shown
      .select(['skins.id', 'skins.name'])
      .where('skins.identity', '=', identity)
      .limit(sql.lit(MAX_SAME));
    const rows = await db
      .selectFrom(some.as('some'))
      .select(({ fn }) => fn.min('some.id').as('id'))
      .groupBy('some.name')
      .orderBy('id')
      .limit(sql.lit(size))
      .execute();
    found.push(...rows.map(({ id }) => id));
  }
  return found;
}

/**
 * The skins that the viewer may see, as one query for the viewer's own and one for public skins: with an "or", PostgreSQL
 * would read all public skins for a join until it has analysed the table. Skins that an operator has hidden are left out.
 * The order is that of an index of the skins with the same data.
 */
function shownSkins(db: Pick<ExpressionBuilder<Tables, never>, 'selectFrom'>, viewer: string | undefined) {
  const skins = db.selectFrom('skins').orderBy('skins.owner').orderBy('skins.visibility');
  const open = skins.where('skins.visibility', '=', sql.lit('public' as const));
  if (viewer === undefined) return [open];
  return [skins.where('skins.owner', '=', viewer).where('skins.hidden_from', 'is', null), open];
}

/** Signed data of one picture that is read. Much of it may belong to private skins only. */
const MAX_READ_DATA = 1_000;
/** Signed data of a picture that is used: there is some for each variant, cape and signer. */
const MAX_DATA = 50;

/** Data of a picture, each with the number of a skin that the viewer may see. */
async function shownData(db: Db, hash: string, { viewer, size }: SimilarQuery) {
  const data = db
    .selectFrom('texture_data')
    .select('texture_data.identity')
    .select((eb) => shownSkinOf(eb, viewer).as('skin'))
    .where('texture_data.texture_hash', '=', hash)
    .orderBy('texture_data.identity')
    .limit(sql.lit(MAX_READ_DATA));
  return await db
    .selectFrom(data.as('some'))
    .select(['some.identity', 'some.skin'])
    .where('some.skin', 'is not', null)
    .limit(sql.lit(size))
    .execute();
}

/** The number of a skin with this data that the viewer may see; null: there is none. */
function shownSkinOf(eb: ExpressionBuilder<Tables, 'texture_data'>, viewer: string | undefined) {
  const [first, other] = shownSkins(eb, viewer).map((shown) =>
    shown.select('skins.id').where('skins.identity', '=', eb.ref('texture_data.identity')).limit(sql.lit(1)),
  );
  return eb.fn.coalesce(first!, other ?? sql.lit(null));
}

/** A skin with this texture that the viewer may see. @returns its UUID */
export async function findSkinWithTexture(
  db: Db,
  hash: string,
  viewer: string | undefined,
): Promise<string | undefined> {
  const [data] = await shownData(db, hash, { viewer, size: 1 });
  const [skin] = data?.skin ? await readSkins(db, [data.skin], viewer) : [];
  return skin?.uuid;
}

/** The distance of another picture that looks the same: it may differ where nothing is seen. */
const LEAST = 0.001;

/** One skin of each picture. */
async function withSimilarPicture(
  db: Db,
  { texture_hash }: SkinWithData,
  { viewer, size }: SimilarQuery,
): Promise<SimilarSkinRow[]> {
  const own = await storedFingerprint(db, texture_hash);
  if (!own) return [];
  const near = new Map<number, number>();
  for (const { skin, hash, fingerprint } of await candidates(db, own, viewer)) {
    const distance = Math.max(distanceBetween(own, fingerprint), LEAST);
    if (hash !== texture_hash && distance < SIMILAR) near.set(skin, distance);
  }
  const nearest = new Map([...near].toSorted(([, one], [, other]) => one - other).slice(0, size));
  const skins = await readSkins(db, [...nearest.keys()], viewer);
  return skins.map(({ id, ...skin }) => ({ ...skin, distance: nearest.get(id)! }));
}

async function storedFingerprint(db: Db, hash: string): Promise<Uint8Array | null | undefined> {
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
 * Compares at most 600 pictures, however many there are, in statements that take a few milliseconds at most: meanwhile,
 * SQLite serves no other request.
 */
async function candidates(db: Db, own: Uint8Array, viewer: string | undefined): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const band of BANDS) {
    const [nearest = '', ...others] = nearBands(own, band);
    found.push(...(await candidatesAt(db, { band, keys: [nearest], viewer, ...OF_NEAREST })));
    for (let first = 0; first < others.length; first += KEYS) {
      const keys = others.slice(first, first + KEYS);
      found.push(...(await candidatesAt(db, { band, keys, viewer, ...OF_OTHERS })));
    }
  }
  return found;
}

/** Other keys than the nearest one that a statement looks for. */
const KEYS = 8;
/** Pictures that a statement reads of each key, and pictures with shown skins that it takes. */
interface Bounds {
  readonly read: number;
  readonly take: number;
}
const OF_NEAREST: Bounds = { read: 300, take: 100 };
const OF_OTHERS: Bounds = { read: 30, take: 25 };

const COLUMN = { head: 'head_band', body: 'body_band', light: 'light_band' } as const satisfies Record<
  Band,
  string
>;

interface CandidateQuery extends Bounds {
  readonly band: Band;
  readonly keys: readonly string[];
  readonly viewer: string | undefined;
}

async function candidatesAt(
  db: Db,
  { band, keys, viewer, read, take }: CandidateQuery,
): Promise<Candidate[]> {
  const near = withKeys(db, { column: COLUMN[band], keys, read });
  const some = db
    .selectFrom(near.as('near'))
    .select(['near.hash', 'near.fingerprint'])
    .select((eb) => shownSkinWith(eb, viewer).as('skin'))
    .limit(sql.lit(keys.length * read));
  const rows = await db
    .selectFrom(some.as('some'))
    .select(['some.hash', 'some.fingerprint', 'some.skin'])
    .where('some.skin', 'is not', null)
    .limit(sql.lit(take))
    .execute();
  await setImmediate();
  return rows.flatMap(({ skin, hash, fingerprint }) =>
    skin === null || fingerprint === null ? [] : [{ skin, hash, fingerprint }],
  );
}

interface KeyQuery extends Pick<CandidateQuery, 'keys' | 'read'> {
  readonly column: (typeof COLUMN)[Band];
}

type LookRow = Pick<TextureRow, 'hash' | 'fingerprint'>;

/** Some pictures with each key: of a list of keys, PostgreSQL would walk through the table until it has analysed it. */
function withKeys(db: Db, { column, keys, read }: KeyQuery) {
  const [first, ...others] = keys.map((key) => {
    const some = db.selectFrom('textures').select(['hash', 'fingerprint']).where(column, '=', key);
    return db.selectFrom(some.orderBy('hash').limit(sql.lit(read)).as('some')).selectAll();
  });
  return others.reduce((all, other) => all.unionAll(other), first!);
}

/** The number of a skin with this picture that the viewer may see; null: there is none. */
function shownSkinWith(
  { selectFrom }: ExpressionBuilder<Tables & { near: LookRow }, 'near'>,
  viewer: string | undefined,
) {
  const data = selectFrom('texture_data')
    .select((eb) => shownSkinOf(eb, viewer).as('skin'))
    .whereRef('texture_data.texture_hash', '=', 'near.hash')
    .orderBy('texture_data.identity')
    .limit(sql.lit(MAX_DATA));
  return selectFrom(data.as('some')).select('some.skin').where('some.skin', 'is not', null).limit(sql.lit(1));
}

type ReadSkin = Omit<SimilarSkinRow, 'distance'> & { readonly id: number };

/** Those of these skins that the viewer may see, in their order. */
async function readSkins(db: Db, ids: readonly number[], viewer: string | undefined): Promise<ReadSkin[]> {
  if (ids.length === 0) return [];
  const found = new Map<number, ReadSkin>();
  for (const shown of shownSkins(db, viewer)) {
    const rows = await shown
      .clearOrderBy()
      .innerJoin('texture_data', 'texture_data.identity', 'skins.identity')
      .select(['skins.id', 'skins.uuid', 'skins.name', 'skins.visibility'])
      .select(['texture_data.variant', 'texture_data.cape_hash'])
      .where('skins.id', 'in', ids)
      .execute();
    for (const row of rows) found.set(row.id, row);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}
