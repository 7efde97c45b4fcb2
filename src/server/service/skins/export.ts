import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { RateLimit } from '../../../protocol/envelope.ts';
import { type LockEntry, withDigest } from '../../../protocol/lock-line.ts';
import { decodePng } from '../../../skin/png/decode.ts';
import { detectVariant } from '../../../skin/variant.ts';
import { textureName } from '../../../textures/property.ts';
import { fingerprintOf } from '../../../textures/signing-key.ts';
import { type KnownAddresses, Line, type Progress, SHARES, Slots, type Turns } from '../../pools.ts';
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
/** Skins after which others have their turn: each costs a third of a millisecond. */
const PER_TURN = 8;
/** Milliseconds after which an export must have been read at the least speed, in bytes per second, to keep its place. */
const GRACE = 10_000;
const LEAST_SPEED = 64 * 1024;

export interface ExportContext extends SignedByContext {
  readonly db: Db;
  readonly searches: Searches;
  readonly clock: Clock;
  readonly exports: Exports;
  readonly known: KnownAddresses;
  readonly turns: Pick<Turns, 'next'>;
  readonly publicUrl: () => string;
  readonly isStopping: () => boolean;
}

/** The exports and packs under way in this process. */
export class Exports {
  /** Maximum skins per export. */
  readonly most: number;
  readonly #known: KnownAddresses;
  readonly #exports = new Slots(SHARES.exports);
  readonly #packs = new Line(SHARES.packs);

  constructor(known: KnownAddresses, most = MAX_EXPORTED) {
    this.#known = known;
    this.most = most;
  }

  /** Counts an export until the returned function is called, or says why there is no place. */
  begin(caller: Caller, progress?: Progress): (() => void) | 'one' | 'all' {
    return this.#exports.enter(this.#known.holderOf(caller), progress);
  }

  /** Makes a pack when it is the caller's turn, or says why there is no place. */
  pack<T>(caller: Caller, make: () => Promise<T>): Promise<T> | 'one' | 'all' {
    const holder = this.#known.holderOf(caller);
    return this.#packs.fullFor(holder) ?? this.#packs.enter(holder, make);
  }
}

/** How fast an export is read. Give it what ends the export, so that others get its place if that is too slow. */
export class Reading implements Progress {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #begun: number;
  #bytes = 0;
  #end = () => {};

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#begun = clock.monotonic();
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  whenDropped(end: () => void): void {
    this.#end = end;
  }

  rank(): number | undefined {
    const age = this.#clock.monotonic() - this.#begun;
    const speed = (this.#bytes * 1_000) / age;
    return age > GRACE && speed < LEAST_SPEED ? speed : undefined;
  }

  drop(): void {
    this.#end();
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

export interface SkinExport {
  /** Newest first. @returns `after` of the next export, if there are more skins */
  readonly skins: AsyncGenerator<ExportedSkin, string | undefined, void>;
  /** Tell it what has been read. */
  readonly reading: Reading;
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
  const begun = await beginExport(context, caller);
  return { skins: exported(context, caller, query), ...begun };
}

/** Skins under a name for their file. */
export interface NamedSkins {
  readonly file: string;
  readonly skins: readonly SkinWithData[];
}

/**
 * The same for skins that `read` finds once there is a place: a set has up to a megabyte.
 * @throws Refusal `concurrency_limit`, `service_unavailable`, and what `read` throws
 */
export async function exportThese(
  context: ExportContext,
  caller: Caller,
  read: () => Promise<NamedSkins>,
): Promise<SkinExport & Pick<NamedSkins, 'file'>> {
  const begun = await beginExport(context, caller);
  try {
    const { file, skins } = await read();
    return { file, skins: all(withPictures(context, caller, skins)), ...begun };
  } catch (error) {
    begun.end();
    throw error;
  }
}

async function* all(skins: AsyncGenerator<ExportedSkin>): SkinExport['skins'] {
  yield* skins;
  return undefined;
}

/** Those whose pictures are not blocked, a few in each turn of the event loop. */
async function* withPictures(
  context: ExportContext,
  caller: Caller,
  skins: readonly SkinWithData[],
  written = new Written(),
): AsyncGenerator<ExportedSkin, void, void> {
  const holder = context.known.holderOf(caller);
  for (const [at, skin] of skins.entries()) {
    if (at % PER_TURN === 0) await context.turns.next(holder);
    const one = await withPicture(context, skin, written);
    if (one) yield one;
  }
}

/** Counts an export of the caller. @throws Refusal `concurrency_limit`, `service_unavailable` */
async function beginExport(
  context: ExportContext,
  caller: Caller,
): Promise<Pick<SkinExport, 'reading' | 'end'>> {
  const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
  verifyRunning(context);
  const reading = new Reading(context.clock);
  const end = context.exports.begin(caller, reading);
  if (typeof end === 'string') throw tooMany('exports', end, rateLimit);
  return { reading, end };
}

/**
 * Makes a pack when it is the caller's turn, unless the caller is gone by then.
 * @throws Refusal `concurrency_limit`, `service_unavailable`
 */
export async function packInTurn<T>(
  context: ExportContext,
  caller: Caller,
  { make, signal }: { readonly make: () => Promise<T>; readonly signal: AbortSignal },
): Promise<T> {
  verifyRunning(context);
  const makeIfWanted = async () => {
    verifyRunning(context);
    if (signal.aborted) throw new Refusal('service_unavailable', 'Nobody waits for the pack any more.');
    return await make();
  };
  const packing = context.exports.pack(caller, makeIfWanted);
  if (typeof packing !== 'string') return await packing;
  throw tooMany('packs', packing, await readRateLimit(context.db, caller, context.clock.now()));
}

function verifyRunning({ isStopping }: ExportContext): void {
  if (isStopping()) throw new Refusal('service_unavailable', 'The service is shutting down.');
}

function tooMany(what: 'exports' | 'packs', full: 'one' | 'all', rateLimit: RateLimit): Refusal {
  if (full === 'all') return new Refusal('service_unavailable', `Too many ${what} are under way.`);
  const message = `You already have the maximum number of ${what} under way.`;
  return new Refusal('concurrency_limit', { message, rateLimit });
}

async function* exported(context: ExportContext, caller: Caller, query: ExportQuery): SkinExport['skins'] {
  const written = new Written();
  // Part of the file has been sent, and a refused page would break it off.
  const patient = { ...context, searches: context.searches.patient };
  let { after } = query;
  for (let read = 0; read < context.exports.most; ) {
    const size = Math.min(PAGE, context.exports.most - read);
    const { skins, next } = await readOwnSkins(patient, caller, { ...query, after, size });
    yield* withPictures(context, caller, skins, written);
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
