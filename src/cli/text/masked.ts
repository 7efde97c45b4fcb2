/** A key by its last four characters. */
export function masked(last4: string): string {
  return `…${last4}`;
}
