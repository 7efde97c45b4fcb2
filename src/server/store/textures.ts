import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { bandsOf, pictureFingerprint } from '../../skin/fingerprint.ts';
import type { Picture } from '../../skin/picture.ts';
import { encodePng } from '../../skin/png/encode.ts';
import { pixelHash } from '../../skin/read-skin.ts';
import { countRows, type Db, exists, hasEffect, insertNew } from './db.ts';
import { PreparedQuery } from './prepared-query.ts';
import type { CapeRow, NewTexture, PlayerRow, TextureDataRow, TextureRow } from './schema/tables.ts';

/** A picture as it is stored, without the time. */
export type TextureContent = Omit<NewTexture, 'created_at'>;

/** The row of a skin's picture. `hash`: its pixel hash, if it is known. */
export function textureRowOf(picture: Picture, hash = pixelHash(picture)): TextureContent {
  const fingerprint = pictureFingerprint(picture);
  const { head, body, light } = bandsOf(fingerprint);
  const bands = { head_band: head, body_band: body, light_band: light };
  return { ...plainRowOf(picture, hash), fingerprint, ...bands };
}

/** The row of a cape, which is never found as a similar skin. */
export function capeRowOf(picture: Picture): TextureContent {
  return plainRowOf(picture, pixelHash(picture));
}

function plainRowOf(picture: Picture, hash: string): TextureContent {
  const { width, height } = picture;
  return { hash, width, height, png: encodePng(picture) };
}

/** Stores a picture under its hash. An existing one stays unchanged (same hash, same bytes). */
export async function keepTexture(db: Db, texture: NewTexture): Promise<void> {
  await KEEP_TEXTURE.run(db, texture);
}

const KEEP_TEXTURE = new PreparedQuery((db, texture: NewTexture) =>
  db
    .insertInto('textures')
    .values(texture)
    .onConflict((conflict) => conflict.column('hash').doNothing()),
);

export async function findTexture(db: Db, hash: string): Promise<TextureRow | undefined> {
  return await db.selectFrom('textures').selectAll().where('hash', '=', hash).executeTakeFirst();
}

/** The existing ones of these hashes. */
export async function storedTextures(db: Db, hashes: readonly string[]): Promise<string[]> {
  if (hashes.length === 0) return [];
  const rows = await db.selectFrom('textures').select('hash').where('hash', 'in', hashes).execute();
  return rows.map(({ hash }) => hash);
}

/**
 * Pictures that something is about to need are as young as new ones, so that none of them is removed before, not even by
 * another node at this moment. Returns how many exist.
 */
export async function holdTextures(db: Db, hashes: readonly string[], now: number): Promise<number> {
  const held = db.updateTable('textures').set({ created_at: now }).where('hash', 'in', hashes);
  return (await held.returning('hash').execute()).length;
}

/** A picture that signed data, a cape or a player name needs and that is not blocked. The service serves no others. */
export async function findServedTexture(db: Db, hash: string): Promise<TextureRow | undefined> {
  return await servedTextures(db).selectAll().where('hash', '=', hash).executeTakeFirst();
}

/** The same for several, by their hashes. */
export async function findServedTextures(
  db: Db,
  hashes: readonly string[],
): Promise<Map<string, Pick<TextureRow, 'hash' | 'png'>>> {
  if (hashes.length === 0) return new Map(); // PostgreSQL has no empty lists
  const rows = await servedTextures(db).select(['hash', 'png']).where('hash', 'in', hashes).execute();
  return new Map(rows.map((row) => [row.hash, row]));
}

function servedTextures(db: Db) {
  return db
    .selectFrom('textures')
    .where(sql<boolean>`(${NEEDED})`)
    .where(sql<boolean>`not exists (select 1 from blocked_images where hash = textures.hash)`);
}

/** The picture of signed data whose skin has one of these addresses. */
export async function findTextureByUrl(db: Db, urls: readonly string[]): Promise<TextureRow | undefined> {
  return await db
    .selectFrom('textures')
    .innerJoin('texture_data', 'texture_data.texture_hash', 'textures.hash')
    .selectAll('textures')
    .where('texture_data.url', 'in', urls)
    .limit(1)
    .executeTakeFirst();
}

export async function findTextureData(db: Db, identity: string): Promise<TextureDataRow | undefined> {
  return await db.selectFrom('texture_data').selectAll().where('identity', '=', identity).executeTakeFirst();
}

/** Stores signed data; if two workers made the same data, the first one stays. */
export async function keepTextureData(db: Db, data: TextureDataRow): Promise<void> {
  await KEEP_DATA.run(db, data);
}

const KEEP_DATA = new PreparedQuery((db, data: TextureDataRow) =>
  db
    .insertInto('texture_data')
    .values(data)
    .onConflict((conflict) => conflict.column('identity').doNothing()),
);

export async function hasTextureData(db: Db, identity: string): Promise<boolean> {
  return await exists(db.selectFrom('texture_data').select('identity').where('identity', '=', identity));
}

export async function copyTextureData(db: Db, from: string, to: string): Promise<void> {
  const data = await findTextureData(db, from);
  if (data) await keepTextureData(db, { ...data, identity: to });
}

