import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { ALL_GAMES, type GameRange } from '../../../pack/games.ts';
import {
  deflated,
  INDEX_NAME,
  type IndexedSkin,
  indexText,
  PACK_MARK,
  type PackFile,
  ResourcePack,
} from '../../../pack/pack.ts';
import { type PackSkinTexture, skinTexture } from '../../../pack/texture.ts';
import { ZipWriter } from '../../../pack/zip.ts';
import { readHeader } from '../../../skin/png/decode.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { findServedTexture } from '../../store/textures.ts';
import type { WebPages } from '../callers/authenticate.ts';
import type { Caller } from '../callers/caller.ts';
import { Refusal } from '../refusal.ts';
import { beginExport, type ExportContext } from './export.ts';
import { fullUuid, readSkin } from './skins.ts';

/** Skins after which other requests have their turn. */
const TURN = 16;

export interface SkinPackQuery {
  /** UUIDs or short ids. */
  readonly ids: readonly string[];
  readonly namespace: string;
  readonly game?: GameRange | undefined;
}

/** A resource pack with skins. */
export interface SkinPack {
  readonly bytes: Buffer;
  readonly sha1: string;
  /** Whether everyone may have it. */
  readonly isPublic: boolean;
}

type PackContext = ExportContext & { readonly webPages: WebPages };

/**
 * A resource pack of skins that the caller may see, the same bytes as long as they do not change. One that is gone is no
 * part to leave out: game servers know a pack by its SHA-1.
 * @throws Refusal `skin_not_found`, `concurrency_limit`, `service_unavailable`
 */
export async function packSkins(
  context: PackContext,
  caller: Caller,
  query: SkinPackQuery,
): Promise<SkinPack> {
  const end = await beginExport(context, caller);
  try {
    return await packed(context, caller, query);
  } finally {
    end();
  }
}

async function packed(
  context: PackContext,
  caller: Caller,
  { ids, namespace, game = ALL_GAMES }: SkinPackQuery,
): Promise<SkinPack> {
  const pack = new ResourcePack({ namespace, game, description: `Skins of ${namespace}` });
  const skins: IndexedSkin[] = [];
  const files: PackFile[] = [pack.meta()];
  const seen = new Set<string>();
  let isPublic = true;
  for (const id of ids) {
    const { skin, texture } = await withTexture(context, caller, id);
    if (seen.has(skin.uuid)) continue;
    seen.add(skin.uuid);
    isPublic &&= skin.visibility !== 'private';
    const added = pack.add({ stem: skin.name ?? skin.uuid, skin: texture });
    files.push(...added.files);
    skins.push({ source: skin.uuid, ...added.skin });
    if (seen.size % TURN === 0) await turn();
  }
  const index = indexText({ namespace, game: `${game.from}..${game.to}`, pack: 'pack.zip', skins });
  files.push({ path: INDEX_NAME, bytes: Buffer.from(index), isText: true });
  const bytes = zipOf(files);
  return { bytes, sha1: hash('sha1', bytes), isPublic };
}

/** @throws Refusal `skin_not_found` */
async function withTexture(
  context: PackContext,
  caller: Caller,
  id: string,
): Promise<{ skin: SkinWithData; texture: PackSkinTexture }> {
  const skin = await readNamed(context, caller, id);
  const row = await findServedTexture(context.db, skin.texture_hash);
  if (!row) throw notFound(id);
  const variant = skin.variant === 'slim' ? 'slim' : 'classic';
  // Textures are stored in sound files; only those of 64×32 have to be converted.
  const isModern = readHeader(row.png).height === 64;
  const texture: PackSkinTexture = isModern
    ? { png: row.png, pixels: skin.texture_hash, variant }
    : skinTexture(row.png, { variant });
  return { skin, texture };
}

async function readNamed(context: PackContext, caller: Caller, id: string): Promise<SkinWithData> {
  try {
    return await readSkin(context, caller, await fullUuid(context, caller, id));
  } catch (error) {
    throw error instanceof Refusal && error.code === 'skin_not_found' ? notFound(id) : error;
  }
}

function notFound(id: string): Refusal {
  return new Refusal('skin_not_found', `There is no skin ${id}, or it is somebody else's private one.`);
}

function zipOf(files: readonly PackFile[]): Buffer {
  const zip = new ZipWriter();
  const pieces = files.flatMap((file) =>
    zip.file({ name: file.path, bytes: file.bytes, deflated: deflated(file) }),
  );
  return Buffer.concat([...pieces, zip.end(PACK_MARK)]);
}
