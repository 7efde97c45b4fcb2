import { z } from 'zod';
import { advice, adviceNumber } from './advice.ts';

export const noteSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    /** Our addition on validation errors: the field concerned. */
    path: z.array(z.union([z.string(), z.number()])).optional(),
  })
  .meta({ id: 'Note' }) satisfies z.ZodType<Note>;

/** `{code, message}`: one entry of errors, warnings or messages. */
export interface Note {
  /** Stable, for programs. */
  code: string;
  /** For people. */
  message: string;
  /** The field that is invalid, step by step. Only in validation errors of a skinsmith service. */
  path?: (string | number)[] | undefined;
}

const notes = z.array(noteSchema);
const links = z.record(z.string(), z.string());

/** The fields common to all v2 answers. Proxies and old versions omit some, so reading allows that. */
export const envelopeSchema = z.object({
  success: z.boolean(),
  errors: notes.optional(),
  warnings: notes.optional(),
  messages: notes.optional(),
  links: links.optional(),
});

/** Whole numbers, here and below: Java clients refuse others. */
const windowSchema = z.object({
  limit: z.int(),
  remaining: z.int(),
  used: z.int().optional(),
  /** Seconds since the epoch. */
  reset: z.int().optional(),
});

export const rateLimitSchema = z
  .object({
    /** When the next request may be sent; both in milliseconds. */
    next: z.object({ absolute: z.int(), relative: z.int() }),
    delay: z.object({ millis: z.int(), seconds: z.int().optional() }),
    limit: windowSchema.extend({ minute: windowSchema, hour: windowSchema.optional() }),
  })
  .meta({ id: 'RateLimit' });

export type RateLimit = z.infer<typeof rateLimitSchema>;
export type RateLimitWindow = z.infer<typeof windowSchema>;

export const usageSchema = z.record(z.string(), z.unknown());

/** The same as a client reads it: invalid notes, links and limits are ignored. */
const seenNoteSchema = z.object({
  code: z.string().catch(''),
  message: z.string().catch(''),
  path: advice(z.array(z.union([z.string(), z.number()]))),
}) satisfies z.ZodType<Note>;
const seenNotes = advice(z.array(seenNoteSchema.catch({ code: '', message: '' })));

const seenWindowSchema = z.object({
  /** 0 or less: no limit is given. */
  limit: adviceNumber(),
  remaining: adviceNumber(),
  used: adviceNumber(),
  /** Seconds since the epoch. */
  reset: adviceNumber(),
});

/** How much a caller may generate in some time. */
export interface SeenRateLimitWindow {
  /** Generations in the whole window. 0 or less: no limit is given. */
  limit?: number | undefined;
  /** Generations left in it; means nothing without a limit. */
  remaining?: number | undefined;
  /** Generations spent in it. */
  used?: number | undefined;
  /** Seconds since the epoch, by the service's clock: when the window ends. */
  reset?: number | undefined;
}

/** A rate limit as a client reads it. Services leave parts of it out. */
export interface SeenRateLimit {
  /** When the next request may be sent. */
  next?:
    | {
        /** Milliseconds since the epoch, by the service's clock. */
        absolute?: number | undefined;
        /** Milliseconds from the moment of the answer. */
        relative?: number | undefined;
      }
    | undefined;
  /** The pause that the service wants between two requests. */
  delay?:
    | {
        millis?: number | undefined;
        seconds?: number | undefined;
      }
    | undefined;
  /** Read `minute` first: what stands beside it is an older form, with which services differ. */
  limit?:
    | (SeenRateLimitWindow & {
        minute?: SeenRateLimitWindow | undefined;
        hour?: SeenRateLimitWindow | undefined;
      })
    | undefined;
}

/** Services send parts of it: the hosted one has no hourly limit, and no windows at all on GET /v2/delay. */
export const seenRateLimitSchema = z.object({
  /** When the next request may be sent; both in milliseconds. */
  next: advice(z.object({ absolute: adviceNumber(), relative: adviceNumber() })),
  delay: advice(z.object({ millis: adviceNumber(), seconds: adviceNumber() })),
  limit: advice(
    seenWindowSchema.extend({ minute: advice(seenWindowSchema), hour: advice(seenWindowSchema) }),
  ),
}) satisfies z.ZodType<SeenRateLimit>;

export const seenEnvelopeSchema = z.object({
  errors: seenNotes,
  warnings: seenNotes,
  messages: seenNotes,
  links: advice(z.record(z.string(), z.unknown()).transform(textsOf)),
  rateLimit: advice(seenRateLimitSchema),
});

function textsOf(fields: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(fields).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/** An error answer; the first entry of `errors` gives the reason. */
export const errorAnswerSchema = envelopeSchema
  .extend({
    success: z.literal(false),
    errors: notes.min(1),
    rateLimit: rateLimitSchema.optional(),
  })
  .meta({ id: 'Refusal' });
