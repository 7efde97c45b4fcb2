import { hash } from 'node:crypto';

/** Identifies a key without revealing it: the first 16 hexadecimal digits of its text's SHA-256. */
export function shortFingerprint(text: string): string {
  return hash('sha256', text).slice(0, 16);
}

/** Distinguishes the callers of one service: the fingerprint of the API key, or `anonymous` without one. */
export function callerFingerprint(apiKey: string | undefined): string {
  return apiKey === undefined ? 'anonymous' : shortFingerprint(apiKey);
}
