import type { Command } from 'commander';
import { completionOf } from '../completion/completer.ts';
import { localValues } from '../completion/local-values.ts';
import type { CommandContext, Runner } from '../context/context.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/help-page.ts';
import type { CommandOutput } from '../output/described.ts';
import { tabRows } from '../text/text.ts';

interface CompleteOptions {
  /** The word that the user completes. */
  readonly current: string;
  /** The words before it, without the program's name. */
  readonly typed: readonly string[];
}

/** No help shows this command. */
export const examples: Examples = [];

export const output: readonly CommandOutput[] = [];

/** Internal: the scripts of `completion` call it. */
export function register(command: Command, runner: Runner, run = runComplete): void {
  command
    .description('Print what can follow on a command line, for completion scripts.')
    .option('--current <word>', 'the word to complete', '')
    .argument('[word...]', 'the words before it')
    .action(
      async (typed: string[], { current }: { current: string }) =>
        await runner(async (context) => await run({ current, typed }, command.parent ?? command, context)),
    );
}

/** @param program the command tree */
export async function runComplete(
  { current, typed }: CompleteOptions,
  program: Command,
  context: CommandContext,
): Promise<number> {
  const { paths, lead, values } = await completionOf(
    program,
    typed,
    current,
    async (kind, previous) => await localValues(kind, previous, context),
  );
  context.io.out.write(tabRows([[paths, lead], ...values.map(({ value, about }) => [value, about])]));
  return exitStatus('done');
}
