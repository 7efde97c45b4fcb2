import { type AnyView, type View, widthOf } from '../../skin/render/render.ts';
import type { Variant } from '../../skin/variant.ts';
import type { Caller } from '../service/callers.ts';
import { Refusal } from '../service/refusal.ts';
import { readSkin, type ServedTextures } from '../service/skins/skins.ts';
import type { SourceContext } from '../sources/reserve-slot.ts';
import { ownPath, textureHashIn } from '../sources/url.ts';
import type { Db } from '../store/db.ts';
import type { SkinWithData } from '../store/skins.ts';
import { CARD, type GroupText, lineupSize, MAX_GROUP, MAX_LINEUP } from './card.ts';
import type { GameTextures } from './game-textures.ts';
import type { NamedTexture, RenderInput } from './renders.ts';

/** What a caller may choose about a picture. */
export interface RenderChoice {
  readonly view: View;
  /** Height in pixels. */
  readonly size: number;
  readonly overlay: boolean;
}

/** Where stored textures come from. */
export interface TextureSource {
  readonly servedTextures: ServedTextures;
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
  { db, servedTextures }: TextureSource & { readonly db: Db },
  caller: Caller,
  uuid: string,
  choice: RenderChoice,
): Promise<{ readonly input: RenderInput; readonly visibility: SkinWithData['visibility'] }> {
  const skin = await readSkin({ db }, caller, uuid);
  return { input: await inputOfSkin({ servedTextures }, skin, choice), visibility: skin.visibility };
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

/** A picture of the whole skin with its cape, from all sides. */
export async function wholeInput(
  textures: TextureSource,
  { texture_hash, cape_hash, variant }: Pick<SkinWithData, 'texture_hash' | 'cape_hash' | 'variant'>,
  picture: Pick<RenderInput, 'view' | 'text' | 'width' | 'height'>,
): Promise<RenderInput> {
  const skin = await storedTexture(textures, texture_hash);
  const cape = cape_hash === null ? undefined : await storedTexture(textures, cape_hash);
  return { ...picture, skin, cape, variant, overlay: true };
}

type GroupSkin = Pick<SkinWithData, 'texture_hash' | 'variant'>;

/** The card of several skins. Skins whose pictures are blocked are left out. @throws Refusal `not_found` */
export async function groupInput(
  textures: TextureSource,
  skins: readonly GroupSkin[],
  text: Omit<GroupText, 'count'>,
): Promise<RenderInput> {
  const [first, ...beside] = await figuresOf(textures, skins, MAX_GROUP);
  if (!first) throw noPictures();
  const group = { beside, text: { ...text, count: skins.length } };
  return { ...first, ...CARD, view: 'group', group, overlay: true };
}

/** The first of these skins side by side, without texts, likewise. @throws Refusal `not_found` */
export async function lineupInput(
  textures: TextureSource,
  skins: readonly GroupSkin[],
): Promise<RenderInput> {
  const [first, ...beside] = await figuresOf(textures, skins, MAX_LINEUP);
  if (!first) throw noPictures();
  const { width, height } = lineupSize(1 + beside.length);
  return { ...first, width, height, view: 'lineup', group: { beside }, overlay: true };
}

interface Figure {
  readonly skin: NamedTexture;
  readonly variant: Variant;
}

async function figuresOf(
  { servedTextures }: TextureSource,
  skins: readonly GroupSkin[],
  most: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { texture_hash, variant } of skins) {
    const skin = figures.length < most ? await servedTextures.find(texture_hash) : undefined;
    if (skin) figures.push({ skin, variant });
  }
  return figures;
}

function noPictures(): Refusal {
  return new Refusal('not_found', 'None of the skins has a picture.');
}

/** The picture of any texture. */
export function inputFor(
  skin: NamedTexture,
  { view, size, overlay, variant }: RenderChoice & { readonly variant: Variant | 'auto' },
): RenderInput & { readonly view: AnyView } {
  return { skin, view, variant, overlay, width: widthOf(view, size), height: size };
}

/** @throws Refusal `not_found` */
export async function storedTexture({ servedTextures }: TextureSource, hash: string): Promise<NamedTexture> {
  const texture = await servedTextures.find(hash);
  if (!texture) throw new Refusal('not_found', 'Texture not found.');
  return texture;
}

interface TextureAtContext extends TextureSource, Pick<SourceContext, 'ownAddresses'> {
  readonly gameTextures: GameTextures;
}

/**
 * The texture at a URL of this service or of the game. Fetches nothing else, because it could be anything.
 * @throws Refusal `invalid_image_url`, `not_found`, `rate_limit`, `service_unavailable`
 */
export async function textureAt(
  context: TextureAtContext,
  text: string,
  caller: Caller,
): Promise<NamedTexture> {
  const own = ownTextureAt(context, text);
  if (own !== undefined) return await storedTexture(context, own);
  const address = context.gameTextures.addressOf(text);
  if (address) return await context.gameTextures.find(address, caller);
  throw new Refusal('invalid_image_url', 'Only textures of the game and of this service can be drawn.');
}

function ownTextureAt(context: Pick<SourceContext, 'ownAddresses'>, text: string): string | undefined {
  const url = URL.parse(text);
  const path = url ? ownPath(context, url) : undefined;
  return path === undefined ? undefined : textureHashIn(path);
}
