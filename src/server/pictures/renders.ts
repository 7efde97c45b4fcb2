import { hash } from 'node:crypto';
import { ByteCache } from '../../base/caches.ts';
import type { Clock } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import type { Game } from '../../game/game.ts';
import { downloadTexture, textureHashOf } from '../../game/profiles.ts';
import { encodePng } from '../../skin/png/encode.ts';
import { pixelHash } from '../../skin/read-skin.ts';
import type { Variant } from '../../skin/regions.ts';
import {
  type AnyView,
  CARD,
  lineupSize,
  MAX_GROUP,
  MAX_LINEUP,
  type View,
  widthOf,
} from '../../skin/render/views.ts';
import { Allowances, untilAffordable } from '../fairness.ts';
import { type Holder, type KnownAddresses, Line, LOOKUPS, LookupBudget, SHARES } from '../pools.ts';
import type { Caller, StoreContext } from '../service/callers.ts';
import { ownPath, textureHashIn } from '../service/own-addresses.ts';
import { Refusal } from '../service/refusal.ts';
import { waitRefusal } from '../service/request-limits.ts';
import { readSkin } from '../service/skins/skins.ts';
import { requestFromGame } from '../service/sources/player.ts';
import type { SourceContext } from '../service/sources/source.ts';
import { findKnownTexture, type GameAddress } from '../service/sources/url.ts';
import type { Db } from '../store/db.ts';
import { findBlockedImage } from '../store/moderation.ts';
import type { SkinWithData } from '../store/skins.ts';
import { findServedTexture, findServedTextures } from '../store/textures.ts';
import type { Draw, RenderJob, RenderThread } from './render-thread.ts';

/** A texture's name, and a function that reads its bytes. */
export interface NamedTexture {
  readonly hash: string;
  readonly png: Uint8Array;
}

export interface RenderInput extends Omit<RenderJob, 'skin' | 'cape' | 'beside'> {
  readonly skin: NamedTexture;
  readonly cape?: NamedTexture | undefined;
  readonly beside?: readonly { readonly skin: NamedTexture; readonly variant: Variant | 'auto' }[];
}

export interface Render {
  /** A PNG. */
  readonly bytes: Uint8Array;
  /** Identifies the picture for ETag: equal inputs have equal names. */
  readonly name: string;
}

/** Bytes of pictures to keep: thousands of small ones. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024;
/** For pictures that stand in for others. */
const SERVICE: Holder = { name: 'service', isKnown: true };
/** Pixels: pages scale it. */
const STAND_IN_SIZE = 64;

/** The pictures that this process has drawn. Each is drawn once, for the first request. */
export class Renders {
  readonly #budget: RenderBudget;
  readonly #known: KnownAddresses;
  readonly #line = new Line(SHARES.pictures);
  readonly #cache = new ByteCache<Uint8Array>(MAX_CACHE_BYTES, ({ length }) => length);
  readonly #underWay = new Map<string, Promise<Uint8Array>>();
  readonly #draw: Draw;
  #thread: Promise<RenderThread> | undefined;

  /** `draw`: default: in a thread of its own. */
  constructor(budget: RenderBudget, known: KnownAddresses, draw?: Draw) {
    this.#budget = budget;
    this.#known = known;
    this.#draw = draw ?? (async (job) => await this.#drawInThread(job));
  }

  /** The name that `render` would give the picture, for callers that may already have it. */
  nameOf({ skin, cape, view, variant, overlay, width, height, beside = [] }: RenderInput): string {
    const input = [VERSION, skin.hash, cape?.hash ?? '', view, variant, overlay, width, height];
    const others = beside.map((one) => [one.skin.hash, one.variant]);
    return hash('sha256', JSON.stringify([...input, ...others]), 'base64url');
  }

  /**
   * Only a picture that has to be drawn counts against the caller's budget. `name`: from `nameOf`, if it is known.
   * @throws Refusal `rate_limit`, or `service_unavailable` when too many pictures wait to be drawn
   */
  async render(input: RenderInput, caller: Caller, name = this.nameOf(input)): Promise<Render> {
    const bytes = this.#cache.get(name) ?? this.#underWay.get(name) ?? this.#drawFor(caller, name, input);
    return { bytes: await bytes, name };
  }

