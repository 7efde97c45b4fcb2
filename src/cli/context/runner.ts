import type { CommandContext } from './context.ts';

/** Runs a command's work with its dependencies and returns the exit status. */
export type Runner = (work: (context: CommandContext) => Promise<number>) => Promise<void>;
