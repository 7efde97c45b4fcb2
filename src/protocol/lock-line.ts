import { hash } from 'node:crypto';
import { z } from 'zod';
import { variantSchema, visibilitySchema } from './skin.ts';

/** What batches recorded about a source beside its skin. Paths begin at the lockfile's folder, with `/` between segments. */
export interface SourceRecord {
  /** The list that names the source. */
  readonly list?: string | undefined;
  /** The output files written for it, by the name that they share. */
  readonly outputs?: readonly { readonly name: string; readonly files: readonly string[] }[] | undefined;
}

const recordSchema = z.object({
  list: z.string().optional(),
  outputs: z
    .array(z.object({ name: z.string(), files: z.array(z.string()).readonly() }))
    .readonly()
    .optional(),
}) satisfies z.ZodType<SourceRecord>;

/** Sources known only by their name: a service fetches links and players; skin data has no picture of its own. */
const FETCHED = /^(?:https?|user|value|skin|bedrock):/i;

export function isFetched(source: string): boolean {
  return FETCHED.test(source);
}

/** The fields that identify an entry. */
const identity = z.object({
  /** As the lockfile names it: a path, a URL, `user:…`, `bytes:…`, `value:…`, `skin:…` or `bedrock:…`. */
  source: z.string().min(1),
  /** Pixel hash; optional only for sources without a picture. */
  pixels: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'not 64 hexadecimal digits')
    .optional(),
  /** The requested options. */
  options: z.object({
    variant: z.enum(['auto', 'classic', 'slim']),
    visibility: visibilitySchema,
    /** UUID of the cape. */
    cape: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'not 32 hexadecimal digits')
      .optional(),
  }),
});

export type LockIdentity = z.infer<typeof identity>;

const PIXELS_MISSING = { path: ['pixels'], message: 'missing' };
export const lockIdentitySchema = identity.refine(hasContent, PIXELS_MISSING);

/** One line of the lockfile; unknown fields are dropped. Fields have no limits of their own, lines do. */
export const lockEntrySchema = identity
  .extend({
    uuid: z.string().min(1),
    /** The list and the output files; absent in entries of older versions. */
    record: recordSchema.optional(),
    name: z.string().optional(),
    /** The result. */
    variant: variantSchema,
    visibility: visibilitySchema,
    /** Base64 of the textures document. */
    value: z.string().regex(/^[A-Za-z0-9+/=]+$/, 'not base64'),
    /** Base64 of the RSA signature over `value`. */
    signature: z.string().regex(/^[A-Za-z0-9+/=]*$/, 'not base64'),
    /** URL of the texture. */
    texture: z.string(),
    /** Hash of the texture, as the service names it. */
    hash: z.string(),
    /** The service that made it: its address, or `embedded`. */
    service: z.string(),
    /** Fingerprint of the service's own key, if that key signed. */
    key: z.string().optional(),
    /** Who signed, see `Signer`; absent in entries of older versions. */
    signer: z.string().optional(),
    /** Detects damage, see `digestOf`; absent like `signer`. */
    digest: z
      .string()
      .regex(/^[0-9a-f]{16}$/, 'not 16 hexadecimal digits')
      .optional(),
  })
  .refine(hasContent, PIXELS_MISSING);

export type LockEntry = z.infer<typeof lockEntrySchema>;

function hasContent({ source, pixels }: Pick<LockIdentity, 'source' | 'pixels'>): boolean {
  return pixels !== undefined || isFetched(source);
}

/** The entry's line, without a line break: a fixed order of fields, so that a diff shows what changed. */
export function lineOf(entry: LockEntry): string {
  const { variant, visibility, cape } = entry.options;
  return JSON.stringify({
    source: entry.source,
    pixels: entry.pixels,
    options: { variant, visibility, cape },
    uuid: entry.uuid,
    record: entry.record,
    name: entry.name,
    variant: entry.variant,
    visibility: entry.visibility,
    value: entry.value,
    signature: entry.signature,
    texture: entry.texture,
    hash: entry.hash,
    service: entry.service,
    key: entry.key,
    signer: entry.signer,
    digest: entry.digest,
  });
}

/** Hexadecimal digits of a digest. Enough to detect damage, not tampering: who edits a line can edit this too. */
const DIGITS = 16;

type Covered = Pick<LockEntry, 'service' | 'key' | 'signer' | 'value' | 'signature'>;

/** Digest of the parts of an entry that others rely on without checking: the skin data and its signer. */
export function digestOf(entry: Covered): string {
  const { service, key, signer, value, signature } = entry;
  const covered = JSON.stringify([service, key ?? '', signer ?? '', value, signature]);
  return hash('sha256', covered).slice(0, DIGITS);
}

/** Ready to be written. An entry without a signer, as in an old journal, keeps the old form. */
export function withDigest<Line extends LockEntry>(entry: Line): Line {
  return entry.signer === undefined ? entry : { ...entry, digest: digestOf(entry) };
}
