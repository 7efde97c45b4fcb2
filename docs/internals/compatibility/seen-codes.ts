import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Codes that any endpoint may use: about the request itself, its caller, or the state of the service. */
export const ANYWHERE: readonly string[] = [
  'anonymous_limit',
  'concurrency_limit',
  'insufficient_grants',
  'internal_error',
  'invalid_api_key',
  'invalid_content_type',
  'invalid_request',
  'not_found',
  'rate_limit',
  'service_unavailable',
  'store_full',
  'store_unreachable',
  'unauthorized',
  'validation_error',
];

/** The other codes that tests got from each operation, such as `get /v2/skins/{uuid}`. */
export const SEEN_CODES: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'seen-codes.json'), 'utf8'),
);
