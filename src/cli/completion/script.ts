import type { CompletedCommand, CompletedOption } from './tree.ts';

/** Writes the completion script for one shell. The first command is the program itself. */
export type ScriptWriter = (commands: readonly CompletedCommand[]) => string;

/** Text in single quotes, as bash, zsh and other POSIX shells read it. */
export function posixQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Lists the names of each option that takes a value, and the possible values. */
export function valuedNames({ options }: CompletedCommand): { name: string; values: string }[] {
  return options.flatMap(({ names, values }: CompletedOption) =>
    values === undefined ? [] : names.map((name) => ({ name, values })),
  );
}

/** The names of all options of a command. */
export function optionNames({ options }: CompletedCommand): string[] {
  return options.flatMap(({ names }) => names);
}
