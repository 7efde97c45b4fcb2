import type { Deps } from './context.ts';

/** Runs a command's work with its dependencies and returns the exit status. */
export type Runner = (work: (deps: Deps) => Promise<number>) => Promise<void>;
