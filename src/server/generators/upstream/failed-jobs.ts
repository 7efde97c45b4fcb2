import type { ServiceError, SkinsmithError } from '../../../client/errors.ts';
import type { Failure } from '../../../client/failure.ts';
import type { Note } from '../../../protocol/envelope.ts';
import { type ErrorCode, isErrorCode, PASSING_FAILURES } from '../../../protocol/errors.ts';
import { GenerationError } from '../port.ts';

/**
 * Whether the failure is about the request itself, so that the same picture would always be refused. Any other is
 * about the service, its address or a proxy in front of it, and no reason to fail a job.
 */
export function isAboutRequest({ kind }: Failure): boolean {
  return kind === 'invalid' || kind === 'not_allowed';
}

/** Failures caused by the picture, which its owner should see unchanged. */
const OF_THE_PICTURE = new Set<ErrorCode>(['invalid_image', 'invalid_file']);
const MAX_MESSAGE_LENGTH = 300;

/** Turns a job that failed or was refused upstream into a failure of this service. */
export function failedJob([first]: readonly Note[], cause?: SkinsmithError): GenerationError {
  const { code = '', message = '' } = first ?? {};
  const isTold = isErrorCode(code) && (OF_THE_PICTURE.has(code) || PASSING_FAILURES.has(code));
  const said = message.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, MAX_MESSAGE_LENGTH);
  return new GenerationError(isTold ? code : 'job_failed', said || 'The job failed.', { cause });
}

/** A submission that was refused because of its content: no other error is about the request. */
export function refusedJob(error: unknown): GenerationError {
  const refusal = error as ServiceError;
  return failedJob(refusal.answer.errors, refusal);
}
