import { z } from 'zod';
import { variantSchema, visibilitySchema } from '../../protocol/skin.ts';
import { type WorkContent, workKey } from '../model/work-key.ts';

const options = z.object({
  variant: z.enum(['auto', 'classic', 'slim']),
  visibility: visibilitySchema,
  /** UUID of the cape. */
  cape: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'not 32 hexadecimal digits')
    .optional(),
});

export const sourceRecordSchema = z.object({
  list: z.string().optional(),
  outputs: z
    .array(z.object({ name: z.string(), files: z.array(z.string()).readonly() }))
    .readonly()
    .optional(),
});

/** Sources known only by their name: a service fetches links and players; skin data has no picture of its own. */
const FETCHED = /^(?:https?|user|value|skin):/i;
const USER = 'user:';
/** Skin data, as `SourceIds` names it. */
const GIVEN = /^(?:value|skin):/i;

/** The fields that identify an entry. */
export interface EntryHead {
  readonly source: string;
  readonly pixels?: string | undefined;
  readonly options: z.infer<typeof options>;
}

/** One line of the lockfile; unknown fields are dropped. Fields have no limits of their own, lines do (LONGEST_LINE). */
export const lockEntrySchema = z
  .object({
    /** As returned by `SourceIds`. */
    source: z.string().min(1),
    /** Pixel hash; optional only for sources without a picture. */
    pixels: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'not 64 hexadecimal digits')
      .optional(),
    /** The requested options. */
    options,
    uuid: z.string().min(1),
    /** The list and the output files; absent in entries of older versions. */
    record: sourceRecordSchema.optional(),
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
  .refine(hasContent, { path: ['pixels'], message: 'missing' });

export type LockEntry = z.infer<typeof lockEntrySchema>;

export function hasContent({ source, pixels }: Pick<EntryHead, 'source' | 'pixels'>): boolean {
  return pixels !== undefined || isFetched(source);
}

/** Whether a source is known only by its name, because its picture is elsewhere. */
export function isFetched(source: string): boolean {
  return FETCHED.test(source);
}

/** The work key of an entry that passed the schema. */
export function workOf({ source, pixels = '', options }: EntryHead): string {
  return workKey({ content: isFetched(source) ? fetchedContent(source) : { pixels }, ...options });
}

function fetchedContent(source: string): WorkContent {
  if (GIVEN.test(source)) return { given: source };
  return source.startsWith(USER) ? { user: source.slice(USER.length) } : { url: source };
}

/** The problem with an entry, for messages. */
export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const place = issue?.path.join('.');
  return place ? `${place}: ${issue?.message}` : `${issue?.message}`;
}
