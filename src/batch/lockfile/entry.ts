import { z } from 'zod';
import { variantSchema, visibilitySchema } from '../../protocol/skin.ts';
import { type WorkContent, workKey } from '../plan/work-key.ts';

const options = z.object({
  variant: z.enum(['auto', 'classic', 'slim']),
  visibility: visibilitySchema,
  /** UUID of the cape. */
  cape: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'not 32 hexadecimal digits')
    .optional(),
});

/** Where an entry's content is, by its source: a service fetches links and players, the rest has pixels. */
const FETCHED = /^(?:https?|user):/i;
const USER = 'user:';

/** What of an entry finds it. */
export interface EntryHead {
  readonly source: string;
  readonly pixels?: string | undefined;
  readonly options: z.infer<typeof options>;
}

/** One line of the lockfile; unknown fields are dropped. No field has a limit, for the line has (LONGEST_LINE). */
export const lockEntrySchema = z
  .object({
    /** As `sourceId` makes it. */
    source: z.string().min(1),
    /** Pixel hash; only a link or a player may be without. */
    pixels: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'not 64 hexadecimal digits')
      .optional(),
    /** What was asked for. */
    options,
    uuid: z.string().min(1),
    name: z.string().optional(),
    /** What was made. */
    variant: variantSchema,
    visibility: visibilitySchema,
    /** Base64 of the textures document. */
    value: z.string().regex(/^[A-Za-z0-9+/=]+$/, 'not base64'),
    /** Base64 of the RSA signature over `value`. */
    signature: z.string().regex(/^[A-Za-z0-9+/=]*$/, 'not base64'),
    /** URL of the texture. */
    texture: z.string(),
    /** Hash of the texture, as the service calls it. */
    hash: z.string(),
    /** Who made it: the service's address, or `embedded`. */
    service: z.string(),
    /** SHA-256 fingerprint of the public key that signed, where known. */
    key: z.string().optional(),
  })
  .refine(hasContent, { path: ['pixels'], message: 'missing' });

export type LockEntry = z.infer<typeof lockEntrySchema>;

export function hasContent({ source, pixels }: Pick<EntryHead, 'source' | 'pixels'>): boolean {
  return pixels !== undefined || isFetched(source);
}

/** Whether the service fetches the picture: such a source is known by its name alone. */
export function isFetched(source: string): boolean {
  return FETCHED.test(source);
}

/** The work key of an entry that the schema has passed. */
export function workOf({ source, pixels = '', options }: EntryHead): string {
  return workKey({ content: isFetched(source) ? fetchedContent(source) : { pixels }, ...options });
}

function fetchedContent(source: string): WorkContent {
  return source.startsWith(USER) ? { user: source.slice(USER.length) } : { url: source };
}

/** What is wrong with an entry, for people. */
export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const place = issue?.path.join('.');
  return place ? `${place}: ${issue?.message}` : `${issue?.message}`;
}
