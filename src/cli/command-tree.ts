import type { CommandModule } from './context/context.ts';

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

/** The command tree: the commands of a noun stand in one file, under that noun's name. Modules load on use. */
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
  sets: {
    summary: 'group skins, and export each group as one file',
    commands: {
      create: {
        summary: 'make a set of skins',
        load: async () => (await import('./commands/sets.ts')).setsCreate,
      },
      list: { summary: 'list sets', load: async () => (await import('./commands/sets.ts')).setsList },
      get: {
        summary: 'list the skins in a set',
        load: async () => (await import('./commands/sets.ts')).setsGet,
      },
      edit: {
        summary: 'edit the name, visibility or skins of a set',
        load: async () => (await import('./commands/sets.ts')).setsEdit,
      },
      export: {
        summary: 'save the skins of a set in one file',
        load: async () => (await import('./commands/sets-export.ts')).setsExport,
      },
      delete: { summary: 'delete a set', load: async () => (await import('./commands/sets.ts')).setsDelete },
    },
  },
  skins: {
    summary: 'list, print, download, export, edit and delete skins',
    commands: {
      list: { summary: 'list skins', load: async () => (await import('./commands/skins.ts')).skinsList },
      get: {
        summary: 'print skins with their values and signatures',
        load: async () => (await import('./commands/skins.ts')).skinsGet,
      },
      download: {
        summary: 'save textures as PNG files',
        load: async () => (await import('./commands/skins-download.ts')).skinsDownload,
      },
      export: {
        summary: 'save all of your skins in one file',
        load: async () => (await import('./commands/skins-export.ts')).skinsExport,
      },
      edit: {
        summary: 'edit the name or visibility of skins',
        load: async () => (await import('./commands/skins.ts')).skinsEdit,
      },
      delete: {
        summary: 'delete skins',
        load: async () => (await import('./commands/skins.ts')).skinsDelete,
      },
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
  pack: {
    summary: 'make a resource pack of skins, which needs no signature',
    load: () => import('./commands/pack.ts'),
  },
  download: {
    summary: 'save textures of players, skins and addresses as PNG files',
    load: () => import('./commands/download.ts'),
  },
  preview: { summary: 'show a skin in the terminal', load: () => import('./commands/preview.ts') },
  render: { summary: 'draw a skin as a PNG file', load: () => import('./commands/render.ts') },
  config: {
    summary: 'manage settings',
    commands: {
      list: {
        summary: 'list settings and where each comes from',
        load: async () => (await import('./commands/config.ts')).configList,
      },
      get: {
        summary: 'print one setting',
        load: async () => (await import('./commands/config.ts')).configGet,
      },
      set: {
        summary: 'change a setting',
        load: async () => (await import('./commands/config.ts')).configSet,
      },
      unset: {
        summary: 'remove a setting',
        load: async () => (await import('./commands/config.ts')).configUnset,
      },
      path: {
        summary: 'print the path of the config file',
        load: async () => (await import('./commands/config.ts')).configPath,
      },
    },
  },
  login: {
    summary: 'store an API key for a service',
    load: async () => (await import('./commands/login.ts')).login,
  },
  logout: {
    summary: 'remove the API key for a service',
    load: async () => (await import('./commands/login.ts')).logout,
  },
  conformance: {
    summary: 'check whether a server keeps to the interface',
    load: () => import('./commands/conformance.ts'),
  },
  doctor: { summary: 'find problems with your setup', load: () => import('./commands/doctor.ts') },
  whoami: { summary: 'show your user, plan and limits', load: () => import('./commands/whoami.ts') },
  keys: {
    summary: 'manage API keys of a service',
    commands: {
      create: {
        summary: 'create an API key',
        load: async () => (await import('./commands/keys.ts')).keysCreate,
      },
      list: {
        summary: 'list API keys',
        load: async () => (await import('./commands/keys.ts')).keysList,
      },
      edit: {
        summary: 'edit an API key',
        load: async () => (await import('./commands/keys.ts')).keysEdit,
      },
      revoke: {
        summary: 'revoke API keys',
        load: async () => (await import('./commands/keys.ts')).keysRevoke,
      },
    },
  },
  identities: {
    summary: 'manage single sign-on identities',
    commands: {
      list: {
        summary: 'list identities',
        load: async () => (await import('./commands/identities.ts')).identitiesList,
      },
      delete: {
        summary: 'delete identities',
        load: async () => (await import('./commands/identities.ts')).identitiesDelete,
      },
    },
  },
  capes: {
    summary: 'list and manage capes',
    commands: {
      list: { summary: 'list capes', load: async () => (await import('./commands/capes.ts')).capesList },
      create: {
        summary: 'add a cape',
        load: async () => (await import('./commands/capes.ts')).capesCreate,
      },
      edit: {
        summary: 'rename, hide or show a cape',
        load: async () => (await import('./commands/capes.ts')).capesEdit,
      },
      delete: {
        summary: 'delete capes',
        load: async () => (await import('./commands/capes.ts')).capesDelete,
      },
    },
  },
  users: {
    summary: 'manage users of a service',
    commands: {
      create: {
        summary: 'create a user',
        load: async () => (await import('./commands/users.ts')).usersCreate,
      },
      list: { summary: 'list users', load: async () => (await import('./commands/users.ts')).usersList },
      get: { summary: 'print a user', load: async () => (await import('./commands/users.ts')).usersGet },
      edit: {
        summary: "change a user's plan",
        load: async () => (await import('./commands/users.ts')).usersEdit,
      },
      disable: {
        summary: 'disable a user',
        load: async () => (await import('./commands/users.ts')).usersDisable,
      },
      enable: {
        summary: 'enable a disabled user',
        load: async () => (await import('./commands/users.ts')).usersEnable,
      },
    },
  },
  accounts: {
    summary: 'manage the game accounts that make skins',
    commands: {
      link: {
        summary: 'link a game account',
        load: async () => (await import('./commands/accounts.ts')).accountsLink,
      },
      list: {
        summary: 'list game accounts',
        load: async () => (await import('./commands/accounts.ts')).accountsList,
      },
      pause: {
        summary: 'stop using a game account for now',
        load: async () => (await import('./commands/accounts.ts')).accountsPause,
      },
      resume: {
        summary: 'resume using a paused game account',
        load: async () => (await import('./commands/accounts.ts')).accountsResume,
      },
      edit: {
        summary: 'edit settings of a game account',
        load: async () => (await import('./commands/accounts.ts')).accountsEdit,
      },
      health: {
        summary: 'check the health of game accounts',
        load: async () => (await import('./commands/accounts.ts')).accountsHealth,
      },
      unlink: {
        summary: 'unlink a game account',
        load: async () => (await import('./commands/accounts.ts')).accountsUnlink,
      },
    },
  },
  reports: {
    summary: 'report skins and sets, and list and close reports',
    commands: {
      create: {
        summary: 'report a skin or a set',
        load: async () => (await import('./commands/reports.ts')).reportsCreate,
      },
      list: {
        summary: 'list reports',
        load: async () => (await import('./commands/reports.ts')).reportsList,
      },
      close: {
        summary: 'close reports',
        load: async () => (await import('./commands/reports.ts')).reportsClose,
      },
    },
  },
  moderation: {
    summary: "hide, delete and block other users' skins and sets",
    commands: {
      hide: {
        summary: 'hide skins or sets',
        load: async () => (await import('./commands/moderation.ts')).moderationHide,
      },
      show: {
        summary: 'show hidden skins or sets again',
        load: async () => (await import('./commands/moderation.ts')).moderationShow,
      },
      'clear-name': {
        summary: 'replace the names of sets',
        load: async () => (await import('./commands/moderation.ts')).moderationClearName,
      },
      block: {
        summary: 'block images',
        load: async () => (await import('./commands/moderation.ts')).moderationBlock,
      },
      unblock: {
        summary: 'unblock images',
        load: async () => (await import('./commands/moderation.ts')).moderationUnblock,
      },
      list: {
        summary: 'list blocked images',
        load: async () => (await import('./commands/moderation.ts')).moderationList,
      },
      log: {
        summary: 'list what operators did',
        load: async () => (await import('./commands/moderation.ts')).moderationLog,
      },
      delete: {
        summary: 'delete skins or sets',
        load: async () => (await import('./commands/moderation.ts')).moderationDelete,
      },
    },
  },
  serve: { summary: 'run a skinsmith service', load: () => import('./commands/serve.ts') },
  health: { summary: 'check whether a service is alive', load: () => import('./commands/health.ts') },
  open: { summary: 'open the pages of the service in a browser', load: () => import('./commands/open.ts') },
  backup: { summary: "back up a service's data to one file", load: () => import('./commands/backup.ts') },
  restore: {
    summary: 'restore a backup',
    load: async () => (await import('./commands/backup.ts')).restoreCommand,
  },
  store: {
    summary: 'manage the store of a service',
    commands: {
      copy: {
        summary: 'copy all data of a service to another store',
        load: async () => (await import('./commands/store-copy.ts')).storeCopy,
      },
    },
  },
  help: { summary: 'show help for a command or a topic', load: () => import('./commands/help.ts') },
  completion: {
    summary: 'print a completion script for a shell',
    load: () => import('./commands/completion.ts'),
  },
  version: { summary: 'print the version', load: () => import('./commands/version.ts') },
  complete: {
    summary: 'print what completion scripts ask for',
    isHidden: true,
    load: () => import('./commands/complete.ts'),
  },
};
