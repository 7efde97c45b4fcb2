import { z } from 'zod';
import { parsedJson } from '../base/text.ts';
import { InvalidImageError, type Picture } from '../skin/picture.ts';
import { decodePng } from '../skin/png/decode.ts';
import {
  InvalidTexturesError,
  parseTexturesValue,
  type SkinData,
  type TextureModel,
  type Textures,
} from '../textures/property.ts';
import { type GameAnswer, GameError } from './errors.ts';
import type { GameHttp } from './http.ts';
import { isOfflineId, parsePlayerId, playerIdSchema } from './names.ts';

/** A player's profile as signed by the game. `value` and `signature` are kept byte for byte. */
export interface SignedProfile extends SkinData {
  /** 32 lower-case hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  /** The decoded `value`. */
  readonly textures: Textures;
  /** Actions that the game demands of the player, such as `USING_BANNED_SKIN`; usually none. */
  readonly actions: readonly string[];
}

interface ProfileOptions {
  /** Bypasses caches: right after a change of skin they hold the old one. */
  readonly isFresh?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const profileSchema = z.object({
  id: playerIdSchema,
  name: z.string().min(1).max(64),
  properties: z
    .array(
      z.object({
        name: z.string().max(64),
        value: z.string().max(32_768),
        signature: z.string().max(4096).optional(),
      }),
    )
    .max(16),
  profileActions: z.array(z.string().max(64)).max(16).default([]),
});

/**
 * A player's signed profile, by UUID with or without dashes. Does not verify the signature.
 * @throws GameError, `not_found` with the reason when the player does not exist
 */
export async function fetchSignedProfile(
  http: GameHttp,
  playerId: string,
  { isFresh = false, signal }: ProfileOptions = {},
): Promise<SignedProfile> {
  const id = readPlayerId(playerId);
  const path = `/session/minecraft/profile/${id}?unsigned=false${isFresh ? `&t=${http.clock.now()}` : ''}`;
  const meanings = { 400: 'not_found' } as const;
  const answer = await http.send({ service: 'session', path, meanings, signal });
  if (answer.status === 204) throw new GameError('not_found', `There is no player ${id}.`);
  const parsed = profileSchema.safeParse(parsedJson(answer.bytes));
  if (!parsed.success || parsed.data.id !== id) throw unreadable(id);
  return readProfile(parsed.data);
}

/** What a game server asks when a player joins: the player's name, and the secret that server and player agreed on. */
export interface JoinQuestion {
  readonly username: string;
  readonly serverId: string;
  /** Address of the player. */
  readonly ip?: string | undefined;
}

/** The game's answer, unchanged: a signed profile, or 204 for a player who has not joined. @throws GameError */
export async function askHasJoined(http: GameHttp, { ip, ...who }: JoinQuestion): Promise<GameAnswer> {
  const query = new URLSearchParams({ ...who, ...(ip !== undefined && { ip }) });
  return await http.send({
    service: 'joins',
    path: `/session/minecraft/hasJoined?${query}`,
    answers: [403],
  });
}

/** The profile of a player who has joined; undefined if the answer has no signed textures. */
export function readJoined({ bytes }: GameAnswer): SignedProfile | undefined {
  const parsed = profileSchema.safeParse(parsedJson(bytes));
  try {
    return parsed.success ? readProfile(parsed.data) : undefined;
  } catch (error) {
    if (error instanceof GameError) return undefined;
    throw error;
  }
}

function readPlayerId(text: string): string {
  const id = parsePlayerId(text);
  if (id === undefined) throw new GameError('not_found', 'The text is not a UUID of a player.');
  if (!isOfflineId(id)) return id;
  throw new GameError(
    'not_found',
    `${id} is the UUID of a player on a server in offline mode (version 3), made from the name ` +
      'there. Mojang does not know it. Use the name or UUID of a Minecraft account.',
  );
}

function readProfile({
  id,
  name,
  properties,
  profileActions,
}: z.output<typeof profileSchema>): SignedProfile {
  const { value, signature } = properties.find((property) => property.name === 'textures') ?? {};
  if (value === undefined || signature === undefined) throw unreadable(id);
  try {
    return { id, name, value, signature, textures: parseTexturesValue(value), actions: profileActions };
  } catch (error) {
    if (error instanceof InvalidTexturesError) throw unreadable(id, error);
    throw error;
  }
}

function unreadable(id: string, cause?: unknown): GameError {
  const message = `The session server's profile of ${id} has no valid signed textures.`;
  return new GameError('unexpected', message, { status: 200, cause });
}

export interface GameTexture {
  /** Its name: SHA-256 of the file without leading zeros, lower case. */
  readonly hash: string;
  readonly bytes: Buffer;
  /** 64×64 or 64×32: a skin or a cape. */
  readonly picture: Picture;
}

/** Maximum bytes of a texture: 64×64 pixels never compress to more. */
const MAX_TEXTURE_BYTES = 20_000;
const HASH = /^[0-9a-f]{1,64}$/;

/**
 * The hash in a texture's URL if it is on the textures host: signed profiles write it with `http:`. Undefined for
 * any other URL.
 */
export function textureHashOf(textures: string, url: string): string | undefined {
  const address = URL.parse(url);
  const host = new URL(`${textures}/texture/`);
  if (!address || !/^https?:$/.test(address.protocol) || address.username || address.password)
    return undefined;
  if (address.host !== host.host || !address.pathname.startsWith(host.pathname)) return undefined;
  const hash = address.pathname.slice(host.pathname.length);
  return HASH.test(hash) ? hash : undefined;
}

/**
 * The texture at a URL from a profile. Fetches from the textures host only.
 * @throws GameError, `unexpected` when the URL is on another host or does not serve a picture: then its cause is an
 * InvalidImageError
 */
export async function downloadTexture(
  http: GameHttp,
  url: string,
  signal?: AbortSignal,
): Promise<GameTexture> {
  const hash = textureHashOf(http.addresses.textures, url);
  if (hash === undefined) {
    throw new GameError('unexpected', "The texture's URL is not on Minecraft's textures host.");
  }
  const { bytes } = await http.send({ service: 'textures', path: `/texture/${hash}`, signal });
  try {
    return { hash, bytes, picture: decodePng(bytes, { maxBytes: MAX_TEXTURE_BYTES }) };
  } catch (cause) {
    if (!(cause instanceof InvalidImageError)) throw cause;
    throw new GameError('unexpected', `The texture ${hash} cannot be read: ${cause.message}`, {
      status: 200,
      cause,
    });
  }
}

/** The current skin of a player. */
export interface PlayerSkin {
  readonly name: string;
  /** A PNG file of a skin. */
  readonly bytes: Uint8Array;
  readonly variant: TextureModel;
}

/**
 * A player's current skin, by UUID with or without dashes.
 * @throws GameError, `not_found` when the player does not exist or has no skin
 */
export async function fetchPlayerSkin(
  http: GameHttp,
  playerId: string,
  signal?: AbortSignal,
): Promise<PlayerSkin> {
  const { name, textures } = await fetchSignedProfile(http, playerId, { signal });
  if (!textures.skin) throw new GameError('not_found', `The player ${name} has no skin.`);
  const { bytes } = await downloadTexture(http, textures.skin.url, signal);
  return { name, bytes, variant: textures.skin.variant };
}
