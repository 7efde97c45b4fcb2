import type { Command } from 'commander';
import type { Runner } from './context/runner.ts';
import type { Examples } from './help/examples.ts';
import type { CommandOutput } from './output/described.ts';

interface CommandModule {
  /** The examples at the start of the command's help. */
  readonly examples: Examples;
  /** What it prints for programs; empty: nothing. */
  readonly output: readonly CommandOutput[];
  /** Adds arguments, options and an action to a command that has its name. */
  readonly register: (command: Command, runner: Runner) => void;
}

export interface Leaf {
  readonly summary: string;
  /** Internal: omitted from all help. */
  readonly isHidden?: boolean;
  readonly load: () => Promise<CommandModule>;
}

export interface Group {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Leaf>>;
}

/** The command tree: a command's path is the path of its file. Modules load on use. */
export const COMMANDS: Readonly<Record<string, Leaf | Group>> = {
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
  retry: { summary: 'submit failed jobs again', load: () => import('./commands/retry.ts') },
  skins: {
    summary: 'list, print, download, export, edit and delete skins',
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
      export: {
        summary: 'save all of your skins in one file',
        load: () => import('./commands/skins/export.ts'),
      },
      edit: {
        summary: 'edit the name or visibility of skins',
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
        load: () => import('./commands/keys/edit.ts'),
      },
      revoke: { summary: 'revoke API keys', load: () => import('./commands/keys/revoke.ts') },
    },
  },
  identities: {
    summary: 'manage single sign-on identities',
    commands: {
      list: { summary: 'list identities', load: () => import('./commands/identities/list.ts') },
      delete: { summary: 'delete identities', load: () => import('./commands/identities/delete.ts') },
    },
  },
  capes: {
    summary: 'list and manage capes',
    commands: {
      list: { summary: 'list capes', load: () => import('./commands/capes/list.ts') },
      create: {
        summary: 'add a cape',
        load: () => import('./commands/capes/create.ts'),
      },
      edit: {
        summary: 'rename, hide or show a cape',
        load: () => import('./commands/capes/edit.ts'),
      },
      delete: {
        summary: 'delete capes',
        load: () => import('./commands/capes/delete.ts'),
      },
    },
  },
  users: {
    summary: 'manage users of a service',
    commands: {
      create: { summary: 'create a user', load: () => import('./commands/users/create.ts') },
      list: { summary: 'list users', load: () => import('./commands/users/list.ts') },
      get: { summary: 'print a user', load: () => import('./commands/users/get.ts') },
      edit: {
        summary: "change a user's plan",
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
        load: () => import('./commands/accounts/edit.ts'),
      },
      health: {
        summary: 'check the health of game accounts',
        load: () => import('./commands/accounts/health.ts'),
      },
      unlink: { summary: 'unlink a game account', load: () => import('./commands/accounts/unlink.ts') },
    },
  },
  reports: {
    summary: 'report skins, and list and close reports',
    commands: {
      create: { summary: 'report a skin', load: () => import('./commands/reports/create.ts') },
      list: { summary: 'list reports', load: () => import('./commands/reports/list.ts') },
      close: { summary: 'close reports', load: () => import('./commands/reports/close.ts') },
    },
  },
  moderation: {
    summary: "hide, delete and block other users' skins",
    commands: {
      hide: { summary: 'hide skins', load: () => import('./commands/moderation/hide.ts') },
      show: { summary: 'show hidden skins again', load: () => import('./commands/moderation/show.ts') },
      block: { summary: 'block images', load: () => import('./commands/moderation/block.ts') },
      unblock: { summary: 'unblock images', load: () => import('./commands/moderation/unblock.ts') },
      list: { summary: 'list blocked images', load: () => import('./commands/moderation/list.ts') },
      log: { summary: 'list what operators did', load: () => import('./commands/moderation/log.ts') },
      delete: { summary: 'delete skins', load: () => import('./commands/moderation/delete.ts') },
    },
  },
  serve: { summary: 'run a skinsmith service', load: () => import('./commands/serve.ts') },
  open: { summary: 'open the pages of the service in a browser', load: () => import('./commands/open.ts') },
  backup: { summary: "back up a service's data to one file", load: () => import('./commands/backup.ts') },
  restore: { summary: 'restore a backup', load: () => import('./commands/restore.ts') },
  store: {
    summary: 'manage the store of a service',
    commands: {
      copy: {
        summary: 'copy all data of a service to another store',
        load: () => import('./commands/store/copy.ts'),
      },
    },
  },
  help: { summary: 'show help for a command or a topic', load: () => import('./commands/help.ts') },
  completion: {
    summary: 'print a completion script for a shell',
    load: () => import('./commands/completion.ts'),
  },
  complete: {
    summary: 'print what completion scripts ask for',
    isHidden: true,
    load: () => import('./commands/complete.ts'),
  },
};
