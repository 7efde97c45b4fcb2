import { createHash } from 'node:crypto';

/** A UUID in two notations: with dashes, and as the game's commands expect it. */
export interface ProfileId {
  readonly uuid: string;
  /** Its four signed 32-bit parts, most significant first. */
  readonly parts: readonly number[];
}

/**
 * Derives the profile id for skin data from the value, so that equal heads stack, different heads are cached
 * separately, and no player's own id is used. It is a UUID of version 8 (RFC 9562), the version for custom schemes.
 */
export function profileId(value: string): ProfileId {
  const bytes = createHash('sha256').update(value).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const uuid = bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { uuid, parts: [0, 4, 8, 12].map((at) => bytes.readInt32BE(at)) };
}
