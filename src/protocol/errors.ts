/**
 * All error codes of the service: the HTTP status of each and the message used when there is no more specific
 * one. Source: the hosted service's published behaviour.
 */
export const ERRORS = {
  validation_error: { status: 400, message: 'The request is invalid.' },
  invalid_image: { status: 400, message: 'The picture is not a usable skin.' },
  blocked_image: { status: 400, message: 'The operator of this service has blocked this picture.' },
  invalid_image_url: { status: 400, message: 'The URL of the picture cannot be used.' },
  invalid_user: { status: 400, message: 'No such player.' },
  invalid_file: { status: 400, message: 'The uploaded file cannot be used.' },
  missing_file: { status: 400, message: 'No file, url or user was sent.' },
  unknown_variant: { status: 400, message: 'The variant must be classic, slim or unknown.' },
  invalid_cape: { status: 400, message: 'No such cape.' },
  invalid_request: { status: 400, message: 'The request cannot be understood.' },
  no_duplicate: { status: 400, message: 'No existing skin was found.' },
  unauthorized: { status: 401, message: 'This needs an API key.' },
  invalid_api_key: { status: 403, message: 'Invalid API Key' },
  insufficient_grants: { status: 403, message: 'This caller may not do that.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  job_not_found: { status: 404, message: 'No such job.' },
  skin_not_found: { status: 404, message: 'No such skin.' },
  set_not_found: { status: 404, message: 'No such set.' },
  user_not_found: { status: 404, message: 'No user belongs to this API key.' },
  player_not_found: { status: 404, message: 'No player of this service has this name.' },
  set_gone: { status: 410, message: 'No set has this name any more.' },
  link_gone: { status: 410, message: 'This sign-in link has been used or revoked, or has expired.' },
  already_liked: { status: 409, message: 'You like this skin already.' },
  invalid_content_type: { status: 415, message: 'The body must be multipart/form-data or application/json.' },
  rate_limit: { status: 429, message: 'Too many requests.' },
  job_limit: { status: 429, message: 'Too many jobs in the queue.' },
  concurrency_limit: { status: 429, message: 'Too many requests at the same time.' },
  internal_error: { status: 500, message: 'Something went wrong inside the service.' },
  unexpected_error: { status: 500, message: 'Something unexpected happened.' },
  generator_timeout: { status: 500, message: 'The skin was not ready in time; the job continues.' },
  skin_change_failed: { status: 500, message: 'The skin could not be set on the game account.' },
  invalid_skin_data: { status: 500, message: 'The generated skin data is invalid.' },
  job_failed: { status: 500, message: 'The job failed.' },
  anonymous_limit: {
    status: 503,
    message: 'Callers without an API key have reached their shared limit. Wait, or send an API key.',
  },
  store_full: {
    status: 503,
    message: "The service's store is full: it accepts no new skins, but still returns known ones.",
  },
  store_unreachable: { status: 503, message: "The service's database cannot be reached; try again." },
  no_account_available: { status: 503, message: 'No game account is available to make the skin.' },
  service_unavailable: { status: 503, message: 'The service cannot do this now.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Failures of a generation that may be temporary. */
export const TEMPORARY_ERRORS: ReadonlySet<string> = new Set<ErrorCode>([
  'skin_change_failed',
  'generator_timeout',
  'no_account_available',
  'internal_error',
  'unexpected_error',
  'invalid_skin_data',
  'service_unavailable',
]);

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
