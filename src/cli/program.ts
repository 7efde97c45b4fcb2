import { Command, Option } from 'commander';
import { VERSION } from '../version.ts';
import { ENVIRONMENT } from './environment.ts';
import { EXIT_STATUSES } from './exit.ts';
import type { Runner } from './runner.ts';

interface CommandModule {
  /** Gives a named command its arguments, options and action. */
  readonly register: (command: Command, runner: Runner) => void;
}

interface Leaf {
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

interface Group {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Leaf>>;
}

/** The command tree: the path of a command is the path of its file. Modules load when they are used. */
const COMMANDS: Readonly<Record<string, Leaf | Group>> = {
  generate: { summary: 'make skins and print them', load: () => import('./commands/generate.ts') },
  queue: {
    summary: 'submit skins to the queue and print their jobs',
    load: () => import('./commands/queue.ts'),
  },
  status: { summary: 'say where jobs stand', load: () => import('./commands/status.ts') },
  jobs: { summary: 'list your jobs', load: () => import('./commands/jobs.ts') },
  skins: {
    summary: 'list, print, download, change and delete skins that the service has',
    commands: {
      list: { summary: 'list skins', load: () => import('./commands/skins/list.ts') },
      get: { summary: 'print skins', load: () => import('./commands/skins/get.ts') },
      download: {
        summary: 'write textures to files',
        load: () => import('./commands/skins/download.ts'),
      },
      edit: { summary: 'change a name or visibility', load: () => import('./commands/skins/edit.ts') },
      delete: { summary: 'delete skins', load: () => import('./commands/skins/delete.ts') },
    },
  },
  verify: { summary: 'prove skin data that is kept in files', load: () => import('./commands/verify.ts') },
  check: { summary: 'look at PNG files without sending them', load: () => import('./commands/check.ts') },
  config: {
    summary: 'read and change settings',
    commands: {
      list: { summary: 'list the settings that are set', load: () => import('./commands/config/list.ts') },
      get: { summary: 'print one setting', load: () => import('./commands/config/get.ts') },
      set: { summary: 'set a setting', load: () => import('./commands/config/set.ts') },
      unset: { summary: 'take a setting back', load: () => import('./commands/config/unset.ts') },
      path: { summary: 'print where the config file is', load: () => import('./commands/config/path.ts') },
    },
  },
  login: { summary: 'store an API key for a service', load: () => import('./commands/login.ts') },
  logout: { summary: 'forget the API key for a service', load: () => import('./commands/logout.ts') },
  doctor: { summary: 'say what is wrong with this set-up', load: () => import('./commands/doctor.ts') },
  whoami: { summary: 'say who you are to the service', load: () => import('./commands/whoami.ts') },
  keys: {
    summary: 'manage API keys of a skinsmith service',
    commands: {
      create: { summary: 'make an API key', load: () => import('./commands/keys/create.ts') },
      list: { summary: 'list API keys', load: () => import('./commands/keys/list.ts') },
      change: { summary: 'change an API key', load: () => import('./commands/keys/change.ts') },
      revoke: { summary: 'revoke API keys', load: () => import('./commands/keys/revoke.ts') },
    },
  },
  capes: {
    summary: 'list capes; put them into a skinsmith service',
    commands: {
      list: { summary: 'list capes', load: () => import('./commands/capes/list.ts') },
      add: { summary: 'put a cape in', load: () => import('./commands/capes/add.ts') },
      change: { summary: 'rename, hide or show a cape', load: () => import('./commands/capes/change.ts') },
      remove: { summary: 'take capes out', load: () => import('./commands/capes/remove.ts') },
    },
  },
  users: {
    summary: 'manage users of a skinsmith service',
    commands: {
      create: { summary: 'make a user', load: () => import('./commands/users/create.ts') },
      list: { summary: 'list users', load: () => import('./commands/users/list.ts') },
      show: { summary: 'print a user', load: () => import('./commands/users/show.ts') },
      set: { summary: "set a user's plan", load: () => import('./commands/users/set.ts') },
      disable: { summary: 'shut a user out', load: () => import('./commands/users/disable.ts') },
      enable: { summary: 'let a user in again', load: () => import('./commands/users/enable.ts') },
    },
  },
  accounts: {
    summary: 'manage the game accounts that a skinsmith service makes skins with',
    commands: {
      link: { summary: 'link a game account', load: () => import('./commands/accounts/link.ts') },
      list: { summary: 'list game accounts', load: () => import('./commands/accounts/list.ts') },
      pause: {
        summary: 'use a game account no more for now',
        load: () => import('./commands/accounts/pause.ts'),
      },
      resume: { summary: 'use a game account again', load: () => import('./commands/accounts/resume.ts') },
      set: { summary: 'change settings of a game account', load: () => import('./commands/accounts/set.ts') },
      health: { summary: 'look after game accounts', load: () => import('./commands/accounts/health.ts') },
      unlink: { summary: 'forget a game account', load: () => import('./commands/accounts/unlink.ts') },
    },
  },
  serve: { summary: 'run the service', load: () => import('./commands/serve.ts') },
  backup: { summary: "write the service's data to one file", load: () => import('./commands/backup.ts') },
  restore: { summary: "put a backup's data back", load: () => import('./commands/restore.ts') },
};

interface ProgramOptions {
  /** Makes a command's runner, given the program whose global options were parsed. */
  readonly runner: (program: Command) => Runner;
  /** Words of the command line; commands named there are loaded whole. Absent: all are. */
  readonly words?: readonly string[];
  readonly configure?: (command: Command) => void;
}

/** Builds the command tree, loading the modules of the commands that may be meant. */
export async function buildProgram({ runner, words, configure }: ProgramOptions): Promise<Command> {
  const program = new Command('skinsmith')
    .description(
      'Signed Minecraft skin data from PNG files, URLs and players: a texture value and its signature.',
    )
    .usage('<command> [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(skinsmith --help lists commands and options)')
    .addHelpText('after', helpEpilogue);
  addGlobalOptions(program);
  configure?.(program);
  const runIt = runner(program);
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const command = program.command(name).summary(entry.summary);
    if (words === undefined || words.includes(name)) await fill(command, entry, runIt);
  }
  return program;
}

