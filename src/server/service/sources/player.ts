import { VERSION } from '../../../base/version.ts';
import { fetchBedrockProfile, floodgatePlayer, parseBedrockPlayer } from '../../../game/bedrock.ts';
import { GameError, type GameErrorKind } from '../../../game/errors.ts';
import type { Game } from '../../../game/game.ts';
import { isOfflineId, isPlayerName, parsePlayerId } from '../../../game/names.ts';
import { downloadTexture, fetchSignedProfile, type SignedProfile } from '../../../game/profiles.ts';
import type { Note } from '../../../protocol/envelope.ts';
import { InvalidImageError, makePicture, type Picture } from '../../../skin/picture.ts';
import { pixelHash } from '../../../skin/read-skin.ts';
import type { Textures } from '../../../textures/property.ts';
import {
  capeRowOf,
  findPlayerData,
  findTextureData,
  PLAYER_AGE,
  type PlayerKey,
  rememberPlayer,
  type TextureContent,
  textureRowOf,
} from '../../store/textures.ts';
import type { StoreContext } from '../callers.ts';
import { type LimitedRequest, readRateLimit, requireRoom, spendGeneration, withWait } from '../limits.ts';
import { Refusal } from '../refusal.ts';
import { profileIdentity } from '../skins/identity.ts';
import { withinFetchLimits } from './fetches.ts';
import type { SignedMaterial, SourceContext, SourceRequest } from './source.ts';

/** Milliseconds to wait if the game does not say how long. */
const UNSAID_WAIT = 10_000;

/** Messages for refusals that are about the caller's input; all others are problems of the game's services. */
type Meanings = Readonly<Partial<Record<GameErrorKind, (error: GameError) => Refusal | Promise<Refusal>>>>;

/**
 * Sends a request to the game's services for a caller. @throws Refusal according to `meanings`, or
 * `service_unavailable`
 */
export async function requestFromGame<T>(
  context: StoreContext,
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
  { db, clock }: StoreContext,
  { caller, via }: LimitedRequest,
  cause: GameError,
): Promise<Refusal> {
  const isLimit = cause.kind === 'rate_limited';
  const message = isLimit
    ? "Mojang's services are limiting requests; try again later."
    : "Mojang's services cannot be reached.";
  const wait = Math.ceil(cause.retryAfter ?? UNSAID_WAIT);
  const now = clock.now();
  const rateLimit = await readRateLimit(db, caller, now, via);
  return new Refusal('service_unavailable', {
    message,
    cause,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(wait / 1000))) },
    ...(isLimit && { rateLimit: withWait(rateLimit, wait, now) }),
  });
}

/** A player's profile that Mojang has signed, with a skin. */
interface ProvedProfile extends SignedProfile {
  readonly textures: Textures & Required<Pick<Textures, 'skin'>>;
}

/** Used in place of a worker's name if no worker was involved. */
const NO_WORKER = 'lookup';

/** A profile with its pictures, which are fetched from the game. @throws GameError */
async function readProfileData(
  game: Game,
  { id, value, signature, textures }: ProvedProfile,
  { identity, duration }: { readonly identity: string; readonly duration: () => number },
): Promise<SignedMaterial> {
  const { url, variant } = textures.skin;
  const { skin, unreadable } = await readSkinTexture(game, url);
  const cape = textures.cape && (await readCape(game, textures.cape.url));
  const data = {
    identity,
    texture_hash: skin.hash,
    variant,
    value,
    signature,
    url,
    generator_version: VERSION,
    account: id,
    server: new URL(game.http.addresses.sessionServer).host,
    worker: NO_WORKER,
    duration: duration(),
    cape_hash: cape?.hash ?? null,
    cape_url: textures.cape?.url ?? null,
  };
  const pictures = cape ? [skin, cape] : [skin];
  return { kind: 'signed', data, textures: pictures, ...(unreadable !== undefined && { unreadable }) };
}

