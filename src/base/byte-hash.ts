/** FNV-1a over bytes `from` to `to`, 32 bits, its upper half folded into the lower: for tables of 2^n slots. */
export function byteHash(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash ^ (hash >>> 15);
}
