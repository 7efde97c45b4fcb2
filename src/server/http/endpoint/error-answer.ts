import type { ServiceContext } from '../../service/context.ts';
import { asRefusal } from '../../service/refusal.ts';
import { refusalAnswer } from '../refusal-answer.ts';
import type { Answer } from '../route.ts';
import { v1RefusalAnswer } from '../v1/error-answers.ts';
import { isV1Address } from '../v1-address.ts';
import { NOT_KEPT } from './cache-headers.ts';

/** Logs of one request. */
export interface RequestLog {
  error(details: object, message: string): void;
  warn(message: string): void;
}

/**
 * The answer to a request at `url` that failed. It has the format of the version that the address belongs to: a
 * malformed request reaches no route that could decide this.
 */
export function errorAnswer(
  error: unknown,
  { url, log, context }: { url: string; log: RequestLog; context: Pick<ServiceContext, 'observer'> },
): Answer {
  const refusal = asRefusal(error);
  if (refusal.code === 'internal_error') log.error({ err: refusal.cause ?? refusal }, refusal.code);
  else if (refusal.status >= 500) log.warn(`${refusal.code}: ${refusal.message}`);
  context.observer.refused(refusal.code);
  const answer = isV1Address(url) ? v1RefusalAnswer(refusal) : refusalAnswer(refusal);
  return { ...answer, headers: { ...NOT_KEPT, ...answer.headers } };
}
