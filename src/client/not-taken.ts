import { NetworkError, ServiceError, UnreadableAnswerError } from './errors.ts';

/**
 * Whether a failed submission certainly left nothing on the service: it never arrived, was refused, or the
 * service said that it accepts none now (`service_unavailable`). A proxy's error page with a 5xx proves
 * nothing: the service may have accepted the submission.
 */
export function wasNotTaken(error: unknown): boolean {
  if (error instanceof NetworkError) return !error.mayHaveArrived;
  if (error instanceof UnreadableAnswerError) return error.status >= 400 && error.status < 500;
  if (!(error instanceof ServiceError)) return false;
  return error.status < 500 || (error.status === 503 && error.code !== 'http_503');
}
