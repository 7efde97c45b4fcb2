import { z } from 'zod';

/**
 * Fields that help but are not essential. Services omit them, send null or another type, so a client reads what
 * is valid and treats the rest as absent: bad metadata must not cost the result.
 */

/** The expected form of each such field, for `ignoredFields`. */
const expected = z.registry<{ readonly form: unknown }>();

/** A field that counts as absent when it is invalid. */
export function advice<S extends z.ZodType>(schema: S) {
  const field = schema.optional().catch(undefined);
  expected.add(field as z.ZodType, { form: schema });
  return field;
}

/** A text; null counts as absent. */
export function adviceText() {
  return readAdvice(z.string().nullable(), (value) => (typeof value === 'string' ? value : undefined));
}

/** A number, or a text that is one. */
export function adviceNumber() {
  return readAdvice(z.number(), (value) => numberIn(value));
}

/** A limit: 0 or less counts as absent. */
export function adviceLimit() {
  return readAdvice(z.number(), (value) => {
    const limit = numberIn(value);
    return limit !== undefined && limit > 0 ? limit : undefined;
  });
}

/** Distinguishes the units: seconds stay below this for ages, and milliseconds have been above it since 1973. */
const LEAST_MILLISECONDS = 1e11;
const LEAST_SECONDS = 1e9;
/** The greatest that a Date accepts. */
const MAX_MILLISECONDS = 8.64e15;

/** Whole milliseconds since the epoch; also accepts seconds, fractions and ISO 8601. */
export function adviceMoment() {
  return readAdvice(z.number().min(LEAST_MILLISECONDS).max(MAX_MILLISECONDS), (value) => {
    const number = numberIn(value);
    if (number === undefined) return typeof value === 'string' ? momentIn(value) : undefined;
    if (Math.abs(number) > MAX_MILLISECONDS) return undefined;
    const isSeconds = number >= LEAST_SECONDS && number < LEAST_MILLISECONDS;
    return Math.round(isSeconds ? number * 1000 : number);
  });
}

function readAdvice<T>(schema: z.ZodType, read: (value: unknown) => T | undefined) {
  return z
    .unknown()
    .transform((value) => read(value))
    .optional()
    .register(expected, { form: schema });
}

function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function momentIn(text: string): number | undefined {
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment;
}

const MAX_IGNORED = 5;

/**
 * The invalid fields of an answer, as `job.eta: …`, at most five; absent fields do not count. The schema is the
 * one that the answer was read with.
 */
export function ignoredFields(schema: z.ZodType, json: unknown): string[] {
  return ignoredIn(schema, json, []).take(MAX_IGNORED).toArray();
}

function* ignoredIn(schema: z.ZodType, json: unknown, path: readonly PropertyKey[]): Generator<string> {
  if (json === undefined) return;
  const form = expected.get(schema)?.form as z.ZodType | undefined;
  const [issue] = form?.safeParse(json).error?.issues ?? [];
  if (issue) yield `${[...path, ...issue.path].join('.')}: ${issue.message}`;
  else yield* ignoredInside(form ?? schema, json, path);
}

function* ignoredInside(schema: z.ZodType, json: unknown, path: readonly PropertyKey[]): Generator<string> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodCatch) {
    yield* ignoredIn(schema.unwrap() as z.ZodType, json, path);
  } else if (schema instanceof z.ZodPipe) {
    yield* ignoredIn(schema.in as z.ZodType, json, path);
  } else if (schema instanceof z.ZodArray && Array.isArray(json)) {
    for (const [n, entry] of json.entries())
      yield* ignoredIn(schema.element as z.ZodType, entry, [...path, n]);
  } else if (schema instanceof z.ZodObject && typeof json === 'object' && json !== null) {
    for (const [name, field] of Object.entries(schema.shape))
      yield* ignoredIn(field as z.ZodType, (json as Record<string, unknown>)[name], [...path, name]);
  }
}

/** Whether a request to change something names anything to change. */
export function changesSomething(change: object): boolean {
  return Object.values(change).some((value) => value !== undefined);
}

/** The query of a page of 32 entries by default, for lists that are numbered. */
export const pageQuerySchema = z.object({
  /** Where the previous page ended. */
  after: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  size: z.coerce.number().int().min(1).max(128).default(32),
});

/** A name for people: one line of text. */
export function lineOfText(longest: number) {
  return z
    .string()
    .trim()
    .min(1, { error: 'at least one character', abort: true })
    .max(longest, `at most ${longest} characters`)
    .regex(/^\P{C}+$/u, 'no control characters');
}

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
const receivedNoteSchema = z.object({
  code: z.string().catch(''),
  message: z.string().catch(''),
  path: advice(z.array(z.union([z.string(), z.number()]))),
}) satisfies z.ZodType<Note>;
const seenNotes = advice(z.array(receivedNoteSchema.catch({ code: '', message: '' })));

const receivedWindowSchema = z.object({
  /** 0 or less: no limit is given. */
  limit: adviceNumber(),
  remaining: adviceNumber(),
  used: adviceNumber(),
  /** Seconds since the epoch. */
  reset: adviceNumber(),
});

/** How much a caller may generate in some time. */
export interface ReceivedRateLimitWindow {
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
export interface ReceivedRateLimit {
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
    | (ReceivedRateLimitWindow & {
        minute?: ReceivedRateLimitWindow | undefined;
        hour?: ReceivedRateLimitWindow | undefined;
      })
    | undefined;
}

/** Services send parts of it: the hosted one has no hourly limit, and no windows at all on GET /v2/delay. */
export const receivedRateLimitSchema = z.object({
  /** When the next request may be sent; both in milliseconds. */
  next: advice(z.object({ absolute: adviceNumber(), relative: adviceNumber() })),
  delay: advice(z.object({ millis: adviceNumber(), seconds: adviceNumber() })),
  limit: advice(
    receivedWindowSchema.extend({ minute: advice(receivedWindowSchema), hour: advice(receivedWindowSchema) }),
  ),
}) satisfies z.ZodType<ReceivedRateLimit>;

export const receivedEnvelopeSchema = z.object({
  errors: seenNotes,
  warnings: seenNotes,
  messages: seenNotes,
  links: advice(z.record(z.string(), z.unknown()).transform(textsOf)),
  rateLimit: advice(receivedRateLimitSchema),
});

function textsOf(fields: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(fields).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/** An error answer; the first entry of `errors` gives the reason. */
export const errorAnswerSchema = envelopeSchema
  .extend({ success: z.literal(false), errors: notes.min(1), rateLimit: rateLimitSchema.optional() })
  .meta({ id: 'Refusal' });
