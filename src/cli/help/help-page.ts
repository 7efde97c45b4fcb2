import { type Argument, type Command, Help, type Option } from 'commander';
import { COMMAND_GROUPS } from './command-groups.ts';
import { examplesOf } from './examples.ts';
import { termsOf } from './terms.ts';
import { descriptionParts, optionText } from './text.ts';
import { TOPIC_SUMMARIES } from './topic-names.ts';

/** Maximum line width: longer lines are hard to read, however wide the terminal is. */
const MAX_COLUMNS = 100;
/** The same for the program's own help, which is made in advance (program-help.ts). */
export const PROGRAM_COLUMNS = 80;
/** Columns that descriptions need beside their terms, the spaces around a term, and the indentation below one. */
const LEAST_ROOM = 20;
const AROUND_TERM = 4;
const BELOW_TERM = ' '.repeat(6);

/** The visible subcommands of a command. */
export function shownCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => command.commands.includes(child));
}

/** The help of a command: its description, examples and usage, then every argument, command and option. */
export class HelpPage extends Help {
  /** Long options leave less than the usual 40 columns to their descriptions, which are wrapped all the same. */
  override minWidthToWrap = LEAST_ROOM;

  readonly #maxColumns: number;

  constructor(maxColumns = MAX_COLUMNS) {
    super();
    this.#maxColumns = maxColumns;
  }

  override prepareContext(context: Parameters<Help['prepareContext']>[0]): void {
    super.prepareContext({ ...context, helpWidth: Math.min(context.helpWidth ?? 80, this.#maxColumns) });
  }

  /** Omits the `help` subcommand that commander adds to every command with subcommands. */
  override visibleCommands(command: Command): Command[] {
    return super.visibleCommands(command).filter((child) => command.commands.includes(child));
  }

  override optionDescription(option: Option): string {
    return optionText(option);
  }

  /** In a narrow terminal, descriptions stand below their terms: commander would leave it to the terminal to break them. */
  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const width = this.helpWidth ?? 80;
    if (width - termWidth - AROUND_TERM >= LEAST_ROOM || description === '')
      return super.formatItem(term, termWidth, description, helper);
    const lines = helper.boxWrap(description, Math.max(LEAST_ROOM, width - BELOW_TERM.length)).split('\n');
    return [`  ${term}`, ...lines.map((line) => BELOW_TERM + line)].join('\n');
  }

  override formatHelp(command: Command, helper: Help): string {
    const { head, rest } = descriptionParts(command);
    const wrap = (text: string) => helper.boxWrap(text, this.helpWidth ?? 80);
    const blocks = [
      wrap(head),
      exampleLines(command, wrap).join('\n'),
      wrap(`Usage: ${helper.commandUsage(command)}`),
      ...(rest === '' ? [] : [wrap(rest)]),
      ...this.#lists(command, helper),
      ...(command.parent ? [wrap("See 'skinsmith --help' for global options.")] : []),
    ];
    return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
  }

  #lists(command: Command, helper: Help): string[] {
    const width = helper.padWidth(command, helper);
    const list = (heading: string, items: readonly (readonly [term: string, text: string])[]) =>
      items.length === 0
        ? ''
        : [heading, ...items.map(([term, text]) => helper.formatItem(term, width, text, helper))].join('\n');
    const { commands } = command;
    return [
      list(
        'Arguments:',
        helper.visibleArguments(command).map((one) => argumentItem(one, helper)),
      ),
      termLines(command, helper),
      ...grouped(commands, helper.visibleCommands(command), commandHeading).map(([heading, group]) =>
        list(
          heading,
          group.map((one) => [helper.subcommandTerm(one), one.summary()]),
        ),
      ),
      ...grouped(command.options, helper.visibleOptions(command), (one) => optionHeading(one, command)).map(
        ([heading, group]) =>
          list(
            heading,
            group.map((one) => [helper.optionTerm(one), helper.optionDescription(one)]),
          ),
      ),
      ...(command.parent ? [] : [list('Help topics (skinsmith help <topic>):', TOPIC_SUMMARIES)]),
    ];
  }
}

/** What an example does is wrapped, its command stays whole. */
function exampleLines(command: Command, wrap: (text: string) => string): string[] {
  const examples = examplesOf(command);
  if (examples.length === 0) return [];
  const about = (does: string) => wrap(`  # ${does}`).replaceAll('\n', '\n  # ');
  return ['Examples:', ...examples.flatMap(([does, line]) => [about(does), `  $ ${line}`])];
}

/** Has a column width of its own: terms would move the options of most commands. */
function termLines(command: Command, helper: Help): string {
  const terms = termsOf(command);
  if (terms === undefined) return '';
  const width = Math.max(...terms.rows.map(([term]) => term.length));
  const lines = terms.rows.map(([term, meaning]) => helper.formatItem(term, width, meaning, helper));
  return [`${terms.heading}:`, ...lines].join('\n');
}

function argumentItem(argument: Argument, helper: Help): readonly [string, string] {
  return [helper.argumentTerm(argument), helper.argumentDescription(argument)];
}

function commandHeading(command: Command): string {
  return command.helpGroup() || 'Commands:';
}

function optionHeading(option: Option, command: Command): string {
  return option.helpGroupHeading ?? (command.parent ? 'Options:' : 'Global options:');
}

/** Orders groups by the headings' table, then by their first member; omits hidden members. */
function grouped<T>(
  all: readonly T[],
  visible: readonly T[],
  headingOf: (item: T) => string,
): [string, T[]][] {
  const headings = new Set([
    ...Object.keys(COMMAND_GROUPS),
    ...all.map(headingOf),
    ...visible.map(headingOf),
  ]);
  return [...headings].flatMap((heading): [string, T[]][] => {
    const members = visible.filter((item) => headingOf(item) === heading);
    return members.length === 0 ? [] : [[heading, members]];
  });
}
