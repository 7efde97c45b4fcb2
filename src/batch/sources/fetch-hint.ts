import { ServiceError } from '../../client/errors.ts';

/** What a service of ours says beside `invalid_image_url` when the address is not for it to go to. */
const NOT_ITS_TO_REACH: ReadonlySet<string> = new Set(['address_refused', 'port_refused']);

/** What helps against a URL that the service does not go to; undefined: that is not what is wrong. */
export function fetchHint(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const isRefused = error.answer.errors.some(({ code }) => NOT_ITS_TO_REACH.has(code));
  return isRefused ? 'Fetch it from this machine and send the picture: --fetch-locally' : undefined;
}
