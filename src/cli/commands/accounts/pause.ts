import type { Command } from 'commander';
import type { Runner } from '../../runner.ts';
import { changeAccount } from './set.ts';

export function register(command: Command, runner: Runner, run = changeAccount): void {
  command
    .description(
      'Uses a linked game account no more until it is resumed, as while its owner plays (operator only).',
    )
    .argument('<account>', 'name or UUID of the account')
    .action(async (named: string) => await runner(async (deps) => await run(named, { paused: true }, deps)));
}
