import type { Argument, Command } from 'commander';
import { ENVIRONMENT } from '../config/settings.ts';
import { EXIT_STATUSES } from '../errors/exit.ts';
import {
  descriptionParts,
  type Example,
  examplesOf,
  fullName,
  optionText,
  shownCommands,
  termsOf,
} from '../help/help-page.ts';
import { FORMATS_PAGE } from './formats-page.ts';
import { roff, roffItem, roffSections, type Section, type TermRow } from './sections.ts';

/** `skinsmith-skins-list` for `skinsmith skins list`. */
export function manPageName(command: Command): string {
  return command.parent ? `${manPageName(command.parent)}-${command.name()}` : command.name();
}

/** A command's manual page in roff (man(7)), generated entirely from the command tree. */
export function renderManPage(command: Command, version: string): string {
  const name = manPageName(command);
  const root = rootOf(command);
  const { head, rest } = descriptionParts(command);
  const lines = [
    `.TH ${name.toUpperCase()} 1 "" "skinsmith ${version}" "skinsmith manual"`,
    '.SH NAME',
    `${roff(name)} \\- ${roff(command.summary() || firstSentence(command))}`,
    '.SH SYNOPSIS',
    `.B ${roff(`${fullName(command)} ${command.usage()}`)}`,
    ...section('EXAMPLES', examplesOf(command).flatMap(describeExample)),
    '.SH DESCRIPTION',
    roff(head),
    ...(rest === '' ? [] : ['.PP', roff(rest)]),
    ...section(
      'ARGUMENTS',
      command.registeredArguments.filter(({ description }) => description).flatMap(describeArgument),
    ),
    ...termSection(command),
    ...commandSections(command),
    ...optionSections(command),
    ...(command === root ? [] : globalOptions(root)),
    ...section(
      'EXIT STATUS',
      Object.values(EXIT_STATUSES).flatMap(({ status, meaning }) => roffItem([String(status), meaning])),
    ),
    ...(command === root ? section('ENVIRONMENT', ENVIRONMENT.flatMap(roffItem)) : []),
    ...section('SEE ALSO', seeAlso(command)),
  ];
  return `${lines.join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`.SH ${title}`, ...lines];
}

function termSection(command: Command): string[] {
  const terms = termsOf(command);
  return terms === undefined ? [] : section(terms.heading.toUpperCase(), terms.rows.flatMap(roffItem));
}

/** Subcommands under the same headings as in the help. */
function commandSections(command: Command): string[] {
  const groups = Map.groupBy(shownCommands(command), (child) => child.helpGroup());
  return section(
    'COMMANDS',
    groupLines(groups, (child) => [child.name(), child.summary()]),
  );
}

function optionSections(command: Command): string[] {
  const visible = command.options.filter(({ hidden }) => !hidden);
  const groups = Map.groupBy(visible, ({ helpGroupHeading }) => helpGroupHeading ?? '');
  return section(
    'OPTIONS',
    groupLines(groups, (option) => [option.flags, optionText(option)]),
  );
}

function groupLines<T>(groups: ReadonlyMap<string, readonly T[]>, rowOf: (item: T) => TermRow): string[] {
  return [...groups].flatMap(([heading, group]) => [
    ...(heading ? [`.SS ${roff(heading.replace(/:$/, ''))}`] : []),
    ...group.flatMap((item) => roffItem(rowOf(item))),
  ]);
}

function globalOptions(root: Command): string[] {
  const names = root.options.map(({ long, short }) => roff(long ?? short ?? '')).join(', ');
  return ['.SH GLOBAL OPTIONS', `${names}: see`, `.BR ${roff(manPageName(root))} (1).`];
}

function describeExample([does, line]: Example): string[] {
  return [`.PP`, `${roff(does)}:`, '.PP', '.RS 4', '.nf', roff(line), '.fi', '.RE'];
}

function describeArgument(argument: Argument): string[] {
  return ['.TP', `.I ${roff(argument.name())}`, roff(argument.description)];
}

/** The manual page of the formats, in section 5. */
export function renderFormatsPage(sections: readonly Section[], version: string): string {
  const lines = [
    `.TH ${FORMATS_PAGE.toUpperCase()} 5 "" "skinsmith ${version}" "skinsmith manual"`,
    '.SH NAME',
    `${roff(FORMATS_PAGE)} \\- columns, JSON fields and files of skinsmith`,
    ...roffSections(sections),
    '.SH SEE ALSO',
    pageReference('skinsmith', 1),
  ];
  return `${lines.join('\n')}\n`;
}

/** The pages of the parent command, the subcommands and the formats. */
function seeAlso(command: Command): string[] {
  const near = [...(command.parent ? [command.parent] : []), ...shownCommands(command)];
  const references = [
    ...near.map((one) => pageReference(manPageName(one), 1)),
    pageReference(FORMATS_PAGE, 5),
  ];
  return references.map((reference, index) => (index < references.length - 1 ? `${reference},` : reference));
}

function pageReference(name: string, section: number): string {
  return `.BR ${roff(name)} (${section})`;
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

function firstSentence(command: Command): string {
  return command.description().split('. ', 1)[0] ?? '';
}
