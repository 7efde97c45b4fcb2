import { z } from 'zod';
import { generateOptionsSchema } from '../../../src/protocol/generate.ts';
import { variantSchema } from '../../../src/protocol/skin.ts';
import { decodePng } from '../../../src/skin/decode.ts';
import { InvalidImageError, type Picture } from '../../../src/skin/picture.ts';
import { pixelHash } from '../../../src/skin/pixel-hash.ts';
import { chooseVariant } from '../../../src/skin/variant.ts';
import { type Answer, refusal } from './answers.ts';
import type { Wish } from './job-book.ts';
import type { HostedRequest } from './requests.ts';

export interface ReadSubmission {
  readonly wish: Wish;
  readonly picture: Picture;
}

/** What a submission asks for, or the answer that refuses it. */
export async function readSubmission(request: HostedRequest): Promise<ReadSubmission | Answer> {
  const type = request.headers['content-type'] ?? '';
  if (/^application\/json\b/.test(type))
    return refusal('invalid_image_url', { message: 'URLs and players are not to be had here.' });
  if (!/^multipart\/form-data\b/.test(type)) return refusal('invalid_content_type');
  const form = await readForm(request.body, type);
  const file = form?.get('file');
  if (!form || !(file instanceof File)) return refusal('missing_file');
  return readWish(form, new Uint8Array(await file.arrayBuffer()));
}

/** undefined: the body is not what its type says. */
async function readForm(body: Buffer, type: string): Promise<FormData | undefined> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function readWish(form: FormData, file: Uint8Array): ReadSubmission | Answer {
  const fields = Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'));
  const options = generateOptionsSchema.safeParse(fields);
  if (!options.success) return refusal('validation_error', { message: z.prettifyError(options.error) });
  const { variant, visibility = 'public', name } = options.data;
  const wanted = variantSchema.safeParse(variant || 'unknown');
  if (!wanted.success) return refusal('unknown_variant');
  const picture = readPicture(file);
  if ('status' in picture) return picture;
  const chosen = chooseVariant(picture, wanted.data).variant;
  return { picture, wish: { pixels: pixelHash(picture), variant: chosen, visibility, name } };
}

function readPicture(file: Uint8Array): Picture | Answer {
  try {
    return decodePng(file);
  } catch (error) {
    if (error instanceof InvalidImageError) return refusal('invalid_image', { message: error.message });
    throw error;
  }
}
