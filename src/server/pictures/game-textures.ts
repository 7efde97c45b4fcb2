import { ByteCache } from '../../base/byte-cache.ts';
import type { Game } from '../../game/game.ts';
import { downloadTexture, textureHashOf } from '../../game/textures.ts';
import { encodePng } from '../../skin/png/encode.ts';
import type { NamedTexture } from './renders.ts';

/** Bytes of textures that are kept. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface GameTexturesOptions {
  readonly game: Game;
}

/** The game's textures that pictures are made of, kept in memory only: strangers ask for any, and must not fill the store. */
export class GameTextures {
  readonly #options: GameTexturesOptions;
  /** By the game's own hash: signed data and web pages spell the address differently. */
  readonly #kept = new ByteCache<NamedTexture>(MAX_BYTES, ({ png }) => png.length);

  constructor(options: GameTexturesOptions) {
    this.#options = options;
  }

  /** The texture at an address, if it is still kept. */
  kept(url: string): NamedTexture | undefined {
    const hash = textureHashOf(this.#options.game.http.addresses.textures, url);
    return hash === undefined ? undefined : this.#kept.get(hash);
  }

  /** Has the game send it, whether or not it is kept. @throws GameError */
  async fetch(url: string): Promise<NamedTexture> {
    const { hash, picture } = await downloadTexture(this.#options.game.http, url);
    // Encoded again: what others put into their files is not passed on.
    const texture = { hash, png: encodePng(picture) };
    this.#kept.set(hash, texture);
    return texture;
  }
}
