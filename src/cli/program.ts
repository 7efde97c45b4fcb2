import { Command, Option } from 'commander';
import { VERSION } from '../base/version.ts';
import type { Runner } from './context/runner.ts';
import { groupOf } from './help/command-groups.ts';
import { type Examples, examplesOf, setExamples } from './help/examples.ts';
import { HelpPage, PROGRAM_COLUMNS } from './help/help-page.ts';
import { seeHelp } from './help/text.ts';
import { type CommandOutput, setOutput } from './output/described.ts';

interface CommandModule {
  /** The examples at the start of the command's help. */
  readonly examples: Examples;
  /** What it prints for programs; empty: nothing. */
  readonly output: readonly CommandOutput[];
  /** Adds arguments, options and an action to a command that has its name. */
  readonly register: (command: Command, runner: Runner) => void;
}

interface Leaf {
  readonly summary: string;
  /** The name in earlier versions, still accepted but not shown. */
  readonly formerly?: string;
  /** Internal: omitted from all help. */
  readonly isHidden?: boolean;
  /** The command needs the whole tree, so all modules are loaded. */
  readonly needsTree?: boolean;
  readonly load: () => Promise<CommandModule>;
}

interface Group {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Leaf>>;
}

/** The command tree: a command's path is the path of its file. Modules load on use. */
const COMMANDS: Readonly<Record<string, Leaf | Group>> = {
  generate: {
    summary: 'make skins and print their values and signatures',
    load: () => import('./commands/generate.ts'),
  },
  queue: {
    summary: 'submit skins to the queue without waiting for them',
    load: () => import('./commands/queue.ts'),
  },
  status: { summary: 'show the status of jobs', load: () => import('./commands/status.ts') },
  jobs: { summary: 'list your jobs', load: () => import('./commands/jobs.ts') },
  skins: {
    summary: 'list, print, download, edit and delete skins',
    commands: {
      list: { summary: 'list skins', load: () => import('./commands/skins/list.ts') },
      get: {
        summary: 'print skins with their values and signatures',
        load: () => import('./commands/skins/get.ts'),
      },
      download: {
        summary: 'save textures as PNG files',
        load: () => import('./commands/skins/download.ts'),
      },
      edit: {
        summary: 'edit the name or visibility of a skin',
        load: () => import('./commands/skins/edit.ts'),
      },
      delete: { summary: 'delete skins', load: () => import('./commands/skins/delete.ts') },
    },
  },
  verify: {
    summary: 'verify signatures and textures of saved skins',
    load: () => import('./commands/verify.ts'),
  },
  check: {
    summary: 'check PNG files without sending them anywhere',
    load: () => import('./commands/check.ts'),
  },
  preview: { summary: 'show a skin in the terminal', load: () => import('./commands/preview.ts') },
  render: { summary: 'draw a skin as a PNG file', load: () => import('./commands/render.ts') },
  config: {
    summary: 'manage settings',
    commands: {
      list: {
        summary: 'list settings and where each comes from',
        load: () => import('./commands/config/list.ts'),
      },
      get: { summary: 'print one setting', load: () => import('./commands/config/get.ts') },
      set: { summary: 'change a setting', load: () => import('./commands/config/set.ts') },
      unset: { summary: 'remove a setting', load: () => import('./commands/config/unset.ts') },
      path: { summary: 'print the path of the config file', load: () => import('./commands/config/path.ts') },
    },
  },
  login: { summary: 'store an API key for a service', load: () => import('./commands/login.ts') },
  logout: { summary: 'remove the API key for a service', load: () => import('./commands/logout.ts') },
  doctor: { summary: 'find problems with your setup', load: () => import('./commands/doctor.ts') },
  whoami: { summary: 'show your user, plan and limits', load: () => import('./commands/whoami.ts') },
  keys: {
    summary: 'manage API keys of a service',
    commands: {
      create: { summary: 'create an API key', load: () => import('./commands/keys/create.ts') },
      list: { summary: 'list API keys', load: () => import('./commands/keys/list.ts') },
      edit: {
        summary: 'edit an API key',
        formerly: 'change',
        load: () => import('./commands/keys/edit.ts'),
      },
      revoke: { summary: 'revoke API keys', load: () => import('./commands/keys/revoke.ts') },
    },
  },
  capes: {
    summary: 'list and manage capes',
    commands: {
      list: { summary: 'list capes', load: () => import('./commands/capes/list.ts') },
      create: {
        summary: 'add a cape',
        formerly: 'add',
        load: () => import('./commands/capes/create.ts'),
      },
      edit: {
        summary: 'rename, hide or show a cape',
        formerly: 'change',
        load: () => import('./commands/capes/edit.ts'),
      },
      delete: {
        summary: 'delete capes',
        formerly: 'remove',
        load: () => import('./commands/capes/delete.ts'),
      },
    },
  },
  users: {
    summary: 'manage users of a service',
    commands: {
      create: { summary: 'create a user', load: () => import('./commands/users/create.ts') },
      list: { summary: 'list users', load: () => import('./commands/users/list.ts') },
      get: { summary: 'print a user', formerly: 'show', load: () => import('./commands/users/get.ts') },
      edit: {
        summary: "change a user's plan",
        formerly: 'set',
        load: () => import('./commands/users/edit.ts'),
      },
      disable: { summary: 'disable a user', load: () => import('./commands/users/disable.ts') },
      enable: { summary: 'enable a disabled user', load: () => import('./commands/users/enable.ts') },
    },
  },
  accounts: {
    summary: 'manage the game accounts that make skins',
    commands: {
      link: { summary: 'link a game account', load: () => import('./commands/accounts/link.ts') },
      list: { summary: 'list game accounts', load: () => import('./commands/accounts/list.ts') },
      pause: {
        summary: 'stop using a game account for now',
        load: () => import('./commands/accounts/pause.ts'),
      },
      resume: {
        summary: 'resume using a paused game account',
        load: () => import('./commands/accounts/resume.ts'),
      },
      edit: {
        summary: 'edit settings of a game account',
        formerly: 'set',
        load: () => import('./commands/accounts/edit.ts'),
      },
      health: {
        summary: 'check the health of game accounts',
        load: () => import('./commands/accounts/health.ts'),
      },
      unlink: { summary: 'unlink a game account', load: () => import('./commands/accounts/unlink.ts') },
    },
  },
  serve: { summary: 'run a skinsmith service', load: () => import('./commands/serve.ts') },
  open: { summary: 'open the pages of the service in a browser', load: () => import('./commands/open.ts') },
  backup: { summary: "back up a service's data to one file", load: () => import('./commands/backup.ts') },
  restore: { summary: 'restore a backup', load: () => import('./commands/restore.ts') },
  help: { summary: 'show help for a command or a topic', load: () => import('./commands/help.ts') },
  completion: {
    summary: 'print a completion script for a shell',
    needsTree: true,
    load: () => import('./commands/completion.ts'),
  },
  complete: {
    summary: 'print what completion scripts ask for',
    isHidden: true,
    load: () => import('./commands/complete.ts'),
  },
};

