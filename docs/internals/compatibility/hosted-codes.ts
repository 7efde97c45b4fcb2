/**
 * The error codes of the hosted service by endpoint, from the published source of its server (read in 2026-11),
 * without those that any endpoint may use (seen-codes.ts). The published contract lists statuses only.
 */

/** Codes of submissions: `models/v2/generate.ts`, `generator/v2/V2*Handler.ts`. */
const OF_SUBMISSIONS = [
  'blocked_url_host',
  'invalid_cape',
  'invalid_client',
  'invalid_file',
  'invalid_image',
  'invalid_image_url',
  'invalid_user',
  'job_limit',
  'missing_file',
  'unknown_variant',
  'upload_error',
] as const;

/** Codes of failed jobs: `generator/Generator.ts`. */
const OF_JOBS = [
  'failed_to_create_id',
  'invalid_skin_data',
  'no_account_available',
  'skin_change_failed',
] as const;

export const HOSTED_CODES_OF: Readonly<Record<string, readonly string[]>> = {
  'POST /v2/generate': [
    ...OF_SUBMISSIONS,
    ...OF_JOBS,
    'generator_timeout',
    'job_not_found',
    'no_duplicate',
    'skin_not_found',
    'unexpected_error',
  ],
  'POST /v2/queue': OF_SUBMISSIONS,
  'GET /v2/queue/{jobId}': ['job_not_found'],
  'GET /v2/delay': ['invalid_client'],
  'GET /v2/images/{hash}': ['image_not_found'],
  'GET /v2/me': ['user_not_found'],
  'GET /v2/me/client': ['invalid_client'],
  'GET /v2/skins/{uuid}': ['skin_not_found'],
  'GET /v2/skins/{uuid}/texture': ['skin_not_found'],
  'PATCH /v2/skins/{uuid}': ['skin_not_found'],
  'DELETE /v2/skins/{uuid}': ['skin_not_found'],
};
