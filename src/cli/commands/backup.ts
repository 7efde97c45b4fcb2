import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { isStream } from '../../base/files.ts';
import type { Backup, CopyProgress, StoreCopy, StorePlace } from '../../server/server.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { backUpAsOwner, backUpToStream, switchToOwnerOf, withFileFor } from '../context/data-owner.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { nonEmpty, outFileOf, type TypedOutFile } from '../options/option-values.ts';
import type { Fields } from '../output/described.ts';
import { OutputGuard } from '../output/output-guard.ts';
import { settingsOf } from '../serve/store.ts';
import { clean, count, jsonLine } from '../text/text.ts';

interface BackupOptions extends TypedOutFile {
  readonly data?: string;
  readonly verify?: boolean;
  readonly overwrite?: boolean;
}

interface BackupView extends Backup {
  readonly file: string;
}

interface CheckedBackupView {
  readonly file: string;
  readonly createdAt?: string;
  readonly version?: string;
  readonly schema?: number;
  readonly proven: boolean;
  readonly sha256?: string;
}

const FIELDS: Fields<BackupView> = {
  file: 'path of the backup',
  bytes: 'size of the backup',
  missing:
    'keys of the service that are not in the data folder, and so not in the backup: signing-key.pem, account-key',
};

const CHECKED_FIELDS: Fields<CheckedBackupView> = {
  file: 'path of the backup',
  createdAt: 'when the backup was made; not for dumps of PostgreSQL',
  version: 'version of skinsmith that made it; not for dumps of PostgreSQL',
  schema: 'for dumps of PostgreSQL: the version of the schema in it',
  proven: 'whether a checksum confirms the content (PostgreSQL dumps have none)',
  sha256: 'the digest, in hexadecimal',
};

export const backup = {
  description:
    'Back up the data of a service to one file.\n' +
    'The backup is a consistent snapshot of the store, keys and plans; servers may keep running. It ' +
    'contains secrets, above all the signing key: keep it safe. With --verify, checks instead that ' +
    'every byte of a backup is intact. Back up a store in PostgreSQL with pg_dump --format=custom; ' +
    '--verify has pg_restore read all of such a dump. If you run it as root, it switches to the owner of the folder.',
  examples: {
    'Back up the service of this machine': 'skinsmith backup --out skins.backup',
    'Check that a backup is intact': 'skinsmith backup --verify skins.backup',
  },
  output: [
    { json: { shape: 'object', fields: FIELDS } },
    { mode: '--verify', json: { shape: 'object', fields: CHECKED_FIELDS } },
  ],
  declare: (command) =>
    command
      .argument('[file]', 'backup to check, with --verify', nonEmpty)
      .option('--out <file>', 'file to write, or - for stdout', nonEmpty)
      .option('--data <folder>', 'data folder of the service', nonEmpty)
      .option('--verify', 'check an existing backup and write nothing')
      .option(
        '--overwrite',
        'replace an existing file, such as an earlier backup, once the new one is complete',
      ),
  run: runBackup,
} satisfies CommandModule;

/** `typed`: the backup to check; scripts from before `--out` also name the file to write here. */
async function runBackup(
  typed: string | undefined,
  options: BackupOptions,
  context: CommandContext,
): Promise<void> {
  const { data, verify = false, overwrite = false } = options;
  if (verify) return await verifyBackup(backupToCheck(typed, options), context);
  const file = outFileOf(typed, options);
  if (file === undefined) {
    const hint = 'Name the file to write: --out skins.backup';
    throw usageError('missing_output', 'A backup needs a file.', hint);
  }
  const { folders, clock, signal, flags, io, messages } = context;
  if (data === undefined && context.env['SKINSMITH_STORE']) throw inPostgres(file);
  const { backUp, DATA_FILES } = await import('../../server/server.ts');
  const dataDir = data ?? folders.data;
  const make = async (path: string) => await backUp({ dataDir, file: path, now: clock.now(), signal });
  if (file === '-' || isStream(file)) {
    const made = await backUpToStream(dataDir, file === '-' ? undefined : file, make);
    if (flags.json) (file === '-' ? io.err : io.out).write(jsonLine({ file, ...made } satisfies BackupView));
    return;
  }
  verifyPlace(file, { inputs: DATA_FILES.map((name) => join(dataDir, name)), overwrite });
  const view: BackupView = { file, ...(await backUpAsOwner(dataDir, file, make)) };
  if (flags.json) io.out.write(jsonLine(view));
  const place = data === undefined ? '' : ` --data ${data}`;
  messages.say(
    `${file} contains all of ${dataDir}, including its secrets. To restore it: skinsmith restore ${file}${place}`,
  );
  for (const key of view.missing) await messages.warn(lacking(key, dataDir));
}