  async close(): Promise<void> {
    await (await this.#thread)?.stop();
  }

  /** A picture of a default skin, for callers who have used up their budget. It does not count against it. */
  async standIn(skin: NamedTexture, variant: Variant, view: AnyView): Promise<Uint8Array> {
    const input = { skin, variant, view, overlay: true, width: STAND_IN_SIZE, height: STAND_IN_SIZE };
    const name = this.nameOf(input);
    const draw = async () => await this.#line.inTurn(SERVICE, async () => await this.#draw(jobOf(input)));
    return await (this.#cache.get(name) ?? this.#underWay.get(name) ?? this.#keep(name, draw()));
  }

  #drawFor(caller: Caller, name: string, input: RenderInput): Promise<Uint8Array> {
    const holder = this.#known.holderOf(caller);
    if (this.#line.fullFor(holder) !== undefined) {
      const message = 'Too many pictures are waiting to be drawn. Try again in a moment.';
      throw new Refusal('service_unavailable', { message, headers: { 'Retry-After': '1' } });
    }
    const { isLarge } = this.#budget.spend(caller, input);
    return this.#keep(
      name,
      this.#line.enter(holder, async () => await this.#draw(jobOf(input)), { isLarge }),
    );
  }

  #keep(name: string, drawing: Promise<Uint8Array>): Promise<Uint8Array> {
    const drawn = drawing.finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, drawn);
    return drawn.then((bytes) => {
      this.#cache.set(name, bytes);
      return bytes;
    });
  }

  async #drawInThread(job: RenderJob): Promise<Uint8Array> {
    this.#thread ??= import('./render-thread.ts').then(({ RenderThread }) => new RenderThread());
    return await (await this.#thread).draw(job);
  }
}

function jobOf({ skin, cape, beside, ...options }: RenderInput): RenderJob {
  const others = beside?.map((one) => ({ ...one, skin: one.skin.png }));
  return { ...options, skin: skin.png, cape: cape?.png, beside: others };
}

/** Bytes of textures to keep. */
const MAX_BYTES = 16 * 1024 * 1024;

const gone = () => new Refusal('not_found', 'Texture not found.');

