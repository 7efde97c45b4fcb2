import { type Argument, type Command, Help, type Option } from 'commander';
import { nearestName } from '../../base/spelling.ts';

/** Help topics that are not commands; their texts are in man/. */
export const TOPIC_SUMMARIES = [
  ['sources', 'what skins can be made from'],
  ['formats', 'output formats, and where to paste each'],
  ['who-sees-it', 'who will see a skin'],
  ['output', 'columns, JSON fields and files for programs'],
  ['environment', 'environment variables'],
  ['exit-status', 'exit statuses and what they mean'],
] as const satisfies readonly (readonly [name: string, summary: string])[];

export type TopicName = (typeof TOPIC_SUMMARIES)[number][0];

export function isTopic(word: string): word is TopicName {
  return TOPIC_SUMMARIES.some(([name]) => name === word);
}

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

/** `skinsmith skins list`. */
export function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

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

/** A heading followed by rows of terms and their descriptions. */
export function describedRows(
  heading: string,
  rows: readonly (readonly [term: string, meaning: string])[],
  width: number,
): string {
  const helper = new Help();
  helper.prepareContext({ helpWidth: width });
  const termWidth = Math.max(...rows.map(([term]) => term.length));
  const lines = rows.map(([term, meaning]) => helper.formatItem(term, termWidth, meaning, helper));
  return `${[heading, ...lines].join('\n')}\n`;
}

/** Headings of `skinsmith --help` in order, each with its commands. */
export const COMMAND_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Make skins:': ['generate', 'queue', 'status', 'jobs', 'retry', 'pack'],
  'View skins:': ['skins', 'sets', 'wear', 'download', 'preview', 'render', 'check', 'verify'],
  'Account and settings:': ['login', 'logout', 'whoami', 'config', 'doctor'],
  'Run a service:': [
    'serve',
    'health',
    'conformance',
    'open',
    'players',
    'users',
    'keys',
    'identities',
    'accounts',
    'capes',
    'reports',
    'moderation',
    'backup',
    'restore',
    'store',
  ],
  'Help:': ['help', 'completion', 'version'],
};

/** The heading that lists the command; undefined if none does. */
export function groupOf(command: string): string | undefined {
  return Object.entries(COMMAND_GROUPS).find(([, names]) => names.includes(command))?.[0];
}

function placeOf(command: Command): number {
  return Object.values(COMMAND_GROUPS).flat().indexOf(command.name());
}

/** Maximum line width: longer lines are hard to read, however wide the terminal is. */
const MAX_COLUMNS = 100;
/** The same for the program's own help, which is made in advance (program-help.ts). */
const PROGRAM_COLUMNS = 80;
/** Columns that descriptions need beside their terms, the spaces around a term, and the indentation below one. */
const LEAST_ROOM = 20;
const AROUND_TERM = 4;
const BELOW_TERM = ' '.repeat(6);

