import { ByteCache } from '../../base/caches.ts';
import type { Clock } from '../../base/clock.ts';
import type { Game } from '../../game/game.ts';
import { downloadTexture, textureHashOf } from '../../game/profiles.ts';
import { encodePng } from '../../skin/png/encode.ts';
import { pixelHash } from '../../skin/read-skin.ts';
import type { Caller } from '../service/callers.ts';
import { Refusal } from '../service/refusal.ts';
import { requestFromGame } from '../sources/profile-data.ts';
import { findKnownTexture, type GameAddress } from '../sources/url.ts';
import type { Db } from '../store/db.ts';
import { findBlockedImage } from '../store/moderation.ts';
import { LOOKUPS, LookupBudget } from './budgets.ts';
import type { NamedTexture } from './renders.ts';

/** Bytes of textures to keep. */
const MAX_BYTES = 16 * 1024 * 1024;

const gone = () => new Refusal('not_found', 'Texture not found.');

export interface GameTexturesOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly game: Game;
}

/**
 * The game's textures for pictures, by the hash of their pixels. They are kept in memory only, because strangers may
 * request any and must not fill the store.
 */
export class GameTextures {
  readonly #options: GameTexturesOptions;
  readonly #budget: LookupBudget;
  /** By the game's own hash, because signed data and web pages spell the address differently. */
  readonly #kept = new ByteCache<NamedTexture>(MAX_BYTES, ({ png }) => png.length);
  readonly #underWay = new Map<string, Promise<NamedTexture>>();

  constructor(options: GameTexturesOptions) {
    this.#options = options;
    this.#budget = new LookupBudget(options.clock, LOOKUPS.textures);
  }

  /** The address of a texture on the game's textures host; undefined for any other URL. */
  addressOf(url: string): GameAddress | undefined {
    const hash = textureHashOf(this.#options.game.http.addresses.textures, url);
    return hash === undefined ? undefined : { url, hash };
  }

  /** The texture at an address, if it is still kept. */
  kept(url: string): NamedTexture | undefined {
    const address = this.addressOf(url);
    return address && this.#kept.get(address.hash);
  }

  /** Fetches it from the game, whether or not it is kept. @throws GameError */
  async fetch(url: string): Promise<NamedTexture> {
    const { hash, picture } = await downloadTexture(this.#options.game.http, url);
    // Encoded again, so that nothing but the pixels is passed on.
    const texture = { hash: pixelHash(picture), png: encodePng(picture) };
    this.#kept.set(hash, texture);
    return texture;
  }

  /**
   * The texture that a caller wants to see. @throws Refusal `not_found`, also for a blocked image;
   * `service_unavailable`
   */
  async find(address: GameAddress, caller: Caller): Promise<NamedTexture> {
    const known = this.#kept.get(address.hash) ?? (await findKnownTexture(this.#options, address));
    const texture = known ?? (await this.#fetchFor(caller, address));
    if (await findBlockedImage(this.#options.db, texture.hash)) throw gone();
    return texture;
  }

  async #fetchFor(caller: Caller, address: GameAddress): Promise<NamedTexture> {
    const request = { caller, via: 'queue' } as const;
    const ask = async () => await this.#fetchOnce(caller, address);
    return await requestFromGame(this.#options, request, ask, { not_found: gone, unexpected: gone });
  }

  /** Concurrent requests for a texture wait for the same answer. */
  async #fetchOnce(caller: Caller, { url, hash }: GameAddress): Promise<NamedTexture> {
    const fetching =
      this.#underWay.get(hash) ??
      this.#budget.during(caller, () => this.fetch(url)).finally(() => this.#underWay.delete(hash));
    this.#underWay.set(hash, fetching);
    return await fetching;
  }
}