interface GameTexturesOptions extends StoreContext {
  readonly known: KnownAddresses;
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
      this.#budget
        .during(this.#options.known.holderOf(caller), () => this.fetch(url))
        .finally(() => this.#underWay.delete(hash));
    this.#underWay.set(hash, fetching);
    return await fetching;
  }
}

/** What a caller may choose about a picture. */
export interface RenderChoice {
  readonly view: View;
  /** Height in pixels. */
  readonly size: number;
  readonly overlay: boolean;
}

export interface TextureSource {
  readonly db: Db;
}

/** The picture of a stored texture. @throws Refusal `not_found` */
export async function textureInput(
  textures: TextureSource,
  hash: string,
  choice: RenderChoice & { readonly variant: Variant | 'auto' },
): Promise<RenderInput> {
  return inputFor(await storedTexture(textures, hash), choice);
}

/**
 * The picture of a skin, in its own variant and with its cape, for callers who may see the skin.
 * @throws Refusal `skin_not_found`
 */
export async function skinInput(
  textures: TextureSource,
  caller: Caller,
  uuid: string,
  choice: RenderChoice,
): Promise<{ readonly input: RenderInput; readonly visibility: SkinWithData['visibility'] }> {
  const skin = await readSkin(textures, caller, uuid);
  return { input: await inputOfSkin(textures, skin, choice), visibility: skin.visibility };
}

/** The same for a skin that the caller may see. */
export async function inputOfSkin(
  textures: TextureSource,
  { texture_hash, cape_hash, variant }: Pick<SkinWithData, 'texture_hash' | 'cape_hash' | 'variant'>,
  choice: RenderChoice,
): Promise<RenderInput> {
  const input = inputFor(await storedTexture(textures, texture_hash), { ...choice, variant });
  const showsCape = choice.view === 'back' && cape_hash !== null;
  return showsCape ? { ...input, cape: await storedTexture(textures, cape_hash) } : input;
}

/** The card of a skin, with its cape. */
export async function cardInput(
  textures: TextureSource,
  { texture_hash, cape_hash, variant }: Pick<SkinWithData, 'texture_hash' | 'cape_hash' | 'variant'>,
): Promise<RenderInput> {
  const skin = await storedTexture(textures, texture_hash);
  const cape = cape_hash === null ? undefined : await storedTexture(textures, cape_hash);
  return { ...CARD, view: 'card', skin, cape, variant, overlay: true };
}

type GroupSkin = Pick<SkinWithData, 'texture_hash' | 'variant'>;

/** The card of several skins. Skins whose pictures are blocked are left out. @throws Refusal `not_found` */
export async function groupInput(textures: TextureSource, skins: readonly GroupSkin[]): Promise<RenderInput> {
  const [first, ...beside] = await figuresOf(textures, skins, MAX_GROUP);
  if (!first) throw noPictures();
  return { ...first, ...CARD, view: 'group', beside, overlay: true };
}

/** The first of these skins side by side, without blocked pictures. @throws Refusal `not_found` */
export async function lineupInput(
  textures: TextureSource,
  skins: readonly GroupSkin[],
): Promise<RenderInput> {
  const [first, ...beside] = await figuresOf(textures, skins, MAX_LINEUP);
  if (!first) throw noPictures();
  const { width, height } = lineupSize(1 + beside.length);
  return { ...first, width, height, view: 'lineup', beside, overlay: true };
}

interface Figure {
  readonly skin: NamedTexture;
  readonly variant: Variant;
}

/** The first of these skins whose pictures are not blocked. */
async function figuresOf(
  { db }: TextureSource,
  skins: readonly GroupSkin[],
  most: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (let at = 0; at < skins.length && figures.length < most; at += most) {
    const some = skins.slice(at, at + most);
    const found = await findServedTextures(
      db,
      some.map(({ texture_hash }) => texture_hash),
    );
    for (const { texture_hash, variant } of some) {
      const skin = found.get(texture_hash);
      if (skin) figures.push({ skin, variant });
    }
  }
  return figures.slice(0, most);
}

function noPictures(): Refusal {
  return new Refusal('not_found', 'None of the skins has a picture.');
}

export function inputFor(
  skin: NamedTexture,
  { view, size, overlay, variant }: RenderChoice & { readonly variant: Variant | 'auto' },
): RenderInput & { readonly view: AnyView } {
  return { skin, view, variant, overlay, width: widthOf(view, size), height: size };
}

/** @throws Refusal `not_found` */
export async function storedTexture({ db }: TextureSource, hash: string): Promise<NamedTexture> {
  const texture = await findServedTexture(db, hash);
  if (!texture) throw new Refusal('not_found', 'Texture not found.');
  return texture;
}

/**
 * The texture at a URL of this service or of the game. Fetches nothing else, because it could be anything.
 * @throws Refusal `invalid_image_url`, `not_found`, `rate_limit`, `service_unavailable`
 */
export async function textureAt(
  context: TextureSource & Pick<SourceContext, 'ownAddresses'> & { readonly gameTextures: GameTextures },
  text: string,
  caller: Caller,
): Promise<NamedTexture> {
  const own = ownTextureAt(context, text);
  if (own !== undefined) return await storedTexture(context, own);
  const address = context.gameTextures.addressOf(text);
  if (address) return await context.gameTextures.find(address, caller);
  throw new Refusal('invalid_image_url', 'Only textures of Minecraft and of this service can be drawn.');
}

function ownTextureAt(context: Pick<SourceContext, 'ownAddresses'>, text: string): string | undefined {
  const url = URL.parse(text);
  const path = url ? ownPath(context, url) : undefined;
  return path === undefined ? undefined : textureHashIn(path);
}

/** Pixels per unit of the budget. Smaller pictures count as one unit. */
const UNIT = 256 * 256;
/** Units per minute and caller: 600 heads, or 37 of the largest pictures, which take two seconds to draw. */
const UNITS_PER_MINUTE = 600;
/** With more callers than this, those with a full budget are forgotten. */
const MAX_DRAWING = 10_000;

/** Limits drawing per caller. Each process counts by itself. */
export class RenderBudget {
  readonly #clock: Clock;
  readonly #allowances = new Allowances(UNITS_PER_MINUTE, MAX_DRAWING);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws Refusal `rate_limit` */
  spend(
    caller: Caller,
    { width, height }: { readonly width: number; readonly height: number },
  ): { readonly isLarge: boolean } {
    const allowance = this.#allowances.of(caller.owner, this.#clock.monotonic());
    const cost = Math.ceil((width * height) / UNIT);
    const wait = untilAffordable(allowance, cost, UNITS_PER_MINUTE);
    if (wait > 0) throw this.#refusal(caller, wait);
    allowance.left -= cost;
    return { isLarge: cost > 1 };
  }

  #refusal(caller: Caller, wait: number): Refusal {
    return waitRefusal('rate_limit', {
      message:
        'This address has requested too many new pictures in the last minute. Wait, or request smaller ones.',
      caller,
      wait: Math.max(1_000, wait),
      now: this.#clock.now(),
    });
  }
}