export async function deleteTextureData(db: Db, identity: string): Promise<void> {
  await db.deleteFrom('texture_data').where('identity', '=', identity).execute();
}

/** Pictures checked in one statement, so that requests do not have to wait for all of them. */
const CHUNK = 1_000;

/** Removes pictures that are older than `before` and not needed by signed data, a cape, a player name or a job. */
export async function pruneUnusedTextures(db: Db, before: number): Promise<void> {
  let done: string | undefined = '';
  while (done !== undefined) {
    done = await pruneNextUnused(db, done, before);
    await setImmediate();
  }
}

/** Returns the last hash it has checked; undefined if there are no more. */
async function pruneNextUnused(db: Db, done: string, before: number): Promise<string | undefined> {
  const end = await db
    .selectFrom('textures')
    .select('hash')
    .where('hash', '>', done)
    .orderBy('hash')
    .offset(CHUNK - 1)
    .limit(1)
    .executeTakeFirst();
  let unused = db
    .deleteFrom('textures')
    .where('hash', '>', done)
    .where('created_at', '<', before)
    .where(
      sql<boolean>`not (${NEEDED}
        or exists (select 1 from jobs where texture_hash = textures.hash)
        or exists (select 1 from jobs where cape_hash = textures.hash))`,
    );
  if (end) unused = unused.where('hash', '<=', end.hash);
  await unused.execute();
  return end?.hash;
}

/** Whether skins, capes or names have the texture. */
const NEEDED = sql`exists (select 1 from texture_data where texture_hash = textures.hash)
  or exists (select 1 from texture_data where cape_hash = textures.hash)
  or exists (select 1 from capes where texture_hash = textures.hash)
  or exists (select 1 from wardrobe where texture_hash = textures.hash)
  or exists (select 1 from wardrobe where cape_hash = textures.hash)`;

/** Milliseconds for which a looked-up profile is reused: as long as in the hosted service. */
export const PLAYER_AGE = 30 * 60_000;

/** A player by UUID (32 lower-case digits) or by name. */
export type PlayerKey = { readonly id: string } | { readonly name: string };

/** The player's signed data, if it was looked up since `after` and still exists. */
export async function findPlayerData(
  db: Db,
  player: PlayerKey,
  after: number,
): Promise<TextureDataRow | undefined> {
  let query = db
    .selectFrom('players')
    .innerJoin('texture_data', 'texture_data.identity', 'players.identity')
    .selectAll('texture_data')
    .where('players.looked_up_at', '>', after);
  query =
    'id' in player
      ? query.where('players.id', '=', player.id)
      : query.where('players.name', '=', player.name.toLowerCase());
  // If two players had the same name, the one last seen with it.
  return await query.orderBy('players.looked_up_at', 'desc').limit(1).executeTakeFirst();
}

export async function rememberPlayer(db: Db, player: PlayerRow): Promise<void> {
  const row = { ...player, name: player.name.toLowerCase() };
  await db
    .insertInto('players')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** Removes players that would be looked up again anyway. */
export async function prunePlayers(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('players')
    .where('looked_up_at', '<=', now - PLAYER_AGE)
    .execute();
}

/** Adds the cape. False if its alias is taken. */
export async function insertCape(db: Db, cape: CapeRow): Promise<boolean> {
  return await insertNew(db, 'capes', cape);
}

export async function findCape(db: Db, uuid: string): Promise<CapeRow | undefined> {
  return await db.selectFrom('capes').selectAll().where('uuid', '=', uuid).executeTakeFirst();
}

export async function findCapeByAlias(db: Db, alias: string): Promise<CapeRow | undefined> {
  return await db.selectFrom('capes').selectAll().where('alias', '=', alias).executeTakeFirst();
}

/** The public cape with this texture, if there is one. */
export async function findPublicCapeOf(db: Db, textureHash: string): Promise<CapeRow | undefined> {
  return await db
    .selectFrom('capes')
    .selectAll()
    .where('texture_hash', '=', textureHash)
    .where('support', '=', 'public')
    .orderBy('alias')
    .executeTakeFirst();
}

/** The capes by alias. `support` undefined: all. */
export async function listCapes(db: Db, support?: CapeRow['support']): Promise<CapeRow[]> {
  const capes = db.selectFrom('capes').selectAll().orderBy('alias');
  return await (support === undefined ? capes : capes.where('support', '=', support)).execute();
}

export async function countCapes(db: Db): Promise<number> {
  return await countRows(db.selectFrom('capes'));
}

export async function changeCape(
  db: Db,
  uuid: string,
  change: Partial<Pick<CapeRow, 'alias' | 'support'>>,
): Promise<void> {
  await db.updateTable('capes').set(change).where('uuid', '=', uuid).execute();
}

/** False if the cape does not exist. Its texture stays as long as signed data or a job needs it. */
export async function deleteCapeRow(db: Db, uuid: string): Promise<boolean> {
  return await hasEffect(db.deleteFrom('capes').where('uuid', '=', uuid));
}
