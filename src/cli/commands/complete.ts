import { Argument, type Command } from 'commander';
import { LOCAL_KINDS, type LocalKind } from '../completion/local-kinds.ts';
import { localValues } from '../completion/local-values.ts';
import type { CommandContext } from '../context/context.ts';
import type { Runner } from '../context/runner.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/examples.ts';
import type { CommandOutput } from '../output/described.ts';
import { tabRows } from '../text/text.ts';

/** No help shows this command. */
export const examples: Examples = [];

export const output: readonly CommandOutput[] = [];

/** Internal: the scripts of `completion` call it. */
export function register(command: Command, runner: Runner, run = runComplete): void {
  command
    .description('Prints what this machine has stored of a kind, for completion scripts.')
    .addArgument(new Argument('<kind>', 'of what').choices(LOCAL_KINDS))
    .argument('[previous]', 'the word typed before')
    .action(
      async (kind: LocalKind, previous: string | undefined) =>
        await runner(async (context) => await run(kind, previous ?? '', context)),
    );
}

export async function runComplete(
  kind: LocalKind,
  previous: string,
  context: CommandContext,
): Promise<number> {
  const found = await localValues(kind, previous, context);
  context.io.out.write(tabRows(found.map(({ value, about }) => [value, about ?? ''])));
  return exitStatus('done');
}
