import { JsonText } from '../../base/json-text.ts';
import type { Call } from './route.ts';

type AskingCall = Pick<Call, 'context' | 'caller' | 'warnings'>;

/** The answer that this caller got before under this name, unless anything in the store has changed since. */
export function findKept(call: AskingCall, name: string): JsonText | undefined {
  return call.context.keptAnswers?.find(keyOf(call, name));
}

/** Makes an answer that depends on nothing but the store, the caller and its warnings, and keeps it if possible. */
export async function keep(
  call: AskingCall,
  name: string,
  make: () => Promise<object>,
): Promise<object | JsonText> {
  const { keptAnswers } = call.context;
  if (!keptAnswers) return await make();
  return await keptAnswers.make(keyOf(call, name), async () => new JsonText(await make()));
}

function keyOf({ caller, warnings }: AskingCall, name: string): string {
  const notes = warnings.map(({ message }) => message).join();
  return `${caller.owner} ${name} ${notes}`;
}
