/** A number of bytes in a message: `1 byte`, `2 bytes`. */
export function byteCount(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`;
}
