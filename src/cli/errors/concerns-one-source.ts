import { PlayerNameError } from '../../batch/sources/player-names.ts';
import { ProofError } from '../../dispatch/proof.ts';
import { classifyFailure, type FailureKind, JobFailedError } from '../../index.ts';
import { CliError } from './exit.ts';

/** Failures that every other source would meet as well. */
const CONCERNS_ALL: ReadonlySet<FailureKind> = new Set([
  'unreachable',
  'full_queue',
  'too_fast',
  'key_refused',
  'not_allowed',
  'challenged',
  'unavailable',
]);

/** Whether an error affects only this source and so becomes a result; any other error ends the command. */
export function concernsOneSource(error: unknown): boolean {
  if (error instanceof CliError) return error.exit === 'failed';
  if (error instanceof JobFailedError || error instanceof ProofError || error instanceof PlayerNameError)
    return true;
  const failure = classifyFailure(error);
  return failure !== undefined && !CONCERNS_ALL.has(failure.kind);
}
