import { Argument, type Command } from 'commander';
import { SHELLS, type Shell } from '../completion/shells.ts';
import type { CommandContext } from '../context/context.ts';
import type { Runner } from '../context/runner.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/examples.ts';
import type { CommandOutput } from '../output/described.ts';

export const examples: Examples = [
  ['Complete in this bash session; in ~/.bashrc: in every one', 'eval "$(skinsmith completion bash)"'],
  ['Write the script for fish to a file', 'skinsmith completion fish > skinsmith.fish'],
];

export const output: readonly CommandOutput[] = [];

export function register(command: Command, runner: Runner, run = runCompletion): void {
  command
    .description(
      'Print a script that completes skinsmith in a shell.\n' +
        'It completes commands, options and their values. Job ids, skins, settings and names come from what this ' +
        'machine has stored; the service is not asked. Each script begins with how to install it.',
    )
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(SHELLS))
    .action(
      async (shell: Shell) =>
        await runner(async (context) => await run(shell, command.parent ?? command, context)),
    );
}

/** @param program the whole command tree */
export async function runCompletion(shell: Shell, program: Command, { io }: CommandContext): Promise<number> {
  const { completionScript } = await import('../completion/scripts.ts');
  io.out.write(completionScript(shell, program));
  return exitStatus('done');
}
