import { MAX_SKIN_BYTES, type Picture } from '../../skin/picture.ts';
import type { Variant } from '../../skin/regions.ts';
import { detectVariant } from '../../skin/variant.ts';
import { listWarnings, type SkinWarning, type SkinWarningCode } from '../../skin/warnings.ts';
import { element } from './element.ts';
import { count, isEnglish, say } from './language.ts';
import { faultOf, type PictureFault } from './picture-check.ts';

/** Why a picture cannot become a skin. */
interface PictureProblem {
  /** What is wrong, and how to repair it. */
  readonly message: string;
  /** The repair that the page offers; undefined: only an editor can repair it. */
  readonly repair?: string;
}

/** The result of checking a picture before it is sent. */
export type Examined =
  | { readonly problem: PictureProblem }
  | {
      readonly problem?: undefined;
      readonly variant: Variant;
      readonly warnings: readonly string[];
      readonly picture: Picture;
    };

/** Largest file to check, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const DAMAGED: PictureProblem = { message: say('This PNG is damaged. Save it again in your editor.') };
const FAR_TOO_LARGE: PictureProblem = {
  message: say('This file is far too large: a skin has at most {0} bytes.', count(MAX_SKIN_BYTES)),
};
/** What the page of sets takes. Notes have neither the UUIDs nor the addresses of skins. */
const LIST = /\.(?:csv|tsv|lock|ndjson|jsonl)$/i;
const NAMES_SKINS = /[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}|\/s\//i;
const A_LIST: PictureProblem = {
  message: say('This is a list, not a picture. Make a set from it on the page Sets.'),
};
/** Warnings in other languages, without details; undefined: not shown here. */
const WORDS: Readonly<Record<SkinWarningCode, string | undefined>> = {
  animated: say('The PNG is animated; only its still picture is used.'),
  base_transparency: say('The base layer has transparent pixels; Minecraft draws base layers opaque.'),
  face_hidden: say('The hat layer is opaque all over the front of the head and hides the face.'),
  file_faults: say('The file has faults that do not affect its pixels.'),
  fully_transparent: say('The picture is fully transparent: Minecraft shows a black figure.'),
  hat_not_shown: say(
    'The hat half of the picture has no transparent pixel, so Minecraft does not show the hat.',
  ),
  large_file: say('The file is too large. Its pixels fit, and are sent without the rest.'),
  legacy_format: say(
    'This is the old 64×32 format: classic arms, mirrored limbs, and no overlay except for the hat.',
  ),
  legacy_on_square: say(
    'The lower half is empty, so Minecraft shows the left arm and leg black. Crop it to 64×32.',
  ),
  looks_like_cape: say('This looks like a cape, not a skin: as a skin, it would have no legs and no body.'),
  tiny_file: undefined,
  variant_mismatch: say('The chosen arms do not match the picture.'),
  variant_unclear: say('The arms are a guess: choose them yourself if they are wrong.'),
};

/** In English as in a terminal, except where a terminal names options. */
function wordsFor({ code, message }: SkinWarning): string | undefined {
  return isEnglish() && code !== 'looks_like_cape' && code !== 'tiny_file' ? message : WORDS[code];
}

export async function examine(file: File, wanted: Variant | undefined): Promise<Examined> {
  if (file.size > MAX_BYTES) return { problem: FAR_TOO_LARGE };
  const fault = faultOf(new Uint8Array(await file.arrayBuffer()));
  const isList = LIST.test(file.name) || (/\.txt$/i.test(file.name) && NAMES_SKINS.test(await file.text()));
  if (fault?.kind === 'not-png' && isList) return { problem: A_LIST };
  if (fault) return { problem: describe(fault) };
  const bitmap = await createImageBitmap(file, AS_IT_IS).catch(() => undefined);
  if (!bitmap) return { problem: DAMAGED };
  const { width, height } = bitmap;
  const { data } = drawn(bitmap, width, height).getImageData(0, 0, width, height);
  const picture = { width, height, pixels: new Uint8Array(data.buffer) };
  const detected = detectVariant(picture);
  const found = listWarnings({ picture, detected, animated: false, faults: [], size: file.size, wanted });
  const warnings = found.map(wordsFor).filter((one) => one !== undefined);
  return { variant: wanted ?? detected.variant, warnings, picture };
}

function describe(fault: PictureFault): PictureProblem {
  switch (fault.kind) {
    case 'not-png':
      return { message: say('This is not a PNG. Save the skin as PNG in your editor.') };
    case 'large':
      return {
        message: say(
          'This file has {0} bytes; the maximum is {1}. Save it without metadata or with stronger compression.',
          count(fault.bytes),
          count(MAX_SKIN_BYTES),
        ),
        repair: say('Compress it'),
      };
    case 'hd':
      return {
        message: say(
          'This picture is {0}×{1} pixels, an HD skin, which Minecraft does not show. Scale it to 64 pixels without smoothing.',
          fault.width,
          fault.height,
        ),
        repair: say('Scale it down'),
      };
    case 'other-size':
      return {
        message: say(
          'This picture is {0}×{1} pixels. Skins are 64×64, or 64×32 in the old format.',
          fault.width,
          fault.height,
        ),
      };
  }
}

/** The same picture in the game's size, without metadata. */
export async function repairedFile(file: File): Promise<File> {
  const bitmap = await createImageBitmap(file, AS_IT_IS);
  const height = (64 * bitmap.height) / bitmap.width;
  const { canvas } = drawn(bitmap, 64, height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (!blob) throw new Error('The browser wrote no PNG.');
  return new File([blob], file.name, { type: 'image/png' });
}

const AS_IT_IS: ImageBitmapOptions = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' };

/** Scales without smoothing. */
function drawn(bitmap: ImageBitmap, width: number, height: number): CanvasRenderingContext2D {
  const context = element('canvas', { width, height }).getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('The browser draws nothing.');
  context.imageSmoothingEnabled = false;
  context.drawImage(bitmap, 0, 0, width, height);
  return context;
}