async function fill(command: Command, entry: Leaf | Group, runner: Runner): Promise<void> {
  if ('load' in entry) {
    (await entry.load()).register(command, runner);
    return;
  }
  command.description(`${entry.summary[0]?.toUpperCase()}${entry.summary.slice(1)}.`);
  for (const [name, leaf] of Object.entries(entry.commands)) {
    await fill(command.command(name).summary(leaf.summary), leaf, runner);
  }
}

function addGlobalOptions(program: Command): void {
  program
    .option('--base-url <url>', 'the service to use (default: the embedded one)')
    .option('--local', 'use the embedded service whatever is set')
    .option('--json', 'print one JSON document')
    .option('-q, --quiet', 'say nothing on stderr but errors')
    .option('-v, --verbose', 'show each request on stderr')
    .addOption(
      new Option('--color <when>', 'colours: auto, always or never').choices(['auto', 'always', 'never']),
    )
    .option('--no-color', 'no colours');
}

function helpEpilogue(): string {
  const statuses = Object.values(EXIT_STATUSES).map(
    ({ status, meaning }) => [String(status).padStart(3), meaning] as const,
  );
  const width = Math.max(...ENVIRONMENT.map(([name]) => name.length));
  const variables = ENVIRONMENT.map(([name, meaning]) => [name.padEnd(width), meaning] as const);
  const lines = (rows: readonly (readonly [string, string])[]) =>
    rows.map((row) => `  ${row.join('  ')}`).join('\n');
  return `\nExit status:\n${lines(statuses)}\n\nEnvironment:\n${lines(variables)}\n\nStart: skinsmith generate skin.png`;
}
