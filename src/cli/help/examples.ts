import type { Command } from 'commander';

/** A description of the example and its command line. A test runs every line. */
export type Example = readonly [does: string, line: string];
export type Examples = readonly Example[];

const EXAMPLES = new WeakMap<Command, Examples>();

/** Sets the examples at the start of a command's help and manual page. */
export function setExamples(command: Command, examples: Examples): void {
  EXAMPLES.set(command, examples);
}

export function examplesOf(command: Command): Examples {
  return EXAMPLES.get(command) ?? [];
}
