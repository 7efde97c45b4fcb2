import type { Command, Option } from 'commander';

/** `skinsmith skins list`. */
export function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

/** The pointer to help at the end of usage errors. */
export function seeHelp(command: Command): string {
  return `See '${fullName(command)} --help'.`;
}

/** An option's description, with its choices. */
export function optionText({ description, argChoices }: Option): string {
  return argChoices ? `${description} (${argChoices.join(', ')})` : description;
}

/** Splits a description into its first line, which precedes the examples, and the remaining paragraphs. */
export function descriptionParts(command: Command): { readonly head: string; readonly rest: string } {
  const [head = '', ...rest] = command.description().split('\n');
  return { head, rest: rest.join('\n') };
}
