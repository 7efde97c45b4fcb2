import { z } from 'zod';
import { InvalidImageError, type Picture } from '../../../src/skin/picture.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { type Answer, badImage } from './answers.ts';
import type { Call } from './calls.ts';
import type { Variant } from './people.ts';

export interface SentSkin {
  readonly variant: Variant;
  readonly picture: Picture;
}

const variants = z.enum(['classic', 'slim']);
const NO_VARIANT = 'variant is marked non-null but is null';

/** What an upload sends, or the answer that refuses it. */
export async function readUpload({ body, contentType }: Call): Promise<SentSkin | Answer> {
  const form = await readForm(body, contentType);
  const variant = variants.safeParse(form?.get('variant'));
  const file = form?.get('file');
  if (!variant.success) return badImage(NO_VARIANT);
  if (!(file instanceof File) || file.type !== 'image/png')
    return badImage('Invalid request body for skin upload');
  const picture = readPicture(new Uint8Array(await file.arrayBuffer()));
  return picture ? { variant: variant.data, picture } : badImage();
}

const urlSchema = z.object({ variant: variants, url: z.url() });

/** What a change by URL asks for, or the answer that refuses it. */
export function readSkinUrl({ body }: Call): z.output<typeof urlSchema> | Answer {
  const sent = urlSchema.safeParse(readJson(body));
  return sent.success ? sent.data : badImage(NO_VARIANT);
}

/** undefined: it is none. */
export function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
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

function readPicture(bytes: Uint8Array): Picture | undefined {
  try {
    return decodePng(bytes);
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined;
    throw error;
  }
}
