import type { BlockedImage } from '../../../index.ts';
import type { Columns, Fields } from '../../output/described.ts';

/** An image that was blocked just now, with the number of skins that were hidden. */
export type BlockedView = BlockedImage & { readonly hidden: number };

export const IMAGE_COLUMNS = {
  hash: ({ hash }) => hash,
  blockedAt: ({ blockedAt }) => blockedAt,
  blockedBy: ({ blockedBy }) => blockedBy,
  note: ({ note }) => note,
} satisfies Columns<BlockedImage>;

export const IMAGE_FIELDS: Fields<BlockedImage> = {
  hash: 'hash of the texture',
  note: 'why it was blocked',
  blockedBy: 'name of the operator',
  blockedAt: 'when it was blocked',
};

/** SHA-256 in lower-case hexadecimal. */
export function isImageHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