/** The skin's picture, or a placeholder and the reason. The game's signature is valid in either case. */
async function readSkinTexture(
  game: Game,
  url: string,
): Promise<{ readonly skin: TextureContent; readonly unreadable?: string }> {
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
export function unreadableNote({ data, unreadable = '' }: SignedMaterial): Note[] {
  if (!isPlaceholder(data.texture_hash)) return [];
  const message = `The player's texture cannot be read, so pictures of this skin show a placeholder. Value and signature come from Mojang. ${unreadable}`;
  return [{ code: 'texture_unreadable', message: message.trimEnd() }];
}

async function readPicture(game: Game, url: string): Promise<Picture> {
  const { picture } = await downloadTexture(game.http, url);
  return picture;
}

/** The skin is usable without its cape, so an unreadable cape is reported by its address only. */
async function readCape(game: Game, url: string): Promise<TextureContent | undefined> {
  try {
    return capeRowOf(await readPicture(game, url));
  } catch (error) {
    if (error instanceof GameError && (error.kind === 'not_found' || error.kind === 'unexpected'))
      return undefined;
    throw error;
  }
}

/**
 * A player's skin as signed by Mojang. A successful lookup costs as much as a generation; a profile from a recent
 * lookup, and a lookup that finds no player or no skin, cost nothing. The number of requests to other servers is
 * limited separately (fetches.ts).
 * @throws Refusal `invalid_user`, `invalid_skin_data`, `rate_limit`, `service_unavailable`
 */
export async function readPlayer(
  context: SourceContext,
  text: string,
  request: SourceRequest,
): Promise<SignedMaterial> {
  const player = parsePlayer(text);
  const known = await findPlayerData(context.db, player, context.clock.now() - PLAYER_AGE);
  if (known) return { kind: 'signed', data: known };
  await requireRoom(context, request);
  return await withinFetchLimits(context, request, async () => await lookUp(context, player, request));
}

function parsePlayer(text: string): PlayerKey {
  const bedrock = floodgatePlayer(text);
  if (bedrock) return bedrock;
  const id = parsePlayerId(text);
  if (id === undefined && isPlayerName(text)) return { name: text };
  if (id === undefined) {
    throw new Refusal(
      'invalid_user',
      "Give the player's UUID (32 hexadecimal digits, or 36 characters with dashes) or name (at most 16 letters, digits and _), or bedrock: and the name of a player of Bedrock Edition.",
    );
  }
  if (!isOfflineId(id)) return { id };
  throw new Refusal(
    'invalid_user',
    'This UUID (version 3) comes from a server in offline mode, so Mojang does not know the player. Give the UUID or name of a game account.',
  );
}

async function lookUp(
  context: SourceContext,
  player: PlayerKey,
  request: SourceRequest,
): Promise<SignedMaterial> {
  const { clock, db } = context;
  const start = clock.monotonic();
  const profile = await verified(context, await askForProfile(context, player, request), request);
  const { id, name } = profile;
  const identity = profileIdentity(profile);
  await spendGeneration(context, request);
  await rememberPlayer(db, { id, name, identity, looked_up_at: clock.now() });
  const known = await findTextureData(db, identity);
  if (known) return { kind: 'signed', data: known };
  const duration = () => Math.round(clock.monotonic() - start);
  return await requestFromGame(
    context,
    request,
    async () => await readProfileData(context.game, profile, { identity, duration }),
    {
      not_found: () => unusable('its texture is missing'),
      unexpected: (cause) =>
        new Refusal('invalid_user', { message: `The player's skin cannot be used. ${cause.message}`, cause }),
    },
  );
}

async function askForProfile(
  context: SourceContext,
  player: PlayerKey,
  request: SourceRequest,
): Promise<SignedProfile> {
  const { http, names } = context.game;
  const key = 'id' in player ? player.id : player.name;
  const bedrock = parseBedrockPlayer(key);
  const ask = async () => {
    if (bedrock !== undefined) return await fetchBedrockProfile(http, bedrock);
    const found = 'id' in player ? player : await names.find(player.name);
    if (found) return await fetchSignedProfile(http, found.id);
    throw new GameError('not_found', 'No player has this name.');
  };
  return await requestFromGame(context, request, ask, {
    no_skin: ({ message }) =>
      new Refusal(
        'invalid_user',
        `${message} It has the skins of players who have joined a Java server through Geyser.`,
      ),
    not_found: () => {
      const named = 'id' in player ? `with the UUID ${player.id}` : `called ${player.name}`;
      return new Refusal('invalid_user', `There is no player ${named}.`);
    },
    unexpected: (cause) => unusable('it cannot be read', cause),
  });
}

async function verified(
  context: SourceContext,
  profile: SignedProfile,
  request: SourceRequest,
): Promise<ProvedProfile> {
  const { name, value, signature, textures } = profile;
  const { skin } = textures;
  if (!skin) {
    throw new Refusal('invalid_user', `${name} only has a default skin, which is not signed.`);
  }
  const { keys } = context.game;
  const isSigned = await requestFromGame(
    context,
    request,
    async () => await keys.hasSigned(value, signature),
  );
  if (!isSigned) throw unusable('Mojang has not signed it');
  return { ...profile, textures: { ...textures, skin } };
}

function unusable(why: string, cause?: unknown): Refusal {
  return new Refusal('invalid_skin_data', { message: `The player's profile cannot be used: ${why}.`, cause });
}
