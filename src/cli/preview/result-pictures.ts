import { SkinsmithError } from '../../index.ts';
import { InvalidImageError, makePicture, type Picture } from '../../skin/picture.ts';
import { decodePng } from '../../skin/png/decode.ts';
import { encodePng } from '../../skin/png/encode.ts';
import { drawFlat } from '../../skin/render/flat.ts';
import { drawView } from '../../skin/render/render.ts';
import { chooseVariant, type Variant } from '../../skin/variant.ts';
import type { Connection } from '../connection/connect.ts';
import type { CommandContext } from '../context/context.ts';
import type { ResultPictures, ResultView } from '../output/results.ts';
import { type TypedPictureOption, terminalPictures } from '../output/terminal-picture.ts';

/** A skin and the address of its texture. */
export interface ShownSkin {
  readonly uuid: string;
  readonly texture: { readonly url: string };
}

/** Maximum size of a texture in bytes. */
const MAX_BYTES = 256 * 1024;

/**
 * Images for results. They are optional: one that is unavailable is left out, and --verbose reports why. `bytesOf`
 * returns the PNG file of a result's skin.
 */
export function resultPictures(
  typed: TypedPictureOption,
  bytesOf: (skin: ShownSkin) => Promise<Uint8Array>,
  { io, env, flags, messages }: Pick<CommandContext, 'io' | 'env' | 'flags' | 'messages'>,
): ResultPictures {
  const pictureOf = async ({ uuid, texture, variant }: ResultView): Promise<Picture | undefined> => {
    if (uuid === undefined || texture === undefined) return undefined;
    try {
      return frontOf(await bytesOf({ uuid, texture }), variant);
    } catch (error) {
      if (!(error instanceof SkinsmithError || error instanceof InvalidImageError)) throw error;
      if (flags.verbose) messages.say(`The picture is left out: ${error.message}`);
      return undefined;
    }
  };
  return { terminal: io.out.isTTY ? terminalPictures(typed.picture, io.out, env) : undefined, pictureOf };
}

/** Fetches a skin's texture from its service. The embedded service signs addresses that only `serve` answers. */
export async function textureOf(
  { uuid, texture }: ShownSkin,
  { client, isEmbedded }: Connection,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return isEmbedded
    ? await client.skinTexture(uuid, { signal })
    : await client.texture(texture.url, { signal });
}

/** The figure of a skin file at one image pixel per skin pixel. @throws InvalidImageError */
export function frontOf(bytes: Uint8Array, variant: string | undefined): Picture {
  const picture = decodePng(bytes, { maxBytes: MAX_BYTES });
  const arms = variant === 'classic' || variant === 'slim' ? variant : chooseVariant(picture).variant;
  return drawFlat(picture, arms, 'front');
}

/** Height of a figure in the file, and the margin around each, in pixels. */
const SIZE = 512;
const MARGIN = 32;

/** The figure from the front and the back, side by side on a transparent background, as a PNG of 640×576 pixels. */
export function frontAndBack(picture: Picture, variant: Variant): Uint8Array {
  const views = (['front', 'back'] as const).map((view) => drawView(picture, { view, variant, size: SIZE }));
  const width = views.reduce((sum, view) => sum + view.width + MARGIN, MARGIN);
  const sheet = makePicture(width, SIZE + 2 * MARGIN);
  let x = MARGIN;
  for (const view of views) {
    paste(view, sheet, x, MARGIN);
    x += view.width + MARGIN;
  }
  return encodePng(sheet);
}

function paste({ width, height, pixels }: Picture, onto: Picture, x: number, y: number): void {
  for (let row = 0; row < height; row++) {
    const from = pixels.subarray(row * width * 4, (row + 1) * width * 4);
    onto.pixels.set(from, ((y + row) * onto.width + x) * 4);
  }
}
