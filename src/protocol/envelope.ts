import { z } from 'zod';

export const noteSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    /** Our addition on validation errors: the field concerned. */
    path: z.array(z.union([z.string(), z.number()])).optional(),
  })
  .meta({ id: 'Note' });

/** `{code, message}`: one entry of errors, warnings or messages. */
export type Note = z.infer<typeof noteSchema>;

const notes = z.array(noteSchema);
const links = z.record(z.string(), z.string());

/** What every v2 answer carries. Proxies and old versions leave parts out, so reading allows it. */
export const envelopeSchema = z.object({
  success: z.boolean(),
  errors: notes.optional(),
  warnings: notes.optional(),
  messages: notes.optional(),
  links: links.optional(),
});

const windowSchema = z.object({
  limit: z.number(),
  remaining: z.number(),
  used: z.number().optional(),
  /** Seconds since the epoch. */
  reset: z.number().optional(),
});

export const rateLimitSchema = z
  .object({
    /** When the next request may be sent; both in milliseconds. */
    next: z.object({ absolute: z.number(), relative: z.number() }),
    delay: z.object({ millis: z.number(), seconds: z.number().optional() }),
    limit: windowSchema.extend({ minute: windowSchema, hour: windowSchema.optional() }),
  })
  .meta({ id: 'RateLimit' });

export type RateLimit = z.infer<typeof rateLimitSchema>;
export type RateLimitWindow = z.infer<typeof windowSchema>;

export const usageSchema = z.record(z.string(), z.unknown());

/**
 * The same as a client reads it. What is said around a result must not cost the result: a note without its
 * fields, a link or a rate limit of another shape is passed over.
 */
const seenNotes = z
  .array(
    z.object({ code: z.string().catch(''), message: z.string().catch('') }).catch({ code: '', message: '' }),
  )
  .optional()
  .catch(undefined);

export const seenEnvelopeSchema = z.object({
  errors: seenNotes,
  warnings: seenNotes,
  messages: seenNotes,
  links: z.record(z.string(), z.unknown()).transform(textsOf).optional().catch(undefined),
  rateLimit: rateLimitSchema.optional().catch(undefined),
});

function textsOf(fields: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(fields).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/** An answer that refuses; the first entry of `errors` says why. */
export const errorAnswerSchema = envelopeSchema
  .extend({
    success: z.literal(false),
    errors: notes.min(1),
    rateLimit: rateLimitSchema.optional(),
  })
  .meta({ id: 'Refusal' });
