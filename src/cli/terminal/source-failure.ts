import type { SourceProblem } from '../../batch/model/source.ts';
import type { Messages } from './messages.ts';

/** Reports the failure of one source among several. */
export async function printFailure(
  label: string,
  problem: SourceProblem,
  { messages }: { readonly messages: Messages },
): Promise<void> {
  const { code, message, hint } = problem;
  const isNamed = message.includes(label) || code === 'invalid_row'; // a row's message names its line
  await messages.failure({ code, message: isNamed ? message : `${label}: ${message}`, hint });
}
