import { decodeCape } from '../cape.ts';
import { decodePng } from '../png/decode.ts';
import { encodeSmallPng } from '../png/encode.ts';
import { fitSkin } from '../read-skin.ts';
import { chooseVariant, type Variant } from '../variant.ts';
import { drawView, type View } from './render.ts';

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

export const DEFAULT_VIEW: View = 'body';
export const DEFAULT_SIZE = 512;

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
