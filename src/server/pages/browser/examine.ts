import type { Picture } from '../../../skin/picture.ts';
import { detectVariant, type Variant } from '../../../skin/variant.ts';
import { listWarnings } from '../../../skin/warnings.ts';
import { type PictureProblem, problemOf } from './picture-check.ts';

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
const DAMAGED: PictureProblem = { message: 'This PNG is damaged. Save it again in your editor.' };
const FAR_TOO_LARGE: PictureProblem = {
  message: 'This file is far too large: a skin has at most 20,000 bytes.',
};
/** Warnings in other words than in a terminal; undefined: not shown here. */
const OTHER_WORDS: Readonly<Record<string, string | undefined>> = {
  looks_like_cape: 'This looks like a cape, not a skin: as a skin, it would have no legs and no body.',
  tiny_file: undefined,
};

export async function examine(file: File, wanted: Variant | undefined): Promise<Examined> {
  if (file.size > MAX_BYTES) return { problem: FAR_TOO_LARGE };
  const problem = problemOf(new Uint8Array(await file.arrayBuffer()));
  if (problem) return { problem };
  const bitmap = await createImageBitmap(file, AS_IT_IS).catch(() => undefined);
  if (!bitmap) return { problem: DAMAGED };
  const { width, height } = bitmap;
  const { data } = drawn(bitmap, width, height).getImageData(0, 0, width, height);
  const picture = { width, height, pixels: new Uint8Array(data.buffer) };
  const detected = detectVariant(picture);
  const found = listWarnings({ picture, detected, animated: false, faults: [], size: file.size, wanted });
  const warnings = found.map(({ code, message }) => (code in OTHER_WORDS ? OTHER_WORDS[code] : message));
  return {
    variant: wanted ?? detected.variant,
    warnings: warnings.filter((one) => one !== undefined),
    picture,
  };
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
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('The browser draws nothing.');
  context.imageSmoothingEnabled = false;
  context.drawImage(bitmap, 0, 0, width, height);
  return context;
}
