import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { ALL_GAMES, type GameRange } from '../../../pack/games.ts';
import { idsOf } from '../../../pack/names.ts';
import { DataPack, deflated, PACK_MARK, type PackFile, ResourcePack } from '../../../pack/pack.ts';
import { INDEX_NAME, type IndexedSkin, indexText } from '../../../pack/pack-index.ts';
import { type PackSkinTexture, skinTexture } from '../../../pack/texture.ts';
import { ZipWriter } from '../../../pack/zip.ts';
import type { Db } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import type { SetRow } from '../../store/schema/tables.ts';
import { givePackId, membersOf, type SetMember } from '../../store/sets.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { findServedTexture } from '../../store/textures.ts';
import type { Caller } from '../callers.ts';
import { Refusal } from '../refusal.ts';
import { type ExportContext, packInTurn } from './export.ts';
import { type FullSet, isForEverybody } from './sets.ts';
import { findByReference } from './skins.ts';

/** Skins after which other requests have their turn. */
const TURN = 16;
/** Bytes of a text that takes some ten milliseconds to compress. */
const LARGE = 32 * 1024;

interface SkinPackOptions {
  readonly namespace: string;
  readonly game?: GameRange | undefined;
}

/** A pack that someone waits for. */
interface Wanted {
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

export interface SkinPackQuery extends SkinPackOptions, Wanted {
  /** UUIDs or short ids. */
  readonly ids: readonly string[];
}

export interface SetPackQuery extends Partial<SkinPackOptions>, Wanted {
  readonly read: () => Promise<FullSet>;
  readonly kind: 'resource' | 'data';
}

interface PackContent extends SkinPackOptions {
  readonly kind: SetPackQuery['kind'];
  /** For the description. */
  readonly about: string;
  /** What earlier packs called skins, by UUID. */
  readonly ids?: ReadonlyMap<string, string | undefined>;
}

/** A resource pack with skins, or the data pack that belongs to it. */
export interface SkinPack {
  readonly bytes: Buffer;
  readonly sha1: string;
  readonly isPublic: boolean;
}

/**
 * A resource pack of skins that the caller may see, the same bytes as long as they do not change. One that is gone is no
 * part to leave out: game servers know a pack by its SHA-1.
 * @throws Refusal `skin_not_found`, `concurrency_limit`, `service_unavailable`
 */
export async function packSkins(
  context: ExportContext,
  caller: Caller,
  { ids, signal, ...options }: SkinPackQuery,
): Promise<SkinPack> {
  const described = { ...options, kind: 'resource', about: `Skins of ${options.namespace}` } as const;
  const make = async () => await packed(named(context, caller, ids), described);
  return await packInTurn(context, caller, { make, signal });
}

/**
 * A pack of a set that the caller sees, without skins whose pictures are blocked. A set has up to a megabyte, so none is
 * read before its pack is made.
 * @throws Refusal as `packSkins` does, and as `read` does
 */
export async function packSet(
  context: ExportContext,
  caller: Caller,
  { read, kind, signal, namespace, game }: SetPackQuery,
): Promise<SkinPack & { readonly slug: string }> {
  const make = async () => {
    const full = await read();
    const { set, skins } = full;
    const ids = await packIdsOf(context.db, set);
    const options = { namespace: namespace ?? set.namespace, game, kind, about: set.name, ids };
    const pack = await packed(withTextures(context, skins), options);
    return { ...pack, slug: set.slug, isPublic: pack.isPublic && isForEverybody(full) };
  };
  return await packInTurn(context, caller, { make, signal });
}

interface TexturedSkin {
  readonly skin: SkinWithData;
  readonly texture: PackSkinTexture;
}

/** @throws Refusal `skin_not_found` */
async function* named(
  context: ExportContext,
  caller: Caller,
  ids: readonly string[],
): AsyncGenerator<TexturedSkin, void, void> {
  for (const id of ids) {
    const skin = await findByReference(context, caller, id);
    const texture = skin && (await textureOf(context, skin));
    if (!texture) throw noSkin(id);
    yield { skin, texture };
  }
}

async function* withTextures(
  context: ExportContext,
  skins: readonly SkinWithData[],
): AsyncGenerator<TexturedSkin, void, void> {
  for (const skin of skins) {
    const texture = await textureOf(context, skin);
    if (texture) yield { skin, texture };
  }
}

async function packed(
  skins: AsyncIterable<TexturedSkin>,
  { namespace, game = ALL_GAMES, kind, about, ids: known }: PackContent,
): Promise<SkinPack> {
  const options = { namespace, game, description: about };
  const resources = new ResourcePack(options);
  const data = kind === 'data' ? new DataPack(options) : undefined;
  const found = await oneOfEach(skins);
  const ids = idsOf(
    found.map(({ skin }) => ({ stem: stemOf(skin), key: skin.uuid, id: known?.get(skin.uuid) })),
  );
  const indexed: IndexedSkin[] = [];
  const files: PackFile[] = [(data ?? resources).meta()];
  for (const [at, { skin, texture }] of found.entries()) {
    const added = resources.add({ id: ids[at]!, name: stemOf(skin), skin: texture });
    files.push(...(data ? data.add(added.skin) : added.files));
    indexed.push({ source: skin.uuid, ...added.skin });
    if (at % TURN === 0) await turn();
  }
  files.push(...(data?.rest() ?? [indexFile(indexed, options)]));
  const bytes = await zipOf(files);
  return {
    bytes,
    sha1: hash('sha1', bytes),
    isPublic: found.every(({ skin }) => skin.visibility !== 'private'),
  };
}

/** What a skin is called in packs. */
function stemOf({ name, uuid }: Pick<SkinWithData, 'name' | 'uuid'>): string {
  return name ?? uuid;
}

/** All of them, as their ids depend on whether several have one name. */
async function oneOfEach(skins: AsyncIterable<TexturedSkin>): Promise<TexturedSkin[]> {
  const found = new Map<string, TexturedSkin>();
  for await (const one of skins) {
    found.set(one.skin.uuid, one);
    if (found.size % TURN === 0) await turn();
  }
  return [...found.values()];
}

function indexFile(
  skins: readonly IndexedSkin[],
  { namespace, game }: { readonly namespace: string; readonly game: GameRange },
): PackFile {
  const index = indexText({ namespace, game: `${game.from}..${game.to}`, pack: 'pack.zip', skins });
  return { path: INDEX_NAME, bytes: Buffer.from(index), isText: true };
}

/** Undefined if the picture is blocked, or the skin was deleted just now. */
async function textureOf(context: ExportContext, skin: SkinWithData): Promise<PackSkinTexture | undefined> {
  const row = await findServedTexture(context.db, skin.texture_hash);
  if (!row) return undefined;
  const variant = skin.variant === 'slim' ? 'slim' : 'classic';
  return skinTexture(row.png, { variant });
}

function noSkin(id: string): Refusal {
  return new Refusal('skin_not_found', `There is no skin ${id}, or it is someone else's private one.`);
}

async function zipOf(files: readonly PackFile[]): Promise<Buffer> {
  const zip = new ZipWriter();
  const chunks: Uint8Array[] = [];
  for (const [at, file] of files.entries()) {
    if (at % TURN === 0 || file.bytes.length > LARGE) await turn();
    chunks.push(...zip.file({ name: file.path, bytes: file.bytes, deflated: deflated(file) }));
  }
  return Buffer.concat([...chunks, zip.end(PACK_MARK)]);
}

/**
 * What the packs of a set call its skins, by UUID. A skin gets its id when a pack of the set is first made with it, and
 * keeps it while it is in the set: worlds contain it.
 */
async function packIdsOf(
  db: Db,
  { id }: Pick<SetRow, 'id'>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const known = await membersOf(db, id);
  const isComplete = known.every(({ pack_id }) => pack_id !== null);
  const members = isComplete ? known : await inManagement(db, async (tx) => await completed(tx, id));
  return new Map(members.map(({ uuid, pack_id }) => [uuid, pack_id ?? undefined]));
}

async function completed(tx: Db, set: number): Promise<SetMember[]> {
  const members = await membersOf(tx, set);
  const ids = idsOf(
    members.map(({ uuid, name, pack_id }) => ({ stem: name ?? uuid, key: uuid, id: pack_id ?? undefined })),
  );
  for (const [at, member] of members.entries())
    if (member.pack_id === null) await givePackId(tx, set, { ...member, pack_id: ids[at]! });
  return members.map((member, at) => ({ ...member, pack_id: ids[at]! }));
}
