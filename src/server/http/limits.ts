import { Refusal } from '../service/refusal.ts';

/** Bytes of a JSON or form body: several times the longest data URL. */
export const BODY_LIMIT = 128 * 1024;
/** Characters of a value in the path of an address. */
export const MAX_PARAM_LENGTH = 128;
const MAX_URL = 8 * 1024;

/** @throws Refusal with status 414 */
export function verifyUrlLength(url: string): void {
  if (url.length > MAX_URL) throw urlTooLong();
}

export function urlTooLong(cause?: unknown): Refusal {
  return new Refusal('invalid_request', { status: 414, message: 'The address is too long.', cause });
}

export function malformedUrl(cause?: unknown): Refusal {
  return new Refusal('invalid_request', { message: 'The address is not well-formed.', cause });
}

export function bodyTooLarge(cause?: unknown): Refusal {
  return new Refusal('invalid_file', { status: 413, message: 'The body is too large for a skin.', cause });
}

export function tooManyFields(cause?: unknown): Refusal {
  return new Refusal('invalid_request', { message: 'The form has too many fields.', cause });
}

export function tooManyFiles(cause?: unknown): Refusal {
  return new Refusal('invalid_request', { message: 'Send one file only.', cause });
}

export function forbiddenField(cause?: unknown): Refusal {
  return new Refusal('invalid_request', { message: 'The form has a field of a forbidden name.', cause });
}
