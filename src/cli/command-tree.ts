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

const sets = async () => await import('./commands/sets.ts');
const setsExport = async () => await import('./commands/exports.ts');
const skins = async () => await import('./commands/skins.ts');
const skinsDownload = async () => await import('./commands/download.ts');
const skinsExport = async () => await import('./commands/exports.ts');
const config = async () => await import('./commands/config.ts');
const keys = async () => await import('./commands/keys.ts');
const identities = async () => await import('./commands/identities.ts');
const capes = async () => await import('./commands/capes.ts');
const users = async () => await import('./commands/users.ts');
const accounts = async () => await import('./commands/accounts.ts');
const reports = async () => await import('./commands/reports.ts');
const moderation = async () => await import('./commands/moderation.ts');

function leaf(summary: string, load: Leaf['load']): Leaf {
  return { summary, load };
}

/** The command tree: the commands of a noun stand in one file, under that noun's name. Modules load on use. */
export const COMMANDS: Readonly<Record<string, Leaf | Group>> = {
  generate: leaf(
    'make skins and print their values and signatures',
    async () => (await import('./commands/generate.ts')).generate,
  ),
  queue: leaf(
    'submit skins to the queue without waiting for them',
    async () => (await import('./commands/generate.ts')).queue,
  ),
  status: leaf('show the status of jobs', async () => (await import('./commands/jobs.ts')).status),
  jobs: leaf('list your jobs', async () => (await import('./commands/jobs.ts')).jobs),
  retry: leaf('submit failed jobs again', async () => (await import('./commands/jobs.ts')).retry),
  sets: {
    summary: 'group skins, and export each group as one file',
    commands: {
      create: leaf('make a set of skins', async () => (await sets()).setsCreate),
      list: leaf('list sets', async () => (await sets()).setsList),
      get: leaf('list the skins in a set', async () => (await sets()).setsGet),
      edit: leaf('edit the name, visibility or skins of a set', async () => (await sets()).setsEdit),
      export: leaf('save the skins of a set in one file', async () => (await setsExport()).setsExport),
      delete: leaf('delete a set', async () => (await sets()).setsDelete),
    },
  },
  skins: {
    summary: 'list, print, download, export, edit and delete skins',
    commands: {
      list: leaf('list skins', async () => (await skins()).skinsList),
      get: leaf('print skins with their values and signatures', async () => (await skins()).skinsGet),
      download: leaf('save textures as PNG files', async () => (await skinsDownload()).skinsDownload),
      export: leaf('save all of your skins in one file', async () => (await skinsExport()).skinsExport),
      edit: leaf('edit the name or visibility of skins', async () => (await skins()).skinsEdit),
      delete: leaf('delete skins', async () => (await skins()).skinsDelete),
    },
  },
  verify: leaf(
    'verify signatures and textures of saved skins',
    async () => (await import('./commands/verify.ts')).verify,
  ),
  check: leaf(
    'check PNG files without sending them anywhere',
    async () => (await import('./commands/check.ts')).check,
  ),
  pack: leaf(
    'make a resource pack of skins, which needs no signature',
    async () => (await import('./commands/pack.ts')).pack,
  ),
  download: leaf(
    'save textures of players, skins and addresses as PNG files',
    async () => (await import('./commands/download.ts')).download,
  ),
  preview: leaf('show a skin in the terminal', async () => (await import('./commands/pictures.ts')).preview),
  render: leaf('draw a skin as a PNG file', async () => (await import('./commands/pictures.ts')).render),
  config: {
    summary: 'manage settings',
    commands: {
      list: leaf('list settings and where each comes from', async () => (await config()).configList),
      get: leaf('print one setting', async () => (await config()).configGet),
      set: leaf('change a setting', async () => (await config()).configSet),
      unset: leaf('remove a setting', async () => (await config()).configUnset),
      path: leaf('print the path of the config file', async () => (await config()).configPath),
    },
  },
  login: leaf('store an API key for a service', async () => (await import('./commands/login.ts')).login),
  logout: leaf('remove the API key for a service', async () => (await import('./commands/login.ts')).logout),
  conformance: leaf(
    'check whether a server keeps to the interface',
    async () => (await import('./commands/conformance.ts')).conformance,
  ),
  doctor: leaf('find problems with your setup', async () => (await import('./commands/doctor.ts')).doctor),
  whoami: leaf('show your user, plan and limits', async () => (await import('./commands/login.ts')).whoami),
  keys: {
    summary: 'manage API keys of a service',
    commands: {
      create: leaf('create an API key', async () => (await keys()).keysCreate),
      list: leaf('list API keys', async () => (await keys()).keysList),
      edit: leaf('edit an API key', async () => (await keys()).keysEdit),
      revoke: leaf('revoke API keys', async () => (await keys()).keysRevoke),
    },
  },
  identities: {
    summary: 'manage single sign-on identities',
    commands: {
      list: leaf('list identities', async () => (await identities()).identitiesList),
      delete: leaf('delete identities', async () => (await identities()).identitiesDelete),
    },
  },
  capes: {
    summary: 'list and manage capes',
    commands: {
      list: leaf('list capes', async () => (await capes()).capesList),
      create: leaf('add a cape', async () => (await capes()).capesCreate),
      edit: leaf('rename, hide or show a cape', async () => (await capes()).capesEdit),
      delete: leaf('delete capes', async () => (await capes()).capesDelete),
    },
  },
  users: {
    summary: 'manage users of a service',
    commands: {
      create: leaf('create a user', async () => (await users()).usersCreate),
      list: leaf('list users', async () => (await users()).usersList),
      get: leaf('print a user', async () => (await users()).usersGet),
      edit: leaf("change a user's plan", async () => (await users()).usersEdit),
      disable: leaf('disable a user', async () => (await users()).usersDisable),
      enable: leaf('enable a disabled user', async () => (await users()).usersEnable),
    },
  },
  accounts: {
    summary: 'manage the game accounts that make skins',
    commands: {
      link: leaf('link a game account', async () => (await accounts()).accountsLink),
      list: leaf('list game accounts', async () => (await accounts()).accountsList),
      pause: leaf('stop using a game account for now', async () => (await accounts()).accountsPause),
      resume: leaf('resume using a paused game account', async () => (await accounts()).accountsResume),
      edit: leaf('edit settings of a game account', async () => (await accounts()).accountsEdit),
      health: leaf('check the health of game accounts', async () => (await accounts()).accountsHealth),
      unlink: leaf('unlink a game account', async () => (await accounts()).accountsUnlink),
    },
  },
  reports: {
    summary: 'report skins and sets, and list and close reports',
    commands: {
      create: leaf('report a skin or a set', async () => (await reports()).reportsCreate),
      list: leaf('list reports', async () => (await reports()).reportsList),
      close: leaf('close reports', async () => (await reports()).reportsClose),
    },
  },
  moderation: {
    summary: "hide, delete and block other users' skins and sets",
    commands: {
      hide: leaf('hide skins or sets', async () => (await moderation()).moderationHide),
      show: leaf('show hidden skins or sets again', async () => (await moderation()).moderationShow),
      'clear-name': leaf('replace the names of sets', async () => (await moderation()).moderationClearName),
      block: leaf('block images', async () => (await moderation()).moderationBlock),
      unblock: leaf('unblock images', async () => (await moderation()).moderationUnblock),
      list: leaf('list blocked images', async () => (await moderation()).moderationList),
      log: leaf('list what operators did', async () => (await moderation()).moderationLog),
      delete: leaf('delete skins or sets', async () => (await moderation()).moderationDelete),
    },
  },
  serve: leaf('run a skinsmith service', async () => (await import('./commands/serve.ts')).serve),
  health: leaf('check whether a service is alive', async () => (await import('./commands/health.ts')).health),
  open: leaf(
    'open the pages of the service in a browser',
    async () => (await import('./commands/open.ts')).open,
  ),
  backup: leaf(
    "back up a service's data to one file",
    async () => (await import('./commands/backup.ts')).backup,
  ),
  restore: leaf('restore a backup', async () => (await import('./commands/backup.ts')).restore),
  store: {
    summary: 'manage the store of a service',
    commands: {
      copy: leaf(
        'copy all data of a service to another store',
        async () => (await import('./commands/backup.ts')).storeCopy,
      ),
    },
  },
  help: leaf('show help for a command or a topic', async () => (await import('./commands/help.ts')).help),
  completion: leaf(
    'print a completion script for a shell',
    async () => (await import('./commands/completion.ts')).completion,
  ),
  version: leaf('print the version', async () => (await import('./commands/version.ts')).version),
  complete: {
    summary: 'print what completion scripts ask for',
    isHidden: true,
    load: async () => (await import('./commands/complete.ts')).complete,
  },
};