const EXAMPLES: Examples = [
  ['Make a skin and print its value and signature', 'skinsmith generate skin.png'],
  ['Make every skin in a folder and remember the results', 'skinsmith generate skins/ --out signed/'],
  ['Check what the results are worth', 'skinsmith verify signed/skins.lock'],
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
    .description(
      'Signed Minecraft skin data from PNG files, URLs and players: a texture value and its signature.',
    )
    .usage('<command> [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false);
  setExamples(program, EXAMPLES);
  explain(program);
  addGlobalOptions(program);
  configure?.(program);
  const runIt = runner(program);
  const loadsAll = words === undefined || words.some(needsTree) || isAboutFormats(words);
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const hidden = 'load' in entry && entry.isHidden === true;
    const command = program
      .command(name, { hidden })
      .summary(entry.summary)
      .helpGroup(groupOf(name) ?? '');
    if (loadsAll || words.includes(name)) await fill(command, entry, runIt);
  }
  return program;
}

/** The page of the formats has the output of every command. */
function isAboutFormats(words: readonly string[]): boolean {
  return words.includes('help') && words.includes('formats');
}

function needsTree(word: string): boolean {
  const entry = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  return entry !== undefined && 'load' in entry && entry.needsTree === true;
}

/** Examples for a group of commands: the first example of each of its first three commands. */
const GROUP_EXAMPLES = 3;

async function fill(command: Command, entry: Leaf | Group, runner: Runner): Promise<void> {
  explain(command);
  if ('load' in entry) {
    const { register, examples, output } = await entry.load();
    register(command, runner);
    setExamples(command, examples);
    setOutput(command, output);
    return;
  }
  command.description(`${entry.summary[0]?.toUpperCase()}${entry.summary.slice(1)}.`);
  for (const [name, leaf] of Object.entries(entry.commands)) {
    const child = command.command(name).summary(leaf.summary);
    if (leaf.formerly !== undefined) child.alias(leaf.formerly);
    await fill(child, leaf, runner);
  }
  const first = command.commands.flatMap((child) => examplesOf(child).slice(0, 1));
  setExamples(command, first.slice(0, GROUP_EXAMPLES));
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

/** Sets a command's help page, and makes its usage errors point to that page. */
function explain(command: Command): void {
  const columns = () => (command.parent ? undefined : PROGRAM_COLUMNS);
  command.createHelp = () => Object.assign(new HelpPage(columns()), command.configureHelp());
  command.showHelpAfterError(seeHelp(command));
}
