import { InvalidImageError, type Picture } from '../skin/picture.ts';
import { decodePng } from '../skin/png/decode.ts';
import { GameError } from './errors.ts';
import type { GameHttp } from './http.ts';

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
    throw new GameError('unexpected', "The texture's URL is not on the game's textures host.");
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
