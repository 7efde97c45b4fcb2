import { Command, Option } from 'commander';
import { nearestName } from '../base/spelling.ts';
import { VERSION } from '../base/version.ts';
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

interface Leaf {
  readonly summary: string;
  /** Internal, or an earlier name: omitted from all help. */
  readonly isHidden?: boolean;
  readonly load: () => Promise<CommandModule>;
}

interface Group {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Leaf>>;
}

const generate = async () => await import('./commands/generate.ts');
const jobs = async () => await import('./commands/jobs.ts');
const sets = async () => await import('./commands/sets.ts');
const exporting = async () => await import('./commands/exports.ts');
const skins = async () => await import('./commands/skins.ts');
const download = async () => await import('./commands/download.ts');
const verify = async () => await import('./commands/verify.ts');
const check = async () => await import('./commands/check.ts');
const pack = async () => await import('./commands/pack.ts');
const pictures = async () => await import('./commands/pictures.ts');
const config = async () => await import('./commands/config.ts');
const login = async () => await import('./commands/login.ts');
const conformance = async () => await import('./commands/conformance.ts');
const doctor = async () => await import('./commands/doctor.ts');
const keys = async () => await import('./commands/keys.ts');
const identities = async () => await import('./commands/identities.ts');
const capes = async () => await import('./commands/capes.ts');
const players = async () => await import('./commands/players.ts');
const users = async () => await import('./commands/users.ts');
const accounts = async () => await import('./commands/accounts.ts');
const reports = async () => await import('./commands/reports.ts');
const moderation = async () => await import('./commands/moderation.ts');
const serve = async () => await import('./commands/serve.ts');
const health = async () => await import('./commands/health.ts');
const open = async () => await import('./commands/open.ts');
const backup = async () => await import('./commands/backup.ts');
const help = async () => await import('./commands/help.ts');
const completion = async () => await import('./commands/completion.ts');
const version = async () => await import('./commands/version.ts');

/** A command and the name under which its module exports it. */
function leaf<Name extends string>(
  summary: string,
  load: () => Promise<Readonly<Record<Name, CommandModule>>>,
  name: Name,
): Leaf {
  return { summary, load: async () => (await load())[name] };
}

/** An earlier name of a command. */
function hidden<Name extends string>(
  load: () => Promise<Readonly<Record<Name, CommandModule>>>,
  name: Name,
): Leaf {
  return { ...leaf('', load, name), isHidden: true };
}

