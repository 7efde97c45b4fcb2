import type { Command } from 'commander';
import type { Examples } from '../help/examples.ts';
import type { CommandOutput } from '../output/described.ts';
import type { Runner } from './runner.ts';

export interface CommandModule {
  /** The examples at the start of the command's help. */
  readonly examples: Examples;
  /** What it prints for programs; empty: nothing. */
  readonly output: readonly CommandOutput[];
  /** Adds arguments, options and an action to a command that has its name. */
  readonly register: (command: Command, runner: Runner) => void;
}
