import { Command, Option } from 'commander';
import { nearestName } from '../base/spelling.ts';
import { VERSION } from '../base/version.ts';
import { COMMANDS, type Group, type Leaf } from './command-tree.ts';
import type { CommandModule, Runner } from './context/context.ts';
import {
  type Examples,
  examplesOf,
  groupOf,
  HelpPage,
  PROGRAM_COLUMNS,
  seeHelp,
  setExamples,
  shownCommands,
} from './help/help-page.ts';
import { setOutput } from './output/described.ts';

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

const EXAMPLES: Examples = [
  ['Make a skin and print its value and signature', 'skinsmith generate skin.png'],
  ['Make every skin in a folder and remember the results', 'skinsmith generate skins/ --out signed/'],
  ['Verify the results', 'skinsmith verify signed/skins.lock'],
];

interface ProgramOptions {
  /** Creates a command's runner, given the program with its parsed global options. */
  readonly runner: (program: Command) => Runner;
  /** Words of the command line; only the commands named there are fully loaded. Absent: all of them. */
  readonly words?: readonly string[];
  readonly configure?: (command: Command) => void;
}

/** Builds the command tree and loads the modules of the commands that the words may name. */
export async function buildProgram({ runner, words, configure }: ProgramOptions): Promise<Command> {
  const program = new Command('skinsmith')
    .description('Turn PNG files, URLs and players into signed Minecraft skins.')
    .usage('<command> [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false);
  setExamples(program, EXAMPLES);
  const isShort = words?.includes('-h') ?? false;
  explain(program, isShort);
  addGlobalOptions(program);
  configure?.(program);
  const runIt = runner(program);
  const loadsAll = words === undefined || isAboutOutput(words);
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const hidden = 'load' in entry && entry.isHidden === true;
    const command = program
      .command(name, { hidden })
      .summary(entry.summary)
      .helpGroup(groupOf(name) ?? '');
    if (loadsAll || words.includes(name)) await fill(command, entry, runIt, isShort);
  }
  return program;
}

/** The topic and the manual page about output, which have that of every command. */
function isAboutOutput(words: readonly string[]): boolean {
  return words.includes('help') && words.some((word) => word === 'output' || word === 'formats');
}

/** Examples for a group of commands: the first one of each of its first three commands, or two of its only command. */
const GROUP_EXAMPLES = 3;

async function fill(command: Command, entry: Leaf | Group, runner: Runner, isShort: boolean): Promise<void> {
  explain(command, isShort);
  if ('load' in entry) {
    const { description, declare, run, examples, output } = await entry.load();
    command.description(description);
    declare?.(command);
    if (run) command.action(actionOf(command, run, runner));
    setExamples(command, examples);
    setOutput(command, output);
    return;
  }
  command.description(`${entry.summary[0]?.toUpperCase()}${entry.summary.slice(1)}.`);
  for (const [name, leaf] of Object.entries(entry.commands)) {
    const child = command.command(name, { hidden: leaf.isHidden ?? false }).summary(leaf.summary);
    await fill(child, leaf, runner, isShort);
  }
  const shown = shownCommands(command);
  const each = shown.length === 1 ? 2 : 1;
  const first = shown.flatMap((child) => examplesOf(child).slice(0, each));
  setExamples(command, first.slice(0, GROUP_EXAMPLES));
}

/** Calls `run` of a command module with what the user typed. */
export function actionOf(command: Command, run: NonNullable<CommandModule['run']>, runner: Runner) {
  const typed = run as (...words: readonly unknown[]) => ReturnType<typeof run>;
  return async (...words: readonly unknown[]) => {
    const given = words.slice(0, command.options.length > 0 ? -1 : -2); // commander adds options and command
    await runner(async (context) => typed.call(command, ...given, context));
  };
}

function addGlobalOptions(program: Command): void {
  program
    .option('--base-url <url>', 'service to use (default: the embedded one)')
    .option('--local', 'use the embedded service, even if another one is set')
    .option('--no-local', 'never fall back to the embedded service')
    .option('--insecure-http', 'allow sending the API key over plain http to public addresses')
    .option('--json', 'print the result as one JSON document')
    .option('-q, --quiet', 'print only errors on stderr')
    .option('-v, --verbose', 'print each request on stderr')
    .addOption(new Option('--color <when>', 'use colours').choices(['auto', 'always', 'never']))
    .option('--no-color', 'same as --color never');
}

/** Sets a command's help page, and makes its usage errors suggest what was meant and point to that page. */
function explain(command: Command, isShort: boolean): void {
  const fail = command.error.bind(command);
  command.error = (message, options) => fail(withSuggestion(message, command), options);
  const columns = () => (command.parent ? undefined : PROGRAM_COLUMNS);
  command.createHelp = () => Object.assign(new HelpPage(columns(), isShort), command.configureHelp());
  command.showHelpAfterError(seeHelp(command));
}