/** The command tree: the commands of a noun stand in one file, under that noun's name. Modules load on use. */
const COMMANDS: Readonly<Record<string, Leaf | Group>> = {
  generate: leaf('make skins and print their values and signatures', generate, 'generate'),
  queue: leaf('submit skins to the queue without waiting for them', generate, 'queue'),
  status: leaf('show the status of jobs', jobs, 'status'),
  jobs: leaf('list your jobs', jobs, 'jobs'),
  retry: leaf('submit failed jobs again', jobs, 'retry'),
  wear: leaf('let a player name of a service wear a skin', players, 'wear'),
  sets: {
    summary: 'group skins, and export each group as one file',
    commands: {
      create: leaf('make a set of skins', sets, 'setsCreate'),
      list: leaf('list sets', sets, 'setsList'),
      get: leaf('list the skins in a set', sets, 'setsGet'),
      edit: leaf('edit the name, visibility or skins of a set', sets, 'setsEdit'),
      export: leaf('save the skins of a set in one file', exporting, 'setsExport'),
      delete: leaf('delete a set', sets, 'setsDelete'),
      names: leaf('list reserved names of sets', sets, 'setsNames'),
      release: leaf('release a reserved name', sets, 'setsRelease'),
    },
  },
  skins: {
    summary: 'list, print, download, export, edit and delete skins',
    commands: {
      list: leaf('list skins', skins, 'skinsList'),
      get: leaf('print skins with their values and signatures', skins, 'skinsGet'),
      download: leaf('save textures as PNG files', download, 'skinsDownload'),
      export: leaf('save all of your skins in one file', exporting, 'skinsExport'),
      edit: leaf('edit the name or visibility of skins', skins, 'skinsEdit'),
      delete: leaf('delete skins', skins, 'skinsDelete'),
    },
  },
  verify: leaf('verify signatures and textures of saved skins', verify, 'verify'),
  check: leaf('check PNG files without sending them anywhere', check, 'check'),
  pack: leaf('make a resource pack; skins in it need no signature', pack, 'pack'),
  download: leaf('save skins of players, UUIDs or URLs as PNG files', download, 'download'),
  preview: leaf('show a skin in the terminal', pictures, 'preview'),
  render: leaf('draw a skin as a PNG file', pictures, 'render'),
  config: {
    summary: 'manage settings',
    commands: {
      list: leaf('list settings and where each comes from', config, 'configList'),
      get: leaf('print one setting', config, 'configGet'),
      set: leaf('change a setting', config, 'configSet'),
      unset: leaf('remove a setting', config, 'configUnset'),
      path: leaf('print the path of the config file', config, 'configPath'),
    },
  },
  login: leaf('store an API key for a service', login, 'login'),
  logout: leaf('remove the API key for a service', login, 'logout'),
  conformance: leaf('test whether a server implements the API correctly', conformance, 'conformance'),
  doctor: leaf('find problems with your setup', doctor, 'doctor'),
  whoami: leaf('show your user, plan and limits', login, 'whoami'),
  keys: {
    summary: 'manage API keys of a service',
    commands: {
      create: leaf('create an API key', keys, 'keysCreate'),
      list: leaf('list API keys', keys, 'keysList'),
      edit: leaf('edit an API key', keys, 'keysEdit'),
      revoke: leaf('revoke API keys', keys, 'keysRevoke'),
    },
  },
  identities: {
    summary: 'manage single sign-on logins',
    commands: {
      list: leaf('list identities', identities, 'identitiesList'),
      delete: leaf('delete identities', identities, 'identitiesDelete'),
    },
  },
  capes: {
    summary: 'list and manage capes',
    commands: {
      list: leaf('list capes', capes, 'capesList'),
      create: leaf('add a cape', capes, 'capesCreate'),
      edit: leaf('rename, hide or show a cape', capes, 'capesEdit'),
      delete: leaf('delete capes', capes, 'capesDelete'),
    },
  },
  players: {
    summary: 'manage player names that wear skins',
    commands: {
      list: leaf('list player names', players, 'playersList'),
      get: leaf('print what a player name wears', players, 'playersGet'),
      import: leaf('let many player names wear skins', players, 'playersImport'),
      release: leaf('release a player name', players, 'playersRelease'),
    },
  },
  users: {
    summary: 'manage users of a service',
    commands: {
      create: leaf('create a user', users, 'usersCreate'),
      list: leaf('list users', users, 'usersList'),
      get: leaf('print a user', users, 'usersGet'),
      edit: leaf("change a user's plan", users, 'usersEdit'),
      invite: leaf('make a link that signs a user in once', users, 'usersInvite'),
      uninvite: leaf('revoke invitations of users', users, 'usersUninvite'),
      disable: leaf('disable a user', users, 'usersDisable'),
      enable: leaf('enable a disabled user', users, 'usersEnable'),
    },
  },
  accounts: {
    summary: 'manage the game accounts that make skins',
    commands: {
      link: leaf('link a game account', accounts, 'accountsLink'),
      list: leaf('list game accounts', accounts, 'accountsList'),
      pause: leaf('stop using a game account for now', accounts, 'accountsPause'),
      resume: leaf('resume using a paused game account', accounts, 'accountsResume'),
      edit: leaf('edit settings of a game account', accounts, 'accountsEdit'),
      health: leaf('check the health of game accounts', accounts, 'accountsHealth'),
      wear: leaf('let your own game account wear a skin', accounts, 'accountsWear'),
      unlink: leaf('unlink a game account', accounts, 'accountsUnlink'),
    },
  },
  reports: {
    summary: 'report skins and sets; handle reports',
    commands: {
      create: leaf('report a skin or a set', reports, 'reportsCreate'),
      list: leaf('list reports', reports, 'reportsList'),
      close: leaf('close reports', reports, 'reportsClose'),
    },
  },
  moderation: {
    summary: "hide, delete and block other users' skins and sets",
    commands: {
      hide: leaf('hide skins or sets', moderation, 'moderationHide'),
      unhide: leaf('unhide skins or sets', moderation, 'moderationUnhide'),
      'replace-name': leaf('replace the names of sets', moderation, 'moderationReplaceName'),
      block: leaf('block pictures', moderation, 'moderationBlock'),
      unblock: leaf('unblock pictures', moderation, 'moderationUnblock'),
      blocked: leaf('list blocked pictures', moderation, 'moderationBlocked'),
      log: leaf('list what operators did', moderation, 'moderationLog'),
      delete: leaf('delete skins or sets', moderation, 'moderationDelete'),
      // Earlier names.
      show: hidden(moderation, 'moderationUnhide'),
      'clear-name': hidden(moderation, 'moderationReplaceName'),
      list: hidden(moderation, 'moderationBlocked'),
    },
  },
  serve: leaf('run a skinsmith service', serve, 'serve'),
  health: leaf('check whether a service is alive', health, 'health'),
  open: leaf('open the pages of the service in a browser', open, 'open'),
  backup: leaf("back up a service's data to one file", backup, 'backup'),
  restore: leaf('restore a backup', backup, 'restore'),
  store: {
    summary: 'manage the store of a service',
    commands: {
      copy: leaf('copy all data of a service to another store', backup, 'storeCopy'),
    },
  },
  help: leaf('show help for a command or a topic', help, 'help'),
  completion: leaf('print a completion script for a shell', completion, 'completion'),
  version: leaf('print the version', version, 'version'),
  complete: {
    summary: 'print what completion scripts ask for',
    isHidden: true,
    load: async () => (await import('./commands/complete.ts')).complete,
  },
};

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
    setExamples(command, Object.entries(examples));
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
