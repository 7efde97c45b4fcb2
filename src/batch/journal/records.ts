import { z } from 'zod';

/**
 * Lines of the journal: NDJSON, one step of one piece of work each. `k` (work key) and `s` (step) come first
 * in every line, so that reading back needs to parse only those that are still open.
 */
const texture = z.object({ url: z.string(), hash: z.string() });

const skin = z.object({
  uuid: z.string(),
  name: z.string().optional(),
  variant: z.enum(['classic', 'slim', 'unknown']),
  visibility: z.enum(['public', 'unlisted', 'private']),
  value: z.string(),
  signature: z.string(),
  texture,
  duplicate: z.boolean().optional(),
});

const notes = z.array(z.object({ code: z.string(), message: z.string() }));

/** About to be sent; `n`: which attempt, `m`: newest job time seen on the service before, its clock, ms; `u`: by this caller. */
const intent = z.object({
  s: z.literal('intent'),
  k: z.string(),
  n: z.number(),
  m: z.number(),
  u: z.string().optional(),
});
/** The service accepted it as job `j`; `u`: of this user, or of this caller where the service does not name users. */
const job = z.object({
  s: z.literal('job'),
  k: z.string(),
  n: z.number(),
  j: z.string(),
  u: z.string().optional(),
});
/** The service certainly did not take it. */
const refused = z.object({ s: z.literal('refused'), k: z.string() });
/** Made and proved. `key`: fingerprint of the service's own key, where that signed; `signer`: see `Signer`. */
const done = z.object({
  s: z.literal('done'),
  k: z.string(),
  j: z.string().optional(),
  skin,
  w: notes,
  service: z.string(),
  key: z.string().optional(),
  signer: z.string().optional(),
});
/** Made and paid for, but not what was asked for, or not provably so: it is kept until somebody decides. */
const unproven = z.object({
  s: z.literal('unproven'),
  k: z.string(),
  j: z.string().optional(),
  skin,
  w: notes,
  service: z.string(),
  /** What is wrong with it. */
  code: z.string(),
  message: z.string(),
});
/** Failed for good in this batch. */
const failed = z.object({
  s: z.literal('failed'),
  k: z.string(),
  j: z.string().optional(),
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});
/** The batch came to its end; what failed may be tried again by the next one. */
const end = z.object({ s: z.literal('end') });

export const headerSchema = z.object({
  journal: z.literal(1),
  /** Makes the idempotency keys of this journal its own. */
  nonce: z.string(),
});

export const recordSchema = z.discriminatedUnion('s', [intent, job, refused, done, unproven, failed, end]);
export const doneSchema = done;
export const unprovenSchema = unproven;

export type JournalRecord = z.infer<typeof recordSchema>;
export type DoneRecord = z.infer<typeof done>;
export type UnprovenRecord = z.infer<typeof unproven>;
export type FailedRecord = z.infer<typeof failed>;
