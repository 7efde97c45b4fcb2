import type { Command, Option } from 'commander';

/** `skinsmith skins list`. */
export function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

/** The pointer to help at the end of usage errors. */
export function seeHelp(command: Command): string {
  return `See '${fullName(command)} --help'.`;
}

/** An option's description, with its choices before the default. */
export function optionText({ description, argChoices }: Option): string {
  if (argChoices === undefined) return description;
  const choices = argChoices.join(', ');
  const [, text = description, end] = /^(.*) \((default: [^()]*)\)$/s.exec(description) ?? [];
  return `${text} (${[choices, end].filter(Boolean).join('; ')})`;
}

/** Splits a description into its first line, which precedes the examples, and the remaining paragraphs. */
export function descriptionParts(command: Command): { readonly head: string; readonly rest: string } {
  const [head = '', ...rest] = command.description().split('\n');
  return { head, rest: rest.join('\n') };
}
