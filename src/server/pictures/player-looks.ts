import { ByteCache } from '../../base/caches.ts';
import { fetchBedrockProfile, parseBedrockPlayer } from '../../game/bedrock.ts';
import { GameError } from '../../game/errors.ts';
import type { Game } from '../../game/game.ts';
import { fetchSignedProfile, type SignedProfile } from '../../game/profiles.ts';
import { makePicture, type Picture } from '../../skin/picture.ts';
import { encodePng } from '../../skin/png/encode.ts';
import { pixelHash } from '../../skin/read-skin.ts';
import { faceRects, listParts, pixelOffsets, type Rect, type Variant } from '../../skin/regions.ts';
import { type KnownAddresses, LOOKUPS, LookupBudget } from '../pools.ts';
import type { Caller, StoreContext } from '../service/callers.ts';
import { findBlockedImage } from '../store/moderation.ts';
import { findServedTexture, type PlayerKey } from '../store/textures.ts';
import { findWorn } from '../store/wardrobe.ts';
import type { GameTextures, NamedTexture } from './renders.ts';

/** The two default skins for players without a skin of their own. */
export type DefaultName = 'steve' | 'alex';

export interface DefaultSkin {
  readonly texture: NamedTexture;
  readonly variant: Variant;
}

/** The default skin that the game shows for a player: Alex if the sum of every fourth byte of the UUID is odd. */
export function defaultNameOf(playerId: string): DefaultName {
  const odd = [7, 15, 23, 31].filter((at) => Number.parseInt(playerId[at] ?? '0', 16) % 2 === 1);
  return odd.length % 2 === 1 ? 'alex' : 'steve';
}

interface Look {
  readonly variant: Variant;
  readonly face: number;
  readonly hair: number;
  readonly shirt: number;
  readonly trousers: number;
  readonly shoes: number;
  readonly eyes: number;
}

/** The game's own pictures are protected by copyright, so ours only resemble them. */
const LOOKS = {
  steve: {
    variant: 'classic',
    face: 0xb58d77,
    hair: 0x3a2a1a,
    shirt: 0x1fa3a3,
    trousers: 0x3f3a8c,
    shoes: 0x5b5b5b,
    eyes: 0x4b3f8f,
  },
  alex: {
    variant: 'slim',
    face: 0xe8c3a3,
    hair: 0xd9803a,
    shirt: 0x7fae6b,
    trousers: 0x6b4a33,
    shoes: 0x4a4a4a,
    eyes: 0x3f6f4f,
  },
} as const satisfies Record<DefaultName, Look>;

/** Takes a moment, so keep the result. */
export function drawDefaultSkin(name: DefaultName): DefaultSkin {
  const picture = draw(LOOKS[name]);
  const texture = { hash: pixelHash(picture), png: encodePng(picture) };
  return { texture, variant: LOOKS[name].variant };
}

function draw({ variant, face, hair, shirt, trousers, shoes, eyes }: Look): Picture {
  const picture = makePicture(64, 64);
  const colours = {
    head: face,
    body: shirt,
    rightArm: face,
    leftArm: face,
    rightLeg: trousers,
    leftLeg: trousers,
  };
  for (const part of listParts('base')) {
    const colour = colours[part as keyof typeof colours];
    for (const rect of Object.values(faceRects(part, variant))) fill(picture, rect, colour);
  }
  const { top, front, ...sides } = faceRects('head', variant);
  fill(picture, top, hair);
  fill(picture, { ...front, height: 2 }, hair);
  for (const side of [sides.right, sides.left, sides.back]) fill(picture, { ...side, height: 4 }, hair);
  for (const x of [1, 5]) fill(picture, { x: front.x + x, y: front.y + 4, width: 2, height: 1 }, 0xffffff);
  for (const x of [2, 5]) fill(picture, { x: front.x + x, y: front.y + 4, width: 1, height: 1 }, eyes);
  fill(picture, { x: front.x + 3, y: front.y + 6, width: 2, height: 1 }, hair);
  for (const arm of ['rightArm', 'leftArm'] as const)
    paintSides(picture, faceRects(arm, variant), 0, 4, shirt);
  for (const leg of ['rightLeg', 'leftLeg'] as const)
    paintSides(picture, faceRects(leg, variant), 10, 2, shoes);
  return picture;
}

/** A band around a limb, `y` pixels below its upper end. */
function paintSides(
  picture: Picture,
  { right, front, left, back }: Record<'right' | 'front' | 'left' | 'back', Rect>,
  y: number,
  height: number,
  colour: number,
): void {
  for (const side of [right, front, left, back]) fill(picture, { ...side, y: side.y + y, height }, colour);
}

/** `colour`: 0xRRGGBB. */
function fill({ width, pixels }: Picture, rect: Rect, colour: number): void {
  for (const at of pixelOffsets(rect, width)) {
    pixels.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255], at);
  }
}

