import type { SourceProblem } from '../../batch/types.ts';
import type { Deps } from '../context/context.ts';

/** Reports the failure of one source among several. */
export async function tellFailure(label: string, problem: SourceProblem, deps: Deps): Promise<void> {
  const { code, message, hint } = problem;
  const isNamed = message.includes(label) || code === 'invalid_row'; // a row's message names its line
  await deps.talk.failure({ code, message: isNamed ? message : `${label}: ${message}`, hint });
}