/** Most lines of the help that `-h` prints. */
const SHORT_LINES = 30;
/** Options on such a page, unless the table names them. */
const FEW = 7;
/** Options that people use, of commands that have many. */
const COMMON_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  generate: ['recursive', 'player', 'variant', 'format', 'out', 'dry-run', 'prune'],
  queue: ['recursive', 'player', 'from', 'variant', 'visibility', 'wait', 'dry-run'],
  pack: ['out', 'datapack', 'namespace', 'recursive', 'into', 'dry-run'],
  serve: ['port', 'host', 'data', 'public-url', 'generator', 'pack', 'trust-proxy'],
};

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
  readonly #isShort: boolean;

  /** @param isShort a page of more than 30 lines is cut down to the most common options */
  constructor(maxColumns = MAX_COLUMNS, isShort = false) {
    super();
    this.#maxColumns = maxColumns;
    this.#isShort = isShort;
  }

  override prepareContext(context: Parameters<Help['prepareContext']>[0]): void {
    super.prepareContext({ ...context, helpWidth: Math.min(context.helpWidth ?? 80, this.#maxColumns) });
  }

  /** An argument without a description is an earlier form of an option. */
  override visibleArguments(command: Command): Argument[] {
    return [...super.visibleArguments(command)].filter(({ description }) => description);
  }

  /** Omits the `help` subcommand that commander adds to every command with subcommands; in the order of the headings. */
  override visibleCommands(command: Command): Command[] {
    const shown = super.visibleCommands(command).filter((child) => command.commands.includes(child));
    return command.parent ? shown : shown.toSorted((a, b) => placeOf(a) - placeOf(b));
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
    const pageOf = (blocks: readonly string[]) =>
      `${[
        wrap(head),
        exampleLines(command, wrap).join('\n'),
        wrap(`Usage: ${helper.commandUsage(command)}`),
        ...blocks,
      ]
        .filter((block) => block !== '')
        .join('\n\n')}\n`;
    const whole = pageOf([
      wrap(rest),
      ...this.#lists(command, helper),
      ...(command.parent ? [wrap("See 'skinsmith --help' for global options.")] : []),
    ]);
    if (!this.#isShort || whole.split('\n').length <= SHORT_LINES) return whole;
    return pageOf([this.#commonOptions(command, helper), wrap(`More: ${fullName(command)} --help`)]);
  }

  /** The options that people use most; of a command without such a list, its first ones. */
  #commonOptions(command: Command, helper: Help): string {
    const names = COMMON_OPTIONS[command.name()];
    const visible = helper.visibleOptions(command);
    const options = names
      ? names.flatMap((name) => visible.find(({ long }) => long === `--${name}`) ?? [])
      : visible.slice(0, FEW);
    const width = Math.max(...options.map((option) => helper.optionTerm(option).length));
    return this.#list(
      'Options:',
      options.map((one) => [helper.optionTerm(one), helper.optionDescription(one)]),
      width,
      helper,
    );
  }

  #list(
    heading: string,
    items: readonly (readonly [term: string, text: string])[],
    width: number,
    helper: Help,
  ): string {
    if (items.length === 0) return '';
    return [heading, ...items.map(([term, text]) => helper.formatItem(term, width, text, helper))].join('\n');
  }

  #lists(command: Command, helper: Help): string[] {
    const width = helper.padWidth(command, helper);
    const list = (heading: string, items: readonly (readonly [term: string, text: string])[]) =>
      this.#list(heading, items, width, helper);
    const { commands } = command;
    return [
      list(
        'Arguments:',
        helper
          .visibleArguments(command)
          .map((one) => [helper.argumentTerm(one), helper.argumentDescription(one)]),
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

/** Has its own column width: otherwise terms would shift the options of most commands. */
function termLines(command: Command, helper: Help): string {
  const terms = termsOf(command);
  if (terms === undefined) return '';
  const width = Math.max(...terms.rows.map(([term]) => term.length));
  const lines = terms.rows.map(([term, meaning]) => helper.formatItem(term, width, meaning, helper));
  return [`${terms.heading}:`, ...lines].join('\n');
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

/** Sets a command's help page, and makes its usage errors suggest what was meant and point to that page. */
export function explain(command: Command, isShort: boolean): void {
  const fail = command.error.bind(command);
  command.error = (message, options) => fail(withSuggestion(message, command), options);
  const columns = () => (command.parent ? undefined : PROGRAM_COLUMNS);
  command.createHelp = () => Object.assign(new HelpPage(columns(), isShort), command.configureHelp());
  command.showHelpAfterError(seeHelp(command));
}

/** With more matching names than this, none is suggested. */
const MAX_NAMES = 5;
/** Characters that must be typed of an option: its dashes and two letters. */
const LEAST_OPTION = 4;

/** Commands as other programs call them, each with its names here. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  add: ['create', 'link'],
  convert: ['generate'],
  delete: ['revoke', 'unlink'],
  info: ['get', 'doctor'],
  list: ['jobs', 'skins'],
  make: ['create', 'generate'],
  new: ['create', 'generate'],
  remove: ['delete', 'revoke', 'unlink'],
  rename: ['edit'],
  rm: ['delete', 'revoke', 'unlink'],
  show: ['get', 'preview'],
  sign: ['generate'],
  start: ['serve'],
  update: ['edit'],
  upload: ['generate'],
  view: ['get', 'preview'],
};

/** A usage error with what was probably meant, or what to do. Commander's message if nothing is. */
function withSuggestion(message: string, command: Command): string {
  return (
    ofUnknownName(message, command) ??
    ofWrongChoice(message) ??
    message.replace(
      /^(error: missing required argument 'job'.*)$/s,
      '$1\n(To list your jobs: skinsmith jobs)',
    )
  );
}

/** Commander suggests names by the letters that differ, and would rather have `open` than `generate` for `gen`. */
function ofUnknownName(message: string, command: Command): string | undefined {
  const [, kind, typed = ''] = /^error: unknown (command|option) '([^']+)'/.exec(message) ?? [];
  if (kind === undefined || (kind === 'option' && typed.length < LEAST_OPTION)) return undefined;
  if (kind === 'command' && !command.parent && isPicture(typed))
    return `error: unknown command '${typed}'\n(To make a skin from it: skinsmith generate ${typed})`;
  const names = kind === 'command' ? commandNames(command) : optionNames(command);
  const synonyms = kind === 'command' ? (SYNONYMS[typed] ?? []).filter((name) => names.includes(name)) : [];
  const beginning = [...new Set(names)].filter((name) => name.startsWith(typed));
  const meant = synonyms.length > 0 ? synonyms : beginning;
  if (meant.length === 0 || meant.length > MAX_NAMES) return undefined;
  const list = meant.length === 1 ? meant[0] : `one of ${meant.join(', ')}`;
  return `error: unknown ${kind} '${typed}'\n(Did you mean ${list}?)`;
}

function isPicture(word: string): boolean {
  return /^https?:|\.png$/i.test(word) && !/[\s'"]/.test(word);
}

/** Commander lists the choices of an option only. */
function ofWrongChoice(message: string): string | undefined {
  const [, typed, choices = ''] =
    /(?:argument '|Unknown format )([^']*?)(?:' is invalid\. Allowed choices are|\. Formats:) ([^:]*)\.$/.exec(
      message,
    ) ?? [];
  const near = typed === undefined ? undefined : nearestName(typed, choices.split(', '));
  return near === undefined ? undefined : `${message}\n(Did you mean ${near}?)`;
}

function commandNames(command: Command): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((child) => child.name());
}

/** Includes those of the parent commands, which are also allowed here. */
function optionNames(command: Command): string[] {
  const own = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);
  return command.parent ? [...own, ...optionNames(command.parent)] : own;
}