/** The backup that `--verify` reads. @throws CliError `needs_backup` if none is named, or if a file to write is named too */
function backupToCheck(typed: string | undefined, { out }: BackupOptions): string {
  if (typed !== undefined && out === undefined) return typed;
  const hint = 'Name the backup to check, and no file to write: skinsmith backup --verify skins.backup';
  throw usageError('needs_backup', 'With --verify, skinsmith checks one backup and writes nothing.', hint);
}

/** An earlier backup is as valuable as any other file. @throws CliError */
function verifyPlace(
  file: string,
  { inputs, overwrite }: { readonly inputs: readonly string[]; readonly overwrite: boolean },
): void {
  new OutputGuard(inputs, { overwrite: true }).verify(file, { isOurs: () => false });
  if (overwrite || !lstatSync(file, { throwIfNoEntry: false })) return;
  throw new CliError('file_exists', `${clean(file)} already exists.`, {
    hint: 'Choose another output file, or replace it: --overwrite',
  });
}

/** The options that tell `serve` where its keys are. */
const KEY_OPTIONS: Readonly<Record<Backup['missing'][number], string>> = {
  'signing-key.pem': '--signing-key',
  'account-key': '--account-key',
};

function lacking(key: Backup['missing'][number], dataDir: string): string {
  return (
    `${key} is not in ${dataDir}, so the backup is incomplete without it. ` +
    `Keep the file given to serve with ${KEY_OPTIONS[key]} beside the backup.`
  );
}

/** PostgreSQL has its own tools, which include users and rights and work on a running database. */
function inPostgres(file: string): CliError {
  const message =
    "The store of this service is in PostgreSQL (SKINSMITH_STORE); back it up with PostgreSQL's own tools.";
  const hint =
    `Run pg_dump --format=custom --file=${file} with the address of the store, and keep signing-key.pem, ` +
    'account-key and plans.json with it. To back up the store in a data folder: --data';
  return new CliError('backup_elsewhere', message, { hint });
}

async function verifyBackup(file: string, context: CommandContext): Promise<void> {
  const { dumpFormat, readBackup } = await import('../../server/server.ts');
  const format = await dumpFormat(file).catch(() => undefined); // a file that cannot be read is reported below
  if (format === 'archive') return await verifyDumpOf(file, context);
  const { flags, io } = context;
  const { about, digest } = await readBackup(file);
  const { time, version } = about;
  const createdAt = new Date(time).toISOString();
  const view: CheckedBackupView = { file, createdAt, version, proven: true, sha256: digest };
  const text = `${file} is intact: made ${createdAt} by skinsmith ${version}, SHA-256 ${digest}`;
  io.out.write(flags.json ? jsonLine(view) : `${clean(text)}\n`);
}

async function verifyDumpOf(file: string, { env, signal, flags, io }: CommandContext): Promise<void> {
  const { verifyDump } = await import('../../server/server.ts');
  const schema = await verifyDump(file, { env, signal });
  const view: CheckedBackupView = { file, schema, proven: false };
  io.out.write(
    flags.json
      ? jsonLine(view)
      : `${clean(file)} is complete: a dump of a PostgreSQL store, schema ${schema}; pg_restore has read all of it\n`,
  );
}

interface RestoredView {
  readonly data: string;
  readonly createdAt: string;
  readonly version: string;
  readonly aside?: string;
}

const RESTORE_FIELDS: Fields<RestoredView> = {
  data: 'the data folder',
  createdAt: 'when the backup was made',
  version: 'version of skinsmith that made it',
  aside: 'where the earlier data is now',
};

export const restore = {
  description:
    'Restore a backup into a data folder.\n' +
    'Checks the backup first; either everything is restored or nothing. No server may be running on ' +
    'that folder.',
  examples: {
    'Restore a backup into a new data folder': 'skinsmith restore skins.backup --data restored/',
    'Replace the data of this machine and keep the old data aside':
      'skinsmith restore skins.backup --move-aside',
  },
  output: [{ json: { shape: 'object', fields: RESTORE_FIELDS } }],
  declare: (command) =>
    command
      .argument('<file>', 'file written by skinsmith backup', nonEmpty)
      .option('--data <folder>', 'data folder of the service', nonEmpty)
      .option('--move-aside', 'move existing data into a folder with the date in its name')
      .addOption(new Option('--force', 'earlier name of --move-aside').hideHelp()),
  run: runRestore,
} satisfies CommandModule;

