import type { Note } from '../../protocol/envelope.ts';
import type { Caller } from '../service/caller.ts';
import type { TextureDataRow, TextureRow, Via } from '../store/tables.ts';

/** What a skin is to be made of. */
export type Source =
  | { readonly kind: 'upload'; readonly bytes: Uint8Array }
  /** `http:`, `https:` or `data:`. */
  | { readonly kind: 'url'; readonly url: string }
  /** A player's UUID or name. */
  | { readonly kind: 'user'; readonly user: string };

/** Who asks for it, and by which rules. */
export interface Asking {
  readonly caller: Caller;
  readonly via: Via;
}

/** What a source turns out to be. */
export type Material =
  /** The bytes of a picture, not looked at yet. */
  { readonly kind: 'picture'; readonly bytes: Uint8Array } | SignedMaterial;

/** Skin data that is signed already, so that there is nothing to generate. */
export interface SignedMaterial {
  readonly kind: 'signed';
  readonly identity: string;
  readonly variant: 'classic' | 'slim';
  readonly textureHash: string;
  readonly capeHash: string | null;
  /** The data and its pictures, where they are not in the store. */
  readonly found: FoundData | undefined;
}

/** Signed data that is to be kept with its pictures. */
export interface FoundData {
  readonly data: Omit<TextureDataRow, 'created_at'>;
  readonly textures: readonly Omit<TextureRow, 'created_at'>[];
}

/** What to say about a variant that was asked for and is not the one that was signed. */
export function variantNote(wanted: string, { variant }: SignedMaterial): Note[] {
  if (wanted === 'unknown' || wanted === variant) return [];
  const message = `The player's skin is ${variant}, and its signature is for that: it was not made ${wanted}.`;
  return [{ code: 'variant_mismatch', message }];
}
