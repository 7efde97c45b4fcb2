import type { Picture } from '../picture.ts';
import { decodePng } from '../png/decode.ts';
import { encodeSmallPng } from '../png/encode.ts';
import { decodeCape, fitSkin } from '../read-skin.ts';
import { type Rect, scaleRect, type Variant } from '../regions.ts';
import { chooseVariant } from '../variant.ts';
import { drawFlat, FACE, FIGURE } from './flat.ts';
import { drawSolid, SCENES } from './solid.ts';
import { type AnyView, DEFAULT_SIZE, DEFAULT_VIEW, MAX_SIZE, MIN_SIZE, type View, widthOf } from './views.ts';

interface LookOptions {
  readonly variant: Variant;
  /** Whether to draw the outer layer; default true. */
  readonly overlay?: boolean | undefined;
  /** A cape's texture, 64×32; shown in `back`. */
  readonly cape?: Picture | undefined;
}

interface ViewOptions extends LookOptions {
  readonly view: View;
  /** Height in pixels, a whole number from 8 to 1024. Whole figures are half as wide, the others square. */
  readonly size: number;
}

/**
 * A picture of a skin on a transparent background, by nearest neighbour, with every pixel in a colour of the skin
 * (blended where the overlay is translucent). `picture`: 64×64, or 64×32, which is completed as in the game.
 * @throws RangeError for a size out of bounds
 */
export function drawView(picture: Picture, { view, size, ...look }: ViewOptions): Picture {
  assertSize(size);
  return drawInto(picture, { ...look, view, width: widthOf(view, size), height: size });
}

interface FrameOptions extends LookOptions {
  readonly view: AnyView;
  /** Pixels, whole numbers from 1; the caller bounds them. Flat views fill the frame, others fit into it. */
  readonly width: number;
  readonly height: number;
}

/** Like `drawView`, in a frame of any shape. */
export function drawInto(picture: Picture, options: FrameOptions): Picture {
  const { view, variant, width, height, overlay = true, cape } = options;
  if (isSolid(view)) return drawSolid(picture, SCENES[view], { variant, width, height, overlay });
  const { side, rect } = FLAT_VIEWS[view];
  return scaleRect(drawFlat(picture, variant, side, { overlay, cape }), rect, width, height);
}

/** The side of the flat figure that a view shows, and how much of it. */
const FLAT_VIEWS = {
  face: { side: 'front', rect: FACE },
  upper: { side: 'front', rect: { ...FIGURE, height: 16 } },
  front: { side: 'front', rect: FIGURE },
  back: { side: 'back', rect: FIGURE },
} as const satisfies Partial<Record<AnyView, { readonly side: 'front' | 'back'; readonly rect: Rect }>>;

function isSolid(view: AnyView): view is keyof typeof SCENES {
  return Object.hasOwn(SCENES, view);
}

function assertSize(size: number): void {
  if (Number.isInteger(size) && size >= MIN_SIZE && size <= MAX_SIZE) return;
  throw new RangeError(`The size is ${size}; it must be a whole number from ${MIN_SIZE} to ${MAX_SIZE}.`);
}

/** What a render shows. */
export interface RenderOptions {
  /** Default: `body`. */
  readonly view?: View | undefined;
  /** Height in pixels, a whole number from 8 to 1024; default 512. Whole figures are half as wide, the others square. */
  readonly size?: number | undefined;
  /** The model's arms; default `auto`, which detects them from the picture. */
  readonly variant?: Variant | 'auto' | undefined;
  /** Whether to draw the outer layer (hat, jacket, sleeves, trousers); default true. */
  readonly overlay?: boolean | undefined;
  /** A cape's PNG of 64×32 pixels; it shows in the view `back`. */
  readonly cape?: Uint8Array | undefined;
}

/** Maximum size of a picture in bytes: a texture may be compressed less well than an upload must be. */
const MAX_BYTES = 256 * 1024;

/**
 * A picture of a skin, as a PNG with a transparent background, without smoothing. `png`: a skin's file, 64×64, 64×32 or
 * an HD multiple of them, which is scaled down.
 * @throws InvalidImageError if the skin or the cape is not such a picture; RangeError for a size out of bounds
 */
export function renderSkin(png: Uint8Array, options: RenderOptions = {}): Uint8Array {
  const { view = DEFAULT_VIEW, size = DEFAULT_SIZE, variant: input = 'auto', overlay } = options;
  const picture = fitSkin(png)?.picture ?? decodePng(png, { maxBytes: MAX_BYTES });
  const { variant } = chooseVariant(picture, input);
  const cape = options.cape && decodeCape(options.cape);
  return encodeSmallPng(drawView(picture, { view, size, variant, overlay, cape }));
}
