import { ByteCache } from '../../base/caches.ts';
import type { Clock } from '../../base/clock.ts';
import { GameError } from '../../game/errors.ts';
import type { Game } from '../../game/game.ts';
import { fetchSignedProfile } from '../../game/profiles.ts';
import type { Variant } from '../../skin/variant.ts';
import type { Caller } from '../service/callers/caller.ts';
import type { Db } from '../store/db.ts';
import { findBlockedImage } from '../store/moderation.ts';
import type { PlayerKey } from '../store/textures.ts';
import { LOOKUPS, LookupBudget } from './budgets.ts';
import { type DefaultName, type DefaultSkin, drawDefaultSkin } from './default-skins.ts';
import type { GameTextures } from './game-textures.ts';
import type { NamedTexture } from './renders.ts';

/** The origin of an answer. */
export type LookOrigin =
  /** An earlier look-up found that the player has no such texture. */
  | 'none'
  /** Nobody was asked. */
  | 'cached'
  /** The game was asked: the texture is the same, or there is none. */
  | 'checked'
  /** The game was asked, and the texture fetched. */
  | 'downloaded'
  /** The game could not be asked, and no earlier answer is there. */
  | 'failed'
  /** The game could not be asked; the texture is an earlier one. */
  | 'stale';

export type TextureKind = 'skin' | 'cape';

export interface PlayerLook {
  readonly origin: LookOrigin;
  /** 32 digits; undefined for a name that no player has, or that could not be looked up. */
  readonly id: string | undefined;
  /** Undefined if the player has none, or one with a blocked image. */
  readonly texture: NamedTexture | undefined;
  readonly variant: Variant;
}

/** The textures in a profile. */
interface Profile {
  readonly id: string | undefined;
  readonly skin: string | undefined;
  readonly cape: string | undefined;
  readonly variant: Variant;
  /** Milliseconds since the epoch. */
  readonly checkedAt: number;
}

/** Milliseconds until a player is looked up again. The game's session server allows one request per player and minute. */
const FRESH = 20 * 60_000;
/** Bytes of profiles to keep. */
const MAX_PROFILE_BYTES = 4 * 1024 * 1024;
const PROFILE_BYTES = 300;

const NOBODY = { id: undefined, skin: undefined, cape: undefined, variant: 'classic' } as const;

export interface PlayerLooksOptions {
  readonly db: Db;
  readonly game: Game;
  readonly clock: Clock;
  readonly gameTextures: GameTextures;
}

/**
 * The skins and capes that players wear, for pictures. They are kept in memory only, because strangers may request any
 * player and must not fill the store. If the game is unreachable or a limit is reached, earlier answers are used.
 */
export class PlayerLooks {
  readonly #options: PlayerLooksOptions;
  readonly #budget: LookupBudget;
  readonly #profiles = new ByteCache<Profile>(MAX_PROFILE_BYTES, () => PROFILE_BYTES);
  readonly #underWay = new Map<string, Promise<PlayerLook>>();
  readonly #defaults = new Map<DefaultName, DefaultSkin>();

  constructor(options: PlayerLooksOptions) {
    this.#options = options;
    this.#budget = new LookupBudget(options.clock, LOOKUPS.players);
  }

  /** A player's skin or cape, unless its image is blocked. */
  async find(player: PlayerKey, kind: TextureKind, caller: Caller): Promise<PlayerLook> {
    const look = await this.#find(player, kind, caller);
    const isHidden = look.texture && (await findBlockedImage(this.#options.db, look.texture.hash));
    return isHidden ? { ...look, texture: undefined } : look;
  }

  async #find(player: PlayerKey, kind: TextureKind, caller: Caller): Promise<PlayerLook> {
    const key = keyOf(player);
    const known = this.#profiles.get(key);
    const isFresh = known !== undefined && this.#options.clock.now() - known.checkedAt < FRESH;
    if (isFresh) {
      const look = this.#keptLook(known, kind);
      if (look) return look;
    }
    const kept = known && this.#keptLook(known, kind);
    const search = { name: `${key} ${kind}`, player, kind, fresh: isFresh ? known : undefined };
    try {
      return await (this.#underWay.get(search.name) ?? this.#lookUp(caller, search));
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      if (kept) return { ...kept, origin: 'stale' };
      return { ...NOBODY, id: 'id' in player ? player.id : undefined, texture: undefined, origin: 'failed' };
    }
  }

  /** The default skin of a player without one. */
  defaultSkin(name: DefaultName): DefaultSkin {
    const made = this.#defaults.get(name) ?? drawDefaultSkin(name);
    this.#defaults.set(name, made);
    return made;
  }

  /**
   * Looks up the player. Concurrent requests for the same player wait for this answer, within their budgets.
   */
  #lookUp(caller: Caller, { name, player, kind, fresh }: Search): Promise<PlayerLook> {
    const asked = this.#budget.during(caller, async () => {
      return await this.#fetchTexture(fresh ?? (await this.#fetchProfile(player)), kind);
    });
    const looking = asked.finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, looking);
    return looking;
  }

  /** Undefined if its texture is no longer kept. */
  #keptLook({ id, variant, ...profile }: Profile, kind: TextureKind): PlayerLook | undefined {
    const url = profile[kind];
    if (url === undefined) return { origin: 'none', id, variant, texture: undefined };
    const texture = this.#options.gameTextures.kept(url);
    return texture && { origin: 'cached', id, variant, texture };
  }

  async #fetchProfile(player: PlayerKey): Promise<Profile> {
    const { clock, game } = this.#options;
    const id = 'id' in player ? player.id : (await game.names.find(player.name))?.id;
    const found = id === undefined ? NOBODY : await this.#readProfile(id);
    const profile = { ...found, checkedAt: clock.now() };
    this.#profiles.set(keyOf(player), profile);
    if (id !== undefined) this.#profiles.set(id, profile);
    return profile;
  }

  /** A player who does not exist has no textures. */
  async #readProfile(id: string): Promise<Omit<Profile, 'checkedAt'>> {
    const { http } = this.#options.game;
    try {
      const { textures } = await fetchSignedProfile(http, id);
      const { skin, cape } = textures;
      return { id, skin: skin?.url, cape: cape?.url, variant: skin?.variant ?? 'classic' };
    } catch (error) {
      if (error instanceof GameError && error.kind === 'not_found') return { ...NOBODY, id };
      throw error;
    }
  }

  async #fetchTexture({ id, variant, ...profile }: Profile, kind: TextureKind): Promise<PlayerLook> {
    const { gameTextures } = this.#options;
    const url = profile[kind];
    const kept = url === undefined ? undefined : gameTextures.kept(url);
    if (url === undefined || kept) return { origin: 'checked', id, variant, texture: kept };
    return { origin: 'downloaded', id, variant, texture: await gameTextures.fetch(url) };
  }
}

interface Search {
  /** What to look up. */
  readonly name: string;
  readonly player: PlayerKey;
  readonly kind: TextureKind;
  /** Known facts about the player, which need no request. */
  readonly fresh: Profile | undefined;
}

function keyOf(player: PlayerKey): string {
  return 'id' in player ? player.id : `name ${player.name.toLowerCase()}`;
}