/** The origin of an answer. */
export type LookOrigin =
  /** An earlier look-up found that the player has no such texture. */
  | 'none'
  /** Nobody was asked. */
  | 'cached'
  /** Mojang was asked: the texture is the same, or there is none. */
  | 'checked'
  /** Mojang was asked, and the texture fetched. */
  | 'downloaded'
  /** Mojang could not be asked, and there is no earlier answer. */
  | 'failed'
  /** Mojang could not be asked; the texture is an earlier one. */
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

export interface PlayerLooksOptions extends StoreContext {
  readonly game: Game;
  readonly known: KnownAddresses;
  readonly gameTextures: GameTextures;
}

/**
 * The skins and capes that players wear, for pictures: by their names on this service, otherwise at Mojang. The latter are kept in memory only, because strangers may request any
 * player and must not fill the store. If the game is unreachable or a limit is reached, earlier answers are used.
 */
export class PlayerLooks {
  readonly #options: PlayerLooksOptions;
  readonly #budget: LookupBudget;
  readonly #bedrockBudget: LookupBudget;
  readonly #profiles = new ByteCache<Profile>(MAX_PROFILE_BYTES, () => PROFILE_BYTES);
  readonly #underWay = new Map<string, Promise<PlayerLook>>();
  readonly #defaults = new Map<DefaultName, DefaultSkin>();

  constructor(options: PlayerLooksOptions) {
    this.#options = options;
    this.#budget = new LookupBudget(options.clock, LOOKUPS.players);
    this.#bedrockBudget = new LookupBudget(options.clock, LOOKUPS.bedrock);
  }

  /** A player's skin or cape, unless its image is blocked. */
  async find(player: PlayerKey, kind: TextureKind, caller: Caller): Promise<PlayerLook> {
    const worn = await this.#findWorn(player, kind);
    if (worn) return worn;
    const look = await this.#find(player, kind, caller);
    const isHidden = look.texture && (await findBlockedImage(this.#options.db, look.texture.hash));
    return isHidden ? { ...look, texture: undefined } : look;
  }

  /** What the player's name wears on this service; undefined: nothing. */
  async #findWorn(player: PlayerKey, kind: TextureKind): Promise<PlayerLook | undefined> {
    const { db } = this.#options;
    const key = 'id' in player ? { playerId: player.id } : { name: player.name.toLowerCase() };
    const worn = await findWorn(db, key);
    if (!worn) return undefined;
    const { player_id: id, variant } = worn;
    const hash = kind === 'skin' ? worn.texture_hash : worn.cape_hash;
    const texture = hash === null ? undefined : await findServedTexture(db, hash);
    return { origin: texture ? 'cached' : 'none', id, variant, texture };
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
    const budget = bedrockOf(player) === undefined ? this.#budget : this.#bedrockBudget;
    const asked = budget.during(this.#options.known.holderOf(caller), async () => {
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
    const { clock } = this.#options;
    const found = await this.#readProfile(player);
    const profile = { ...found, checkedAt: clock.now() };
    this.#profiles.set(keyOf(player), profile);
    if (found.id !== undefined) this.#profiles.set(found.id, profile);
    return profile;
  }

  /** A player who does not exist has no textures. */
  async #readProfile(player: PlayerKey): Promise<Omit<Profile, 'checkedAt'>> {
    const id = 'id' in player ? player.id : await this.#idOf(player.name);
    try {
      const profile = await this.#askForProfile(player, id);
      if (!profile) return NOBODY;
      const { skin, cape } = profile.textures;
      return { id: profile.id, skin: skin?.url, cape: cape?.url, variant: skin?.variant ?? 'classic' };
    } catch (error) {
      const { kind } = error instanceof GameError ? error : {};
      if (kind === 'not_found' || kind === 'no_skin') return { ...NOBODY, id };
      throw error;
    }
  }

  /** Undefined if no player has the name, and for players of Bedrock Edition. */
  async #idOf(name: string): Promise<string | undefined> {
    return parseBedrockPlayer(name) === undefined
      ? (await this.#options.game.names.find(name))?.id
      : undefined;
  }

  async #askForProfile(player: PlayerKey, id: string | undefined): Promise<SignedProfile | undefined> {
    const { http } = this.#options.game;
    const bedrock = bedrockOf(player);
    if (bedrock !== undefined) return await fetchBedrockProfile(http, bedrock);
    return id === undefined ? undefined : await fetchSignedProfile(http, id);
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

/** Undefined for a player of Java Edition. */
function bedrockOf(player: PlayerKey): string | undefined {
  return parseBedrockPlayer('id' in player ? player.id : player.name);
}

function keyOf(player: PlayerKey): string {
  return 'id' in player ? player.id : `name ${player.name.toLowerCase()}`;
}
