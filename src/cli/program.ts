import { Command, CommanderError, Option } from 'commander';
import { VERSION } from '../base/version.ts';
import type { GlobalFlags } from './config/settings.ts';
import { type CommandModule, colorChoice, openContext, type Runner } from './context/context.ts';
import { becomeDataOwner } from './context/data-owner.ts';
import {
  CLOSED_PIPE,
  CliError,
  exitStatus,
  isInterruption,
  isMissingPart,
  timedOut,
  usageError,
} from './errors/exit.ts';
import {
  type Examples,
  examplesOf,
  explain,
  groupOf,
  seeHelp,
  setExamples,
  shownCommands,
} from './help/help-page.ts';
import type { TypedTimeout } from './options/option-values.ts';
import { setOutput } from './output/described.ts';
import { asUnwritten, listenForSignals, OutputFlush, processIo } from './terminal/io.ts';
import { Messages } from './terminal/messages.ts';
import { cleanLines, jsonLine } from './text/text.ts';

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
const complete = async () => await import('./commands/complete.ts');
const version = async () => await import('./commands/version.ts');

/** A command and the name under which its module exports it. */
function leaf<Name extends string>(
  summary: string,
  load: () => Promise<Readonly<Record<Name, CommandModule>>>,
  name: Name,
): Leaf {
  return { summary, load: async () => (await load())[name] };
}

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
  complete: { ...leaf('print what completion scripts ask for', complete, 'complete'), isHidden: true },
};

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

/** Runs one command line (without node and the script) and returns the exit status. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  const run = new Run();
  const flush = new OutputFlush(process.stdout);
  const configure = (program: Command) =>
    configureCommand(program, {
      isJson: argv.includes('--json'),
      onCommand: (command) => {
        run.command = command;
      },
    });
  try {
    refuseKeyFlag(argv);
    const program = await buildProgram({ runner: (tree) => run.runnerOf(tree), words: argv, configure });
    await untilShown(program.parseAsync([...argv], { from: 'user' }));
    await flush.complete();
    return run.status;
  } catch (error) {
    return await run.report(error, argv.includes('--json'));
  }
}

/** Help and the version end their output like errors do. */
async function untilShown(parsing: Promise<unknown>): Promise<void> {
  try {
    await parsing;
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
}

/** The output of `skinsmith --version --json`, which needs no home. */
export async function versionDocument(): Promise<string> {
  return await (await import('./commands/version.ts')).versionDocument();
}

/** Reports that a text could not be written to stdout. Returns the exit status. */
export async function reportUnwritten(error: Error): Promise<number> {
  return await new Run().report(asUnwritten(error), false);
}

class Run {
  status = 0;
  /** The command that the user typed, as far as it is known. */
  command: Command | undefined;
  readonly #stop = new AbortController();

  runnerOf(program: Command): Runner {
    return async (work) => {
      const unlisten = listenForSignals(this.#stop, process);
      const timer = this.#limitTime();
      const context = await contextFor(program, this.#stop);
      try {
        await becomeDataOwner(context, this.command);
        this.status = (await work(context)) ?? exitStatus('done');
      } finally {
        await context.close();
        clearTimeout(timer);
        unlisten();
      }
    };
  }

  /** Stops the run like a signal once the time that the user typed is over. */
  #limitTime(): NodeJS.Timeout | undefined {
    const { timeout } = this.command?.opts<TypedTimeout>() ?? {};
    return timeout === undefined ? undefined : setTimeout(() => this.#stop.abort(timedOut(timeout)), timeout);
  }

  /** The one place where an error becomes a message and an exit status. */
  async report(error: unknown, json: boolean): Promise<number> {
    if (isMissingPart(error)) throw error; // `start` reports it without loading more
    if (error instanceof CommanderError) return this.#usageError(error, json);
    if (error === CLOSED_PIPE || this.#stop.signal.reason === CLOSED_PIPE) return exitStatus('closedPipe');
    const messages = new Messages(processIo('auto', this.#stop), { json });
    const { aborted, reason } = this.#stop.signal;
    const interrupted = isInterruption(error) || (aborted && isInterruption(reason));
    const { reportOf, usedFolder } = await import('./errors/error-report.ts');
    const { baseUrl, data } = this.command?.optsWithGlobals<GlobalFlags & { data?: string }>() ?? {};
    const cause = reason instanceof CliError ? reason : error; // see `timedOut`
    const report = reportOf(interrupted && isInterruption(reason) ? reason : cause, {
      flags: { baseUrl },
      env: process.env,
      ...usedFolder(data),
    });
    if (report) {
      const hint = report.hint ?? (report.exit === 'usage' ? this.#seeHelp() : undefined);
      await messages.failure({ code: report.code, message: report.message, hint });
      return exitStatus(report.exit);
    }
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${cleanLines(trace)}\n`); // errors may quote what a service has answered
    process.stderr.write('This is a bug in skinsmith. Please report it with the lines above.\n');
    return exitStatus('failed');
  }

  #seeHelp(): string | undefined {
    return this.command && seeHelp(this.command);
  }

  /** commander has already printed its message, except as JSON. */
  #usageError(error: CommanderError, json: boolean): number {
    if (json) {
      const message = error.message.replace(/^error: /, '');
      process.stderr.write(jsonLine({ error: { code: 'usage', message, hint: this.#seeHelp() } }));
    }
    return exitStatus('usage');
  }
}

async function contextFor(program: Command, stop: AbortController) {
  const { color, ...flags } = program.opts<GlobalFlags & { color?: string | boolean }>();
  if (flags.local && flags.baseUrl !== undefined) {
    throw usageError('two_services', '--local and --base-url cannot be combined.');
  }
  const io = processIo(await colorChoice(color), stop);
  return openContext({ io, env: process.env, signal: stop.signal, flags });
}

/**
 * `onCommand` is called with each command on the path, from the program down to the one that runs. Errors are thrown to
 * `runProgram` and never exit the process; subcommands get the same setting, which they do not inherit. With --json,
 * stderr carries only the error.
 */
function configureCommand(
  program: Command,
  { isJson, onCommand }: { isJson: boolean; onCommand: (command: Command) => void },
): void {
  const original = program.createCommand.bind(program);
  const writeErr = isJson ? () => {} : (text: string) => void process.stderr.write(text);
  const strict = (command: Command) =>
    command
      .exitOverride()
      .configureOutput({ writeErr })
      .hook('preSubcommand', (_, child) => onCommand(child));
  strict(program);
  onCommand(program);
  program.createCommand = (name) => {
    const child = strict(original(name));
    child.createCommand = program.createCommand;
    return child;
  };
}

function refuseKeyFlag(argv: readonly string[]): void {
  if (!argv.some((word) => /^--api-key(=|$)/.test(word))) return;
  throw usageError(
    'key_on_command_line',
    'There is no --api-key: a key on the command line can be seen by others.',
    'Store it with skinsmith login, or set SKINSMITH_API_KEY.',
  );
}
