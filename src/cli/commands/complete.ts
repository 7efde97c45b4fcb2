import { Argument, type Command } from 'commander';
import { atHand } from '../completion/at-hand.ts';
import { AT_HAND_KINDS, type AtHandKind } from '../completion/at-hand-kinds.ts';
import type { Deps } from '../context/context.ts';
import type { Runner } from '../context/runner.ts';
import { exitStatus } from '../errors/exit.ts';
import { tabRows } from '../terminal/text.ts';

/** Internal: the scripts of `completion` call it. */
export function register(command: Command, runner: Runner, run = runComplete): void {
  command
    .description('Prints what this machine has stored of a kind, for completion scripts.')
    .addArgument(new Argument('<kind>', 'of what').choices(AT_HAND_KINDS))
    .argument('[previous]', 'the word typed before')
    .action(
      async (kind: AtHandKind, previous: string | undefined) =>
        await runner(async (deps) => await run(kind, previous ?? '', deps)),
    );
}

export async function runComplete(kind: AtHandKind, previous: string, deps: Deps): Promise<number> {
  const found = await atHand(kind, previous, deps);
  deps.io.out.write(tabRows(found.map(({ value, about }) => [value, about ?? ''])));
  return exitStatus('done');
}
