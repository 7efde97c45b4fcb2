import type { Note } from '../../protocol/envelope.ts';
import type { LimitedRequest } from '../service/limits.ts';
import type { NewTexture, TextureDataRow } from '../store/schema/tables.ts';

interface SourceFields {
  readonly upload: { readonly bytes: Uint8Array; readonly fileName?: string | undefined };
  /** `http:`, `https:` or `data:`. */
  readonly url: { readonly url: string };
  /** A player's UUID or name. */
  readonly user: { readonly user: string };
}

export type SourceKind = keyof SourceFields;

/** The source of a skin. */
export type Source<K extends SourceKind = SourceKind> = {
  [P in K]: { readonly kind: P } & SourceFields[P];
}[K];

/** The request that names the source, and the rules for it. */
export interface SourceRequest extends LimitedRequest {
  /** True if nothing will be generated. */
  readonly checkOnly?: boolean;
  /** The caller's name for the request. */
  readonly idempotencyKey?: string | undefined;
  /** True if other requests wait for this one. */
  readonly inBatch?: boolean;
}

/** The result of reading a source. */
export type Material = PictureMaterial | SignedMaterial;

export interface PictureMaterial {
  readonly kind: 'picture';
  /** Not checked yet. */
  readonly bytes: Uint8Array;
  /** Releases the room reserved for the job; call it when the request has been answered. */
  readonly leave?: () => void;
}

/** Skin data that is already signed, so that there is nothing to generate. */
export interface SignedMaterial {
  readonly kind: 'signed';
  readonly identity: string;
  readonly variant: 'classic' | 'slim';
  readonly textureHash: string;
  readonly capeHash: string | null;
  /** The data and its pictures, if they are not in the store. */
  readonly found: FoundData | undefined;
  /** Why the skin's picture could not be read just now and a placeholder replaces it. */
  readonly unreadable?: string;
}

/** Signed data to store with its pictures. */
export interface FoundData {
  readonly data: Omit<TextureDataRow, 'created_at'>;
  readonly textures: readonly Omit<NewTexture, 'created_at'>[];
}

/** The note for a requested variant that differs from the signed one. */
export function variantNote(wanted: string, { variant }: SignedMaterial): Note[] {
  if (wanted === 'unknown' || wanted === variant) return [];
  const message = `The player's skin is signed as ${variant}, so it cannot be made ${wanted}.`;
  return [{ code: 'variant_mismatch', message }];
}

/** Characters of a name to keep. */
const LONGEST = 128;
/** Characters that would move a terminal's cursor or reverse the surrounding text. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]+/gu;

/**
 * A name by which the owner recognizes a source: a file's name without its folders, an address without its secret
 * parts, a player. Undefined if there is none.
 */
export function nameOfSource(source: Source): string | undefined {
  const name = nameOf(source).replace(UNPRINTABLE, ' ').trim();
  return name === '' ? undefined : [...name].slice(0, LONGEST).join('');
}

function nameOf(source: Source): string {
  switch (source.kind) {
    case 'upload':
      return source.fileName?.split(/[\\/]/).at(-1) ?? '';
    case 'user':
      return source.user;
    case 'url':
      return addressOf(source.url);
  }
}

/** User names, passwords and signed queries stay out of the store. A picture in a data URL has no name. */
function addressOf(text: string): string {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.origin + url.pathname : '';
}
