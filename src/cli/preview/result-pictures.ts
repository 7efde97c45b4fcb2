import { SkinsmithError } from '../../index.ts';
import { InvalidImageError, type Picture } from '../../skin/picture.ts';
import { decodePng } from '../../skin/png/decode.ts';
import { drawFlat } from '../../skin/render/flat.ts';
import { chooseVariant } from '../../skin/variant.ts';
import type { Connection } from '../connection/connect.ts';
import type { CommandContext } from '../context/context.ts';
import { type TypedPictureOption, terminalPictures } from '../options/picture-option.ts';
import type { ResultPictures } from '../output/result-printer.ts';
import type { ResultView } from '../output/views.ts';

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
