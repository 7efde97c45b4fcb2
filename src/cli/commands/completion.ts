import { Argument, type Command } from 'commander';
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.ts';
import type { CommandContext, Runner } from '../context/context.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/help-page.ts';
import type { CommandOutput } from '../output/described.ts';

export const examples: Examples = [
  [
    'Turn on completion in this bash session, or in ~/.bashrc for every session',
    'eval "$(skinsmith completion bash)"',
  ],
  ['Write the script for fish to a file', 'skinsmith completion fish > skinsmith.fish'],
];

export const output: readonly CommandOutput[] = [];

export function register(command: Command, runner: Runner, run = runCompletion): void {
  command
    .description(
      'Print a completion script for a shell.\n' +
        'It completes commands, options and their values. Job IDs, skins, settings and names come from what this ' +
        'machine has stored; the service is not contacted. Each script says at its top how to install it.',
    )
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(SHELLS))
    .action(async (shell: Shell) => await runner(async (context) => run(shell, context)));
}

export function runCompletion(shell: Shell, { io }: CommandContext): number {
  io.out.write(SCRIPTS[shell]);
  return exitStatus('done');
}
