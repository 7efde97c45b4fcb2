import type { Deps } from './deps.ts';

/** Runs a command's work with its dependencies; the number it answers is the exit status. */
export type Runner = (work: (deps: Deps) => Promise<number>) => Promise<void>;
