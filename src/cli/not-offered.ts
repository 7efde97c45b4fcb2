import { ServiceError, UnreadableAnswerError } from '../index.ts';
import { CliError } from './exit.ts';

/** Statuses of a service that has no such operation. */
const NO_SUCH_OPERATION = [404, 405, 501];

/**
 * Asks for what not every service offers. `about`: codes with which one that does offer it says that the thing
 * itself is not there. @throws CliError `not_offered`
 */
export async function whereOffered<T>(
  { what, about }: { what: string; about: readonly string[] },
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ServiceError) && !(error instanceof UnreadableAnswerError)) throw error;
    if (!NO_SUCH_OPERATION.includes(error.status) || about.includes(error.code)) throw error;
    throw new CliError('not_offered', `This service does not offer ${what}.`, {
      hint: 'A skinsmith service does; see which one is set with: skinsmith config get base-url',
      cause: error,
    });
  }
}
