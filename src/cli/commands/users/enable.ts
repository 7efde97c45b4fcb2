import type { Command } from 'commander';
import type { Runner } from '../../runner.ts';
import { changeUser } from './set.ts';

export function register(command: Command, runner: Runner, run = changeUser): void {
  command
    .description('Lets a user of a skinsmith service in again (operator only).')
    .argument('<name>', 'name of the user')
    .action(async (name: string) => await runner(async (deps) => await run(name, { disabled: false }, deps)));
}
