import { createHash } from 'node:crypto';

/** A UUID, written with dashes and as the game's commands want it. */
export interface ProfileId {
  readonly uuid: string;
  /** Its four 32-bit parts, signed, the highest first. */
  readonly parts: readonly number[];
}

/**
 * The profile id for skin data: made from the value, so that equal heads stack, unequal ones are cached apart,
 * and no player's own id is taken. Version 8 of RFC 9562, the one for ids made in a way of one's own.
 */
export function profileId(value: string): ProfileId {
  const bytes = createHash('sha256').update(value).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const uuid = bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { uuid, parts: [0, 4, 8, 12].map((at) => bytes.readInt32BE(at)) };
}
