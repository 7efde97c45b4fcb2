import { hash } from 'node:crypto';

/** A weak entity tag: it names the content, not how it is encoded on its way. */
export function entityTag(payload: string | Uint8Array): string {
  return weakTag(hash('sha1', payload, 'base64url'));
}

/** The same, of the content's SHA-1 in base64url. */
export function weakTag(digest: string): string {
  return `W/"${digest}"`;
}

/** Whether one of the tags sent by the caller is this one (RFC 9110, 13.1.2: weak comparison). */
export function isKnownTag(tag: string, named: string | undefined): boolean {
  if (named === undefined) return false;
  const strong = (text: string) => text.trim().replace(/^W\//, '');
  return named.trim() === '*' || named.split(',').some((one) => strong(one) === strong(tag));
}
