import { ServiceError } from '../../client/errors.ts';

/** What our own service says with `invalid_image_url` when it must not fetch an address. */
const NOT_ITS_TO_REACH: ReadonlySet<string> = new Set(['address_refused', 'port_refused']);

/** The hint for a URL that the service must not fetch; undefined if the problem is another. */
export function fetchHint(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const isRefused = error.answer.errors.some(({ code }) => NOT_ITS_TO_REACH.has(code));
  return isRefused ? 'Fetch it from this machine and send the picture: --fetch-locally' : undefined;
}
