import { NetworkError, ServiceError, UnreadableAnswerError } from '../../../src/client/errors.ts';

/** An error answer of the service. `retryAfter`: milliseconds. */
export function refusal(status: number, code: string, retryAfter?: number): ServiceError {
  const errors = code === '' ? [] : [{ code, message: 'No.' }];
  return new ServiceError({
    method: 'POST',
    path: '/',
    status,
    errors,
    links: {},
    rateLimit: undefined,
    retryAfter,
  });
}

/** An answer that is not the service's. */
export function page(status: number, retryAfter?: number): UnreadableAnswerError {
  return new UnreadableAnswerError('A page.', { status, retryAfter });
}

/** No answer. */
export function noAnswer(mayHaveArrived: boolean, cause?: unknown): NetworkError {
  return new NetworkError('Cut.', { cause, mayHaveArrived });
}
