import { createInterface } from 'node:readline';
import { usageError } from '../errors/exit.ts';
import { clean } from '../text/text.ts';
import type { Io } from './io.ts';

/**
 * Asks for confirmation; any answer other than yes means no. Without a terminal, the user must pass `--yes`.
 * @throws CliError `cannot_ask`; the signal's reason when interrupted
 */
export async function confirm(
  question: string,
  { io, signal }: { readonly io: Io; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!io.canPrompt) {
    throw usageError(
      'cannot_ask',
      'This needs confirmation, and there is no terminal to ask on.',
      'To confirm, add: --yes',
    );
  }
  io.err.write(`${clean(question)} [y/N] `);
  const lines = createInterface({ input: io.stdin, signal });
  try {
    for await (const line of lines) return /^(?:y|yes)$/i.test(line.trim());
  } finally {
    lines.close();
  }
  signal.throwIfAborted();
  return false;
}