async function runRestore(
  file: string,
  {
    data,
    force = false,
    moveAside = force,
  }: { readonly data?: string; readonly force?: boolean; readonly moveAside?: boolean },
  { folders, clock, flags, io, messages }: CommandContext,
): Promise<void> {
  const { restore } = await import('../../server/server.ts');
  const dataDir = data ?? folders.data;
  const { time, version, aside } = await withFileFor(
    dataDir,
    file,
    async (backup) => await restore({ dataDir, file: backup, force: moveAside, now: clock.now() }),
  );
  const createdAt = new Date(time).toISOString();
  const view: RestoredView = { data: dataDir, createdAt, version, aside };
  if (flags.json) io.out.write(jsonLine(view));
  messages.say(`Restored ${dataDir} to the state of ${createdAt}.`);
  if (aside !== undefined) messages.say(`The previous data is in ${aside}.`);
}

interface CopiedView {
  readonly from: string;
  readonly to: string;
  readonly resumed: boolean;
  readonly tables: readonly CopiedTableView[];
}

interface CopiedTableView {
  readonly table: string;
  readonly rows: number;
  readonly sha256: string;
}

const COPIED_FIELDS: Fields<CopiedView> = {
  from: 'source of the data, without user and password',
  to: 'destination, likewise',
  resumed: 'whether an earlier copy was continued',
  tables: {
    about: 'the tables, each with the same rows in both stores',
    fields: {
      table: 'its name',
      rows: 'number of its rows',
      sha256: 'digest of all of them, in hexadecimal',
    },
  },
};
export const storeCopy = {
  description:
    'Copy all data of a service to another, empty store.\n' +
    'A store is a data folder, or the address of a PostgreSQL database. Servers may keep using the ' +
    'first one: the copy has its data as of one moment. All rows are compared afterwards. If a copy is ' +
    'interrupted, run the same command again to continue. Key files and plans.json are not in ' +
    'the store: copy them too.',
  examples: {
    'Move the service of this machine to PostgreSQL':
      'skinsmith store copy ~/.local/share/skinsmith postgres://skins@db.example.org/skins',
    'Move it back to a file': 'skinsmith store copy postgres://skins@db.example.org/skins data/',
  },
  output: [{ json: { shape: 'object', fields: COPIED_FIELDS } }],
  declare: (command) =>
    command
      .argument('<from>', 'data folder or postgres:// address to copy from', nonEmpty)
      .argument('<to>', 'data folder or postgres:// address to copy to', nonEmpty),
  run: runStoreCopy,
} satisfies CommandModule;

async function runStoreCopy(source: string, target: string, context: CommandContext): Promise<void> {
  const { signal, flags, io, messages } = context;
  const [from, to] = [placeOf(source, context), placeOf(target, context)];
  for (const place of [from, to]) if ('folder' in place) switchToOwnerOf(place.folder);
  const { copyStore, storeName } = await import('../../server/server.ts');
  const progress = await messages.progress('Opening both stores');
  const onProgress = (now: CopyProgress) => progress.text(progressText(now));
  const copied = await copyStore({ from, to, signal, onProgress }).finally(() => progress.stop());
  const view: CopiedView = {
    from: storeName(from),
    to: storeName(to),
    resumed: copied.isResumed,
    tables: copied.tables,
  };
  if (flags.json) io.out.write(jsonLine(view));
  messages.say(`${view.to} has all of ${view.from}: ${count(rowsOf(copied))} rows, each compared.`);
  messages.say(
    'Now start the service on it. It needs the same signing-key.pem, account-key and plans.json, which are not in the store.',
  );
}

/** @throws CliError if an address is not one of a database */
function placeOf(text: string, context: CommandContext): StorePlace {
  // With an @, it is probably a mistyped address, which may hold a password, rather than a folder.
  if (!/^postgres(ql)?(?::|.*@)/i.test(text)) return { folder: text };
  return { postgres: settingsOf(text, {}, context) };
}

function progressText({ step, table, done, rows }: CopyProgress): string {
  const what = step === 'copying' ? 'Copying' : 'Comparing';
  return `${what} ${table}: ${count(done)} of ${count(rows)} rows. Ctrl-C is safe: run the same command to continue.`;
}

function rowsOf({ tables }: StoreCopy): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}
