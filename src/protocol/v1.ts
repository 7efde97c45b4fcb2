import { z } from 'zod';
import { noteSchema, rateLimitSchema, usageSchema } from './envelope.ts';
import { generateOptionsSchema } from './generate.ts';

/** Version 1 of the service: its old format, of requests and of answers. */

/** Longest name of a skin in version 1; more of it is cut off. */
export const MAX_V1_NAME_LENGTH = 24;

/** Old and new words for a model. Any other word means: detect. */
const MODELS: ReadonlyMap<string, 'classic' | 'slim'> = new Map([
  ['classic', 'classic'],
  ['default', 'classic'],
  ['steve', 'classic'],
  ['slim', 'slim'],
  ['alex', 'slim'],
]);

const VISIBILITIES: ReadonlyMap<string, 'public' | 'unlisted'> = new Map([
  ['', 'public'],
  ['0', 'public'],
  ['false', 'public'],
  ['public', 'public'],
  ['1', 'unlisted'],
  ['true', 'unlisted'],
  ['unlisted', 'unlisted'],
]);

const modelSchema = z.string().transform((word) => MODELS.get(word.trim().toLowerCase()));

/** Numbers, as version 1 has them, or the words of version 2. A private skin is never made public for want of a word. */
const visibilitySchema = z
  .union([z.number(), z.string(), z.boolean()])
  .transform((given) => VISIBILITIES.get(String(given).trim().toLowerCase()))
  .refine(
    (known) => known !== undefined,
    '0 (public) or 1 (unlisted); for private skins use POST /v2/generate',
  );

/** Whatever a name holds that is none is left out. */
const nameSchema = z
  .union([z.string(), z.number()])
  .transform((given) => String(given).replaceAll(/[^A-Za-z0-9_.\- ]/g, ''))
  .transform((clean) => clean.trim().slice(0, MAX_V1_NAME_LENGTH).trim());

/** Options of POST /generate/…, in the body or the query. Whoever sends an empty one leaves it alone. */
export const v1OptionsSchema = z.object({
  variant: modelSchema.optional().meta({ description: 'classic or slim; anything else: detect' }),
  model: modelSchema.optional().meta({ description: 'Older name of variant: steve, default, alex or slim' }),
  visibility: visibilitySchema.optional().meta({ description: '0: public, 1: unlisted' }),
  name: nameSchema.optional(),
  checkOnly: generateOptionsSchema.shape.checkOnly,
});
export type V1Options = z.output<typeof v1OptionsSchema>;

/** What a skin is made of; which of them is read depends on the address. */
export const v1SourceSchema = z.object({
  url: z.string().optional(),
  uuid: z.string().optional().meta({ description: "The player's UUID" }),
  user: z.string().optional().meta({ description: 'The same as uuid' }),
});

/** Sends the request through the queue of version 2, under its limits. */
export const v1CompatSchema = z
  .string()
  .transform((given) => given === 'true' || given === '1')
  .optional();

const delayInfoSchema = z.object({ millis: z.int(), seconds: z.int() });

/** Old clients read these into whole numbers. */
const waitFields = {
  /** Seconds. */
  delay: z.int(),
  /** The same: milliseconds, and seconds rounded up. */
  delayInfo: delayInfoSchema,
};

/** A skin as version 1 tells of it. */
export const v1SkinSchema = z.object({
  /** Number of the record. */
  id: z.int(),
  /** The same as text. */
  idStr: z.string(),
  /** 32 hexadecimal digits, no dashes. */
  uuid: z.string(),
  hash: z.string(),
  /** Empty when it has none. */
  name: z.string(),
  model: z.enum(['steve', 'slim']),
  variant: z.enum(['classic', 'slim']),
  data: z.object({
    /** Of the profile that the value is of, with dashes. */
    uuid: z.string(),
    texture: z.object({
      value: z.string(),
      signature: z.string(),
      url: z.string(),
      urls: z.object({ skin: z.string(), cape: z.string().optional() }),
    }),
  }),
  /** Seconds since the epoch. */
  timestamp: z.int(),
  /** Milliseconds. */
  duration: z.int(),
  /** A number that stands for the account. */
  account: z.int(),
  accountId: z.int(),
  server: z.string(),
  private: z.boolean(),
  views: z.int(),
  duplicate: z.boolean(),
});
export type V1Skin = z.infer<typeof v1SkinSchema>;

/** POST /generate/…: `delay` and its like say how long to wait before the next request. */
export const v1GenerateAnswerSchema = v1SkinSchema.extend({
  ...waitFields,
  /** Seconds from now. */
  nextRequest: z.int(),
  warnings: z.array(noteSchema),
  usage: usageSchema.optional(),
  rateLimit: rateLimitSchema.optional(),
});

/** An answer that refuses: the time to wait is 0 where nothing is to be waited for. */
export const v1ErrorAnswerSchema = z
  .object({
    success: z.literal(false),
    error: z.string(),
    errorCode: z.string(),
    errorType: z.string(),
    ...waitFields,
    /** Seconds since the epoch. */
    nextRequest: z.int(),
  })
  .meta({ id: 'RefusalV1' });
export type V1ErrorAnswer = z.infer<typeof v1ErrorAnswerSchema>;

/** GET /get/delay: the delay between requests, and when the next one may be sent. */
export const v1DelayAnswerSchema = z.object({
  /** Seconds, rounded up; so is `seconds`. */
  delay: z.int(),
  seconds: z.int(),
  millis: z.int(),
  /** Seconds since the epoch, and from now. */
  next: z.int(),
  nextRelative: z.int(),
  /** Milliseconds since the epoch, and from now. */
  nextRequest: z.object({ time: z.int(), relative: z.int() }),
});
