import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { type LockEntry, withDigest } from '../../../protocol/lock-line.ts';
import { decodePng } from '../../../skin/png/decode.ts';
import { detectVariant } from '../../../skin/variant.ts';
import { textureName } from '../../../textures/property.ts';
import { fingerprintOf } from '../../../textures/signing-key.ts';
import type { Db } from '../../store/db.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { findServedTexture } from '../../store/textures.ts';
import { type Caller, requireUser } from '../callers.ts';
import { readRateLimit } from '../limits.ts';
import { Refusal } from '../refusal.ts';
import { readOwnSkins, type Searches, type SignedByContext, type SkinListQuery, signedBy } from './skins.ts';
/** Maximum skins per export; the next one starts after the last of them. */
export const MAX_EXPORTED = 5_000;
/** Skins to read at once. */
const PAGE = 64;
/** Simultaneous exports: per user, and in this process. */
const MAX_PER_OWNER = 2;
const MAX_EXPORTS = 8;

export interface ExportContext extends SignedByContext {
  readonly db: Db;
  readonly searches: Searches;
  readonly clock: Clock;
  readonly exports: Exports;
  readonly publicUrl: () => string;
  readonly isStopping: () => boolean;
}

/** The exports under way in this process. */
export class Exports {
  /** Maximum skins per export. */
  readonly most: number;
  readonly #owners: string[] = [];

  constructor(most = MAX_EXPORTED) {
    this.most = most;
  }

  /** Number of a user's exports. */
  of(owner: string): number {
    return this.#owners.filter((one) => one === owner).length;
  }

  get size(): number {
    return this.#owners.length;
  }

  /** Counts one until the returned function is called. */
  begin(owner: string): () => void {
    this.#owners.push(owner);
    let isOver = false;
    return () => {
      if (!isOver) this.#owners.splice(this.#owners.indexOf(owner), 1);
      isOver = true;
    };
  }
}

/** A skin with its picture, for a file. */
export interface ExportedSkin {
  readonly line: LockEntry;
  readonly png: Uint8Array;
  /** When the record was made, milliseconds since the epoch. */
  readonly time: number;
}

/** Selects the caller's skins to export. */
export type ExportQuery = Pick<SkinListQuery, 'after' | 'filter' | 'visibility' | 'variant'>;

/** An export that has begun. */
export interface SkinExport {
  /** Newest first. @returns `after` of the next export, if there are more skins */
  readonly skins: AsyncGenerator<ExportedSkin, string | undefined, void>;
  /** Call this when the export is over, however it ended. */
  readonly end: () => void;
}

/**
 * The caller's own skins with their pictures. Pictures that the operator has blocked are left out.
 * @throws Refusal `unauthorized`, `concurrency_limit`, `service_unavailable`
 */
export async function exportSkins(
  context: ExportContext,
  caller: Caller,
  query: ExportQuery,
): Promise<SkinExport> {
  requireUser(caller);
  const end = await beginExport(context, caller);
  return { skins: exported(context, caller, query), end };
}

/** The same for skins that have been read. @throws Refusal `concurrency_limit`, `service_unavailable` */
export async function exportThese(
  context: ExportContext,
  caller: Caller,
  skins: readonly SkinWithData[],
): Promise<SkinExport> {
  const end = await beginExport(context, caller);
  return { skins: withPictures(context, skins), end };
}

async function* withPictures(context: ExportContext, skins: readonly SkinWithData[]): SkinExport['skins'] {
  const written = new Written();
  for (const skin of skins) {
    const one = await withPicture(context, skin, written);
    if (one) yield one;
  }
  return undefined;
}

/**
 * Counts an export of the caller until the returned function is called.
 * @throws Refusal `concurrency_limit`, `service_unavailable`
 */
export async function beginExport(context: ExportContext, caller: Caller): Promise<() => void> {
  const { owner } = caller;
  const { exports, db, clock } = context;
  const rateLimit = await readRateLimit(db, caller, clock.now());
  if (context.isStopping()) throw new Refusal('service_unavailable', 'The service is shutting down.');
  if (exports.of(owner) >= MAX_PER_OWNER) {
    const message = `You already have ${MAX_PER_OWNER} exports under way, the maximum.`;
    throw new Refusal('concurrency_limit', { message, rateLimit });
  }
  if (exports.size >= MAX_EXPORTS)
    throw new Refusal('service_unavailable', 'Too many exports are under way.');
  return exports.begin(owner);
}

async function* exported(context: ExportContext, caller: Caller, query: ExportQuery): SkinExport['skins'] {
  const written = new Written();
  // Part of the file has been sent, and a refused page would break it off.
  const patient = { ...context, searches: context.searches.patient };
  let { after } = query;
  for (let read = 0; read < context.exports.most; ) {
    const size = Math.min(PAGE, context.exports.most - read);
    const { skins, next } = await readOwnSkins(patient, caller, { ...query, after, size });
    for (const skin of skins) {
      const one = await withPicture(context, skin, written);
      if (one) yield one;
    }
    if (next === undefined) return undefined;
    if (context.isStopping()) throw new Refusal('service_unavailable', 'The service is shutting down.');
    [after, read] = [next, read + size];
  }
  return after;
}

/** What an export remembers from one skin to the next. */
class Written {
  /** Paths of pictures. */
  readonly files = new Set<string>();
  /** Of this service's own keys: to make one takes longer than the rest of a line. */
  readonly #fingerprints = new Map<KeyObject, string>();

  fingerprintOf(key: KeyObject): string {
    const known = this.#fingerprints.get(key) ?? fingerprintOf(key);
    this.#fingerprints.set(key, known);
    return known;
  }
}

/** Undefined if its picture is blocked, or the skin was deleted just now. */
async function withPicture(
  context: ExportContext,
  skin: SkinWithData,
  written: Written,
): Promise<ExportedSkin | undefined> {
  const texture = await findServedTexture(context.db, skin.texture_hash);
  if (!texture) return undefined;
  const source = fileOf(skin, written.files);
  written.files.add(source);
  const detected = detectVariant(decodePng(texture.png)).variant;
  const line = await lineOf(context, skin, { source, detected, written });
  return { line, png: texture.png, time: skin.skin_created_at };
}

/** The path of the skin's picture, safe on every system and unique. */
function fileOf({ name, uuid }: SkinWithData, taken: ReadonlySet<string>): string {
  const stem = (name ?? '').replaceAll(/[^A-Za-z0-9_-]+/g, '_').replace(/^-/, '_');
  const file = `skins/${stem ? `${stem}-` : ''}${uuid.slice(0, 8)}.png`;
  return taken.has(file) ? `skins/${uuid}.png` : file;
}

interface Found {
  readonly source: string;
  readonly detected: 'classic' | 'slim';
  readonly written: Written;
}

/** The line that `skinsmith generate` would write. With these options, it recognizes the picture again. */
async function lineOf(
  context: ExportContext,
  skin: SkinWithData,
  { source, detected, written }: Found,
): Promise<LockEntry> {
  const { uuid, name, variant, visibility, value, signature, url, texture_hash } = skin;
  const service = context.publicUrl();
  const signing = await signedBy(context, skin);
  const key = signing === 'server' ? await context.ownKey() : undefined;
  return withDigest({
    source,
    pixels: texture_hash,
    options: { variant: variant === detected ? 'auto' : variant, visibility },
    uuid,
    name: name ?? undefined,
    variant,
    visibility,
    value,
    signature,
    texture: url,
    hash: textureName(url) || texture_hash,
    service,
    key: key && written.fingerprintOf(key),
    signer: { game: 'game', server: service, earlier: service, other: 'unproved' }[signing],
  });
}
