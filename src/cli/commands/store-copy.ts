import type { CopyProgress, StoreCopy, StorePlace } from '../../server/server.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { switchToOwnerOf } from '../context/data-owner.ts';
import { exitStatus } from '../errors/exit.ts';
import { nonEmpty } from '../options/option-values.ts';
import type { Fields } from '../output/described.ts';
import { settingsOf } from '../serve/store.ts';
import { count, jsonLine } from '../text/text.ts';

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

const FIELDS: Fields<CopiedView> = {
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
  examples: [
    [
      'Move the service of this machine to PostgreSQL',
      'skinsmith store copy ~/.local/share/skinsmith postgres://skins@db.example.org/skins',
    ],
    ['Move it back to a file', 'skinsmith store copy postgres://skins@db.example.org/skins data/'],
  ],
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  declare(command) {
    command
      .argument('<from>', 'data folder or postgres:// address to copy from', nonEmpty)
      .argument('<to>', 'data folder or postgres:// address to copy to', nonEmpty);
  },
  run: runStoreCopy,
} satisfies CommandModule;

export async function runStoreCopy(source: string, target: string, context: CommandContext): Promise<number> {
  const { signal, flags, io, messages } = context;
  const [from, to] = [placeOf(source, context), placeOf(target, context)];
  for (const place of [from, to]) if ('folder' in place) switchToOwnerOf(place.folder);
  const { copyStore, nameOfStore } = await import('../../server/server.ts');
  const progress = await messages.progress('Opening both stores');
  const onProgress = (now: CopyProgress) => progress.text(progressText(now));
  const copied = await copyStore({ from, to, signal, onProgress }).finally(() => progress.stop());
  const view: CopiedView = {
    from: nameOfStore(from),
    to: nameOfStore(to),
    resumed: copied.isResumed,
    tables: copied.tables,
  };
  if (flags.json) io.out.write(jsonLine(view));
  messages.say(`${view.to} has all of ${view.from}: ${count(rowsOf(copied))} rows, each compared.`);
  messages.say(
    'Now start the service on it. It needs the same signing-key.pem, account-key and plans.json, which are not in the store.',
  );
  return exitStatus('done');
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
