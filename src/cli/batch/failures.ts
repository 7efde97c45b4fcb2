import type { SourceProblem } from '../../batch/model/source.ts';
import type { CommandContext } from '../context/context.ts';

/** Reports the failure of one source among several. */
export async function printFailure(
  label: string,
  problem: SourceProblem,
  context: CommandContext,
): Promise<void> {
  const { code, message, hint } = problem;
  const isNamed = message.includes(label) || code === 'invalid_row'; // a row's message names its line
  await context.messages.failure({ code, message: isNamed ? message : `${label}: ${message}`, hint });
}
