import { ServiceError, UnreadableAnswerError } from '../../index.ts';
import { CliError } from '../errors/exit.ts';

/** Statuses of a service that lacks the operation. */
const NO_SUCH_OPERATION = [404, 405, 501];

/**
 * Sends a request that not every service supports. `about` lists the error codes with which a supporting service
 * reports that the resource itself does not exist.
 * @throws CliError `not_offered`
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
    throw new CliError('not_offered', `This service cannot ${what}.`, {
      hint: 'A skinsmith service can. Choose another service with --base-url.',
      cause: error,
    });
  }
}
