import { z } from 'zod';
import { noteSchema, rateLimitSchema, usageSchema } from './envelope.ts';
import { generateOptionsSchema } from './generate.ts';
import { uuidSchema } from './skin.ts';

/** Version 1 of the service: its request and answer formats. */

/** Maximum length of a skin name in version 1; the rest is cut off. */
const MAX_V1_NAME_LENGTH = 24;

/** Old and new names of the variants. Any other value means: detect. */
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

function visibilityOf(number: number): 'public' | 'unlisted' {
  return number === 0 ? 'public' : 'unlisted';
}

const modelSchema = z.string().transform((word) => MODELS.get(word.trim().toLowerCase()));

/**
 * Numbers, as in version 1, or the words of version 2. The hosted service makes public skins for other values; hiding
 * them is the safe choice. A request for a private skin never makes one that others can see.
 */
const visibilitySchema = z
  .union([z.number(), z.string(), z.boolean()])
  .transform((given) => String(given).trim().toLowerCase())
  .transform(
    (word) => VISIBILITIES.get(word) ?? (word === 'private' ? undefined : visibilityOf(Number(word))),
  )
  .refine(
    (known) => known !== undefined,
    '0 (public) or 1 (unlisted); for private skins use POST /v2/generate',
  );

/** Drops characters that are invalid in names. */
const nameSchema = z
  .union([z.string(), z.number()])
  .transform((given) => String(given).replaceAll(/[^A-Za-z0-9_.\- ]/g, ''))
  .transform((clean) => clean.trim().slice(0, MAX_V1_NAME_LENGTH).trim());

/** Options of POST /generate/…, in the body or the query. An empty value counts as absent. */
export const v1OptionsSchema = z.object({
  variant: modelSchema.optional().meta({ description: 'classic or slim; anything else: detect' }),
  model: modelSchema.optional().meta({ description: 'Older name of variant: steve, default, alex or slim' }),
  visibility: visibilitySchema.optional().meta({ description: '0: public, 1 and above: unlisted' }),
  name: nameSchema.optional(),
  checkOnly: generateOptionsSchema.shape.checkOnly,
});

/** The source of a skin; the path decides which field is read. */
export const v1SourceSchema = z.object({
  url: z.string().optional(),
  uuid: z.string().optional().meta({ description: "The player's UUID" }),
  user: z.string().optional().meta({ description: 'The same as uuid' }),
});

/** A skin's number, or its UUID. */
export const v1SkinIdSchema = z.union(
  [uuidSchema, z.coerce.number().int().min(0)],
  'a whole number or a UUID',
);

/** Sends the request through the queue of version 2, under its limits. */
export const v1CompatSchema = z
  .string()
  .transform((given) => given === 'true' || given === '1')
  .optional();

const delayInfoSchema = z.object({ millis: z.int(), seconds: z.int() });

/** Integers, because old clients parse these as such. */
const waitFields = {
  /** Seconds. */
  delay: z.int(),
  /** The same in milliseconds, and in seconds rounded up. */
  delayInfo: delayInfoSchema,
};

/** A skin in the version 1 format. */
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
    /** UUID of the profile in the value, with dashes. */
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
  /** A number that identifies the account. */
  account: z.int(),
  accountId: z.int(),
  server: z.string(),
  private: z.boolean(),
  views: z.int(),
  duplicate: z.boolean(),
});
export type V1Skin = z.infer<typeof v1SkinSchema>;

/** POST /generate/…: `delay` and similar fields say how long to wait before the next request. */
export const v1GenerateAnswerSchema = v1SkinSchema.extend({
  ...waitFields,
  /** Seconds from now. */
  nextRequest: z.int(),
  warnings: z.array(noteSchema),
  usage: usageSchema.optional(),
  rateLimit: rateLimitSchema.optional(),
});

/** GET /validate/name and /validate/uuid: with UUID (32 digits) and name if the player exists. */
export const v1PlayerSchema = z.object({
  valid: z.boolean(),
  uuid: z.string().optional(),
  name: z.string().optional(),
});

/** GET /get/list: a page of public skins, newest first. */
export const v1ListSchema = z.object({
  skins: z.array(
    z.object({
      id: z.int(),
      uuid: z.string(),
      name: z.string(),
      url: z.string(),
      /** Seconds since the epoch. */
      time: z.int(),
      variant: z.enum(['classic', 'slim']),
    }),
  ),
  page: z.object({
    /** From 1; absent if the list was requested by skin. */
    index: z.int().optional(),
    /** Number of pages and skins; absent if there are too many to count. */
    amount: z.int().optional(),
    total: z.int().optional(),
    /** The skin before the first one of this list, or `start`. */
    anchor: z.string().optional(),
  }),
  /** The requested filter. */
  filter: z.string().optional(),
});

const countsSchema = z.object({ total: z.int(), unique: z.int(), duplicate: z.int() });

/** GET /get/stats: statistics of the whole service. Does not count skins by source, nor views. */
export const v1StatsSchema = countsSchema.extend({
  server: z.string(),
  /** Seconds between requests of this caller. */
  delay: z.int(),
  account: z.object({
    global: z.object({ total: z.int(), healthy: z.int(), usable: z.int() }),
    local: z.object({ total: z.int(), usable: z.int() }),
  }),
  skin: countsSchema,
  generate: z.object({
    time: z.object({ year: z.int(), month: z.int(), day: z.int(), hour: z.int() }),
    source: z.object({}),
    /** Success rate of the jobs of the last 60 minutes, from 0 to 1. */
    successRate: z.number(),
  }),
  accounts: z.int(),
  serverAccounts: z.int(),
  healthyAccounts: z.int(),
  useableAccounts: z.int(),
  successRate: z.number(),
  /** Milliseconds. */
  avgGenerateDuration: z.int(),
  lastYear: z.int(),
  lastMonth: z.int(),
  lastDay: z.int(),
  lastHour: z.int(),
});
export type V1Stats = z.infer<typeof v1StatsSchema>;

/** An error answer: the time to wait is 0 if waiting does not help. */
export const v1ErrorAnswerSchema = z
  .object({
    success: z.literal(false),
    error: z.string(),
    errorCode: z.string(),
    errorType: z.string(),
    ...waitFields,
    /** Seconds from now. */
    nextRequest: z.int(),
    /** Additional hints on the API key: `error` contains exactly the text that clients look for. */
    warnings: z.array(noteSchema).optional(),
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
