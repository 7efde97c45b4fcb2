import type { Note } from '../../index.ts';
import type { Messages } from './messages.ts';

/** Prints warnings for people; the JSON output includes each as well. */
export async function printWarnings(
  notes: readonly Note[],
  label: string | undefined,
  { messages }: { readonly messages: Messages },
): Promise<void> {
  for (const note of notes)
    await messages.warn(label === undefined ? note.message : `${label}: ${note.message}`);
}
