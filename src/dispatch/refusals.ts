import { classifyFailure, SkinsmithError } from '../client/errors.ts';
import { isErrorCode } from '../protocol/errors.ts';

/** Refusals with one code that is not about pictures, without an acceptance in between, after which nothing more is submitted. */
const MAX_IN_A_ROW = 5;

/** Permanent refusals of submissions, which tell whether the service would refuse all others as well. */
export class Refusals {
  #code: string | undefined;
  #inARow = 0;

  /** A submission was accepted. */
  accepted(): void {
    this.#inARow = 0;
  }

  /** Whether this refusal, after the earlier ones, means that every other submission would be refused. */
  areForAll(error: unknown): boolean {
    if (isOutOfCredits(error)) return true;
    if (!(error instanceof SkinsmithError) || isAboutContent(error)) return false;
    this.#inARow = error.code === this.#code ? this.#inARow + 1 : 1;
    this.#code = error.code;
    return this.#inARow >= MAX_IN_A_ROW;
  }
}

/** Whether the same submission is accepted once the caller has credits. */
export function isOutOfCredits(error: unknown): boolean {
  return classifyFailure(error)?.kind === 'no_credits';
}

/** Whether another picture may be accepted. */
function isAboutContent(error: SkinsmithError): boolean {
  return classifyFailure(error)?.kind === 'invalid' && isErrorCode(error.code);
}
