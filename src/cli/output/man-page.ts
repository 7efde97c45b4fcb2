import type { Argument, Command, Option } from 'commander';
import { ENVIRONMENT } from '../environment.ts';
import { EXIT_STATUSES } from '../exit.ts';

/** `skinsmith-skins-list` for `skinsmith skins list`. */
export function manPageName(command: Command): string {
  return command.parent ? `${manPageName(command.parent)}-${command.name()}` : command.name();
}

/** A command's manual page in roff (man(7)), made from the command tree alone. */
export function renderManPage(command: Command, version: string): string {
  const name = manPageName(command);
  const root = rootOf(command);
  const lines = [
    `.TH ${name.toUpperCase()} 1 "" "skinsmith ${version}" "skinsmith manual"`,
    '.SH NAME',
    `${roff(name)} \\- ${roff(command.summary() || firstSentence(command))}`,
    '.SH SYNOPSIS',
    `.B ${roff(`${fullName(command)} ${command.usage()}`)}`,
    '.SH DESCRIPTION',
    roff(command.description()),
    ...section('ARGUMENTS', command.registeredArguments.flatMap(describeArgument)),
    ...section('COMMANDS', command.commands.flatMap(describeCommand)),
    ...section('OPTIONS', command.options.flatMap(describeOption)),
    ...(command === root ? [] : section('GLOBAL OPTIONS', root.options.flatMap(describeOption))),
    ...section('EXIT STATUS', Object.values(EXIT_STATUSES).flatMap(describeStatus)),
    ...(command === root ? section('ENVIRONMENT', ENVIRONMENT.flatMap(describeVariable)) : []),
    ...section('SEE ALSO', seeAlso(command)),
  ];
  return `${lines.join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`.SH ${title}`, ...lines];
}

function describeArgument(argument: Argument): string[] {
  return ['.TP', `.I ${roff(argument.name())}`, roff(argument.description)];
}

function describeCommand(command: Command): string[] {
  return ['.TP', `.B ${roff(command.name())}`, roff(command.summary())];
}

function describeOption(option: Option): string[] {
  const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : '';
  return ['.TP', `.B ${roff(option.flags)}`, roff(option.description + choices)];
}

function describeVariable([name, meaning]: readonly [string, string]): string[] {
  return ['.TP', `.B ${roff(name)}`, roff(meaning)];
}

/** The pages one step up and down. */
function seeAlso(command: Command): string[] {
  const near = [...(command.parent ? [command.parent] : []), ...command.commands];
  const references = near.map((one) => `.BR ${roff(manPageName(one))} (1)`);
  return references.map((reference, index) => (index < references.length - 1 ? `${reference},` : reference));
}

function describeStatus({ status, meaning }: { status: number; meaning: string }): string[] {
  return ['.TP', `.B ${status}`, roff(meaning)];
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

function firstSentence(command: Command): string {
  return command.description().split('. ', 1)[0] ?? '';
}

/** Backslashes, hyphens (copied as such from a terminal) and lines that would be requests. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1');
}
