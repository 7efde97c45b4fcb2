import type { Command } from 'commander';

/** Terms that a command's arguments may be, each with its meaning. */
export interface Terms {
  /** Without a colon. */
  readonly heading: string;
  readonly rows: readonly (readonly [term: string, meaning: string])[];
}

const TERMS = new WeakMap<Command, Terms>();

/** Adds a list to a command's help and manual page, after its arguments. */
export function setTerms(command: Command, terms: Terms): void {
  TERMS.set(command, terms);
}

export function termsOf(command: Command): Terms | undefined {
  return TERMS.get(command);
}
