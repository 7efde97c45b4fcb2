import type { Clock } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import { GameError, type GameErrorKind } from '../../game/errors.ts';
import type { Game } from '../../game/game.ts';
import { downloadTexture } from '../../game/profiles.ts';
import type { Note } from '../../protocol/envelope.ts';
import { InvalidImageError, makePicture, type Picture } from '../../skin/picture.ts';
import { pixelHash } from '../../skin/read-skin.ts';
import type { SkinData } from '../../textures/property.ts';
import { type LimitedRequest, rateLimitOf } from '../service/limits.ts';
import { Refusal } from '../service/refusal.ts';
import type { ProfileLook } from '../service/skins/identity.ts';
import { recallCaller } from '../store/callers.ts';
import type { Db } from '../store/db.ts';
import type { TextureDataRow } from '../store/schema/tables.ts';
import { capeRowOf, textureRowOf } from '../store/textures.ts';
import type { FoundData, SignedMaterial } from './source.ts';

/** Milliseconds to wait if the game does not say how long. */
const UNSAID_WAIT = 10_000;

/** Messages for refusals that are about the caller's input; all others are problems of the game's services. */
type Meanings = Readonly<Partial<Record<GameErrorKind, (error: GameError) => Refusal | Promise<Refusal>>>>;

/**
 * Sends a request to the game's services for a caller. @throws Refusal according to `meanings`, or
 * `service_unavailable`
 */
export async function requestFromGame<T>(
  context: { readonly db: Db; readonly clock: Clock },
  request: LimitedRequest,
  ask: () => Promise<T>,
  meanings: Meanings = {},
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    throw (await meanings[error.kind]?.(error)) ?? (await unavailable(context, request, error));
  }
}

/** An error of neither the caller nor this service, with the time to wait in the header and in the body. */
async function unavailable(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { caller, via }: LimitedRequest,
  cause: GameError,
): Promise<Refusal> {
  const isLimit = cause.kind === 'rate_limited';
  const message = isLimit
    ? "The game's services are limiting requests; try again later."
    : "The game's services cannot be reached.";
  const wait = Math.ceil(cause.retryAfter ?? UNSAID_WAIT);
  const now = clock.now();
  const rateLimit = rateLimitOf(await recallCaller(db, caller.owner, now), caller, now, via);
  return new Refusal('service_unavailable', {
    message,
    cause,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(wait / 1000))) },
    ...(isLimit && { rateLimit: { ...rateLimit, next: { absolute: now + wait, relative: wait } } }),
  });
}

/** The parts of a signed profile that make up skin data. */
export interface ProfileFacts extends ProfileLook, SkinData {
  readonly identity: string;
}

type NewTexture = FoundData['textures'][number];

/** Used in place of a worker's name if no worker was involved. */
const NO_WORKER = 'lookup';

/** A profile whose data is in the store. */
export function keptProfile(row: TextureDataRow): SignedMaterial {
  const { identity, variant, texture_hash, cape_hash } = row;
  return {
    kind: 'signed',
    identity,
    variant,
    textureHash: texture_hash,
    capeHash: cape_hash,
    found: undefined,
  };
}

/** A profile with its pictures, which are fetched from the game. @throws GameError */
export async function readProfileData(
  game: Game,
  facts: ProfileFacts,
  duration: () => number,
): Promise<SignedMaterial> {
  const { identity, variant, skinUrl, capeUrl } = facts;
  const { skin, unreadable } = await readSkinTexture(game, skinUrl);
  const cape = capeUrl === undefined ? undefined : await readCape(game, capeUrl);
  const data = {
    identity,
    texture_hash: skin.hash,
    variant,
    value: facts.value,
    signature: facts.signature,
    url: skinUrl,
    generator_version: VERSION,
    account: facts.id,
    server: new URL(game.http.addresses.sessionServer).host,
    worker: NO_WORKER,
    duration: duration(),
    cape_hash: cape?.hash ?? null,
    cape_url: capeUrl ?? null,
  };
  return {
    kind: 'signed',
    identity,
    variant,
    textureHash: skin.hash,
    capeHash: data.cape_hash,
    found: { data, textures: cape ? [skin, cape] : [skin] },
    ...(unreadable !== undefined && { unreadable }),
  };
}

/** The skin's picture, or a placeholder and the reason. The game's signature is valid in either case. */
async function readSkinTexture(
  game: Game,
  url: string,
): Promise<{ readonly skin: NewTexture; readonly unreadable?: string }> {
  try {
    return { skin: textureRowOf(await readPicture(game, url)) };
  } catch (error) {
    if (!(error instanceof GameError && error.cause instanceof InvalidImageError)) throw error;
    return { skin: textureRowOf(placeholder()), unreadable: error.cause.message };
  }
}

/** Size of the squares in the pattern that the game shows for a missing texture. */
const SQUARE = 8;
const MAGENTA = [0xf8, 0x00, 0xf8, 0xff];
const BLACK = [0x00, 0x00, 0x00, 0xff];

function placeholder(): Picture {
  const picture = makePicture(64, 64);
  for (let at = 0; at < 64 * 64; at++) {
    const isOdd = (Math.floor((at % 64) / SQUARE) + Math.floor(at / 64 / SQUARE)) % 2 === 1;
    picture.pixels.set(isOdd ? MAGENTA : BLACK, at * 4);
  }
  return picture;
}

/** Whether a texture in the store is only the placeholder for an unreadable one. */
export function isPlaceholder(hash: string): boolean {
  return hash === pixelHash(placeholder());
}

/** The note for a player whose texture cannot be read. */
export function unreadableNote({ textureHash, unreadable = '' }: SignedMaterial): Note[] {
  if (!isPlaceholder(textureHash)) return [];
  const message = `The player's texture cannot be read, so pictures of this skin show a placeholder. Value and signature come from the game. ${unreadable}`;
  return [{ code: 'texture_unreadable', message: message.trimEnd() }];
}

async function readPicture(game: Game, url: string): Promise<Picture> {
  const { picture } = await downloadTexture(game.http, url);
  return picture;
}

/** The skin is usable without its cape, so an unreadable cape is reported by its address only. */
async function readCape(game: Game, url: string): Promise<NewTexture | undefined> {
  try {
    return capeRowOf(await readPicture(game, url));
  } catch (error) {
    if (error instanceof GameError && (error.kind === 'not_found' || error.kind === 'unexpected'))
      return undefined;
    throw error;
  }
}
