import { z } from 'zod';
import { uuidSchema, visibilitySchema } from './skin.ts';

/** Longest http(s) URL a request may name, in characters. */
export const MAX_URL_LENGTH = 256;
/** Longest `data:` URL, in characters: the base64 of a picture of about 20,000 bytes. */
export const MAX_DATA_URL_LENGTH = 26_668;
export const DATA_URL_PREFIX = 'data:image/png;base64,';
export const MAX_NAME_LENGTH = 48;
export const NAME_PATTERN = /^[A-Za-z0-9_.\- ]+$/;

/** Seconds POST /v2/generate waits for the skin, and the most it may be asked to. */
export const DEFAULT_WAIT_SECONDS = 10;
export const MAX_WAIT_SECONDS = 30;

export const skinNameSchema = z
  .string()
  .max(MAX_NAME_LENGTH, `at most ${MAX_NAME_LENGTH} characters`)
  .regex(NAME_PATTERN, 'letters, digits, spaces and _ . - only');

/** Name that a caller gives a submission, so that sending it again is no second one. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, '1 to 255 printable ASCII characters');

/** Where the service is to tell of the job's end, see docs/webhooks.md. */
export const callbackSchema = z
  .string()
  .max(MAX_URL_LENGTH, `at most ${MAX_URL_LENGTH} characters`)
  .refine(isPlainWebUrl, 'an http or https URL without user name and password');

function isPlainWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

const flag = z.union([z.boolean(), z.enum(['true', 'false', '1', '0', ''])], { error: 'true or false' });
const SECONDS = `seconds, from 1 to ${MAX_WAIT_SECONDS}`;

/**
 * Options of a generation. An empty string is as good as absent: that is how HTML forms and many
 * clients send an option left alone. `variant` is judged apart, it has an error code of its own.
 */
export const generateOptionsSchema = z.object({
  variant: z.string().optional(),
  visibility: z
    .union([visibilitySchema, z.literal('').transform(() => undefined)], {
      error: 'public, unlisted or private',
    })
    .optional(),
  name: z.union([skinNameSchema, z.literal('').transform(() => undefined)]).optional(),
  cape: z
    .union([uuidSchema, z.literal('').transform(() => undefined)], { error: 'the UUID of a cape' })
    .optional(),
  callback: z.union([z.literal('').transform(() => undefined), callbackSchema]).optional(),
  checkOnly: flag.transform((value) => value === true || value === 'true' || value === '1').optional(),
});

export const generateQuerySchema = z.object({
  timeout: z.coerce
    .number(SECONDS)
    .min(1, SECONDS)
    .max(MAX_WAIT_SECONDS, SECONDS)
    .default(DEFAULT_WAIT_SECONDS),
  checkOnly: generateOptionsSchema.shape.checkOnly,
});

export type GenerateOptions = z.infer<typeof generateOptionsSchema>;
