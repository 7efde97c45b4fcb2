import { parseEntry } from '../../batch/lockfile/entries.ts';
import {
  type AccountClient,
  MAX_SET,
  type ReservedSetName,
  type SetEdit,
  type SkinSet,
  type SkinSetSummary,
  type SkinVisibility,
  setNameProblem,
} from '../../index.ts';
import { connectWithProgress, readPages, verifyUuids, whereOffered } from '../connection/connector.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { exitStatus, usageError } from '../errors/exit.ts';
import {
  addLimitOptions,
  limitOf,
  nonEmpty,
  type TypedLimit,
  truncationNote,
} from '../options/option-values.ts';
import { visibilityOption } from '../options/skin-options.ts';
import {
  type CommandOutput,
  type Fields,
  fieldColumns,
  printRow,
  printRows,
  type Table,
  tableOutput,
} from '../output/described.ts';
import { isoTime } from '../output/results.ts';
import { confirm, readBounded } from '../terminal/read-input.ts';
import { clean, jsonDocument } from '../text/text.ts';
import { SKIN_COLUMNS, SKIN_TABLE, type SkinListView, skinListView } from './skins.ts';

/** A set with its times in ISO 8601. */
interface SetSummaryView extends Omit<SkinSetSummary, 'createdAt' | 'changedAt'> {
  readonly createdAt: string;
  readonly changedAt: string;
}

const FIELDS: Fields<SetSummaryView> = {
  uuid: 'UUID of the set',
  name: 'name of the set',
  slug: 'the name as used in URLs',
  visibility: 'public, unlisted or private',
  size: 'number of skins in it that you may see',
  createdAt: 'when it was made',
  changedAt: 'when it was last changed',
};

interface SetView extends SetSummaryView {
  readonly skins: readonly SkinListView[];
}

const TABLE: Table<SkinSetSummary> = {
  columns: fieldColumns<SkinSetSummary>('slug', 'size', 'visibility', 'uuid', 'name'),
  fields: FIELDS,
  shown: { NAME: 'name', SKINS: 'size', VISIBILITY: 'visibility', UUID: 'uuid' },
  view: summaryView,
};

const SET_OUTPUT: CommandOutput = {
  columns: TABLE.columns,
  json: {
    shape: 'object',
    fields: {
      ...FIELDS,
      skins: { about: 'the skins in it that you may see, in order', fields: SKIN_TABLE.fields },
    } satisfies Fields<SetView>,
  },
};

function summaryView<Set extends SkinSetSummary>(set: Set) {
  return { ...set, createdAt: isoTime(set.createdAt), changedAt: isoTime(set.changedAt) };
}

function setView(set: SkinSet): SetView {
  return { ...summaryView(set), skins: set.skins.map(skinListView) };
}

function printSet(set: SkinSet, context: CommandContext): void {
  printRow(set, { ...TABLE, view: setView }, context);
}

/** Runs a request about sets. @throws CliError `not_offered` at services without sets */
async function withSets<T>(
  context: CommandContext,
  work: (sets: AccountClient['sets'], call: { readonly signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const { signal } = context;
  const { client } = await connectWithProgress(await context.settings(), context);
  const about = ['set_not_found', 'skin_not_found'];
  return await whereOffered({ what: 'use sets', about }, () => work(client.account.sets, { signal }));
}

const LISTING = { what: 'sets', usual: 30 };

export const setsList = {
  description: 'List your sets of skins, newest first.',
  examples: [
    ['List your sets', 'skinsmith sets list'],
    ['List the public sets of all users', 'skinsmith sets list --public'],
  ],
  output: [tableOutput('list', TABLE)],
  declare(command) {
    command.option('--public', 'list the public sets of all users');
    addLimitOptions(command, LISTING);
  },
  run: runSetsList,
} satisfies CommandModule;

async function runSetsList(
  options: TypedLimit & { readonly public?: boolean },
  context: CommandContext,
): Promise<void> {
  const isPublic = options.public ?? false;
  const { entries, isCut } = await withSets(context, (sets, call) =>
    readPages(limitOf(options, LISTING), (page) => sets.list({ ...page, isPublic }, call)),
  );
  await printRows(entries, TABLE, context, 'No sets.');
  if (isCut) context.messages.say(truncationNote(entries.length, LISTING));
}

const SET_ARGUMENT = 'name or UUID of a set';

export const setsGet = {
  description: 'List the skins in a set, in its order.',
  examples: [
    ['List the skins in a set', 'skinsmith sets get guards'],
    ['Print a set with its skins', 'skinsmith sets get guards --json'],
  ],
  output: [
    {
      ...SET_OUTPUT,
      columns: SKIN_COLUMNS,
      columnMeanings: {
        uuid: 'UUID of the skin',
        variant: 'classic, slim or unknown',
        visibility: 'public, unlisted or private',
        name: 'name of the skin',
      },
    },
  ],
  declare(command) {
    command.argument('<set>', SET_ARGUMENT, nonEmpty);
  },
  run: runSetsGet,
} satisfies CommandModule;

async function runSetsGet(name: string, context: CommandContext): Promise<void> {
  const { io, flags } = context;
  const set = await withSets(context, (sets, call) => sets.get(name, call));
  if (flags.json) io.out.write(jsonDocument(setView(set)));
  else await printRows(set.skins, SKIN_TABLE, context, 'No skins.');
}

export const setsCreate = {
  description:
    'Group skins into a set with its own page, zip, lockfile and resource pack.\n' +
    'Anyone can find a public set by name; an unlisted one only by its UUID.',
  examples: [
    ['Make a set with a skin', 'skinsmith sets create guards UUID'],
    ['Make a set of all skins that a batch has made', 'skinsmith sets create team --from signed/skins.lock'],
  ],
  output: [SET_OUTPUT],
  declare(command) {
    command
      .argument('<name>', 'name of the set', nonEmpty)
      .argument('[uuid...]', `UUIDs of skins, at most ${MAX_SET}`)
      .option('--from <lockfile>', 'add the skins in a lockfile, as generate writes it', nonEmpty)
      .addOption(visibilityOption('who can find the set'));
  },
  run: runSetsCreate,
} satisfies CommandModule;

async function runSetsCreate(
  name: string,
  uuids: readonly string[],
  { from, visibility }: { readonly from?: string; readonly visibility?: SkinVisibility },
  context: CommandContext,
): Promise<void> {
  verifySetName(name);
  verifyUuids(uuids, context);
  const skins = [...uuids, ...(from === undefined ? [] : await uuidsIn(from))];
  const input = { name, skins, ...(visibility && { visibility }) };
  const set = await withSets(context, (sets, call) => sets.create(input, call));
  printSet(set, context);
}

/** @throws CliError */
function verifySetName(name: string): void {
  const problem = setNameProblem(name);
  if (problem !== undefined) throw usageError('invalid_name', `The name of a set may contain ${problem}.`);
}

/** The skins in a lockfile, each once. @throws LockfileError */
async function uuidsIn(path: string): Promise<string[]> {
  const lines = Buffer.from(await readBounded(path))
    .toString('utf8')
    .split(/\r?\n/);
  const entries = lines.flatMap((text, n) => (text.trim() ? parseEntry(text, { path, line: n + 1 }) : []));
  return [...new Set(entries.map(({ uuid }) => uuid))];
}

interface SetsEditOptions {
  readonly name?: string;
  readonly visibility?: SkinVisibility;
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  readonly from?: string;
}

export const setsEdit = {
  description: 'Edit the name, visibility or skins of a set of yours.',
  examples: [
    ['Put another skin into a set', 'skinsmith sets edit team --add UUID'],
    ['Show a set only to people who have its address', 'skinsmith sets edit guards --visibility unlisted'],
  ],
  output: [SET_OUTPUT],
  declare(command) {
    command
      .argument('<set>', SET_ARGUMENT, nonEmpty)
      .option('--name <name>', 'new name', nonEmpty)
      .option('--add <uuid...>', 'put these skins at the end')
      .option('--from <lockfile>', 'put the skins in a lockfile at the end', nonEmpty)
      .option('--remove <uuid...>', 'take these skins out')
      .addOption(visibilityOption('who can find the set'));
  },
  run: runSetsEdit,
} satisfies CommandModule;

async function runSetsEdit(
  set: string,
  { from, ...options }: SetsEditOptions,
  context: CommandContext,
): Promise<void> {
  if (options.name !== undefined) verifySetName(options.name);
  verifyUuids([...(options.add ?? []), ...(options.remove ?? [])], context);
  const add = [...(options.add ?? []), ...(from === undefined ? [] : await uuidsIn(from))];
  const edit = { ...options, add: add.length > 0 ? add : undefined };
  verifyEdit(edit);
  printSet(await withSets(context, (sets, call) => sets.edit(set, edit, call)), context);
}

/** @throws CliError */
function verifyEdit(edit: SetEdit): void {
  if (Object.values(edit).some((value) => value !== undefined)) return;
  const message = 'Nothing to change: give --name, --visibility, --add, --from or --remove.';
  throw usageError('nothing_to_change', message);
}

export const setsDelete = {
  description:
    'Delete a set of yours; its skins stay.\nAsks for confirmation first; without a terminal, --yes is required.',
  examples: [
    ['Delete a set', 'skinsmith sets delete team --yes'],
    ['Delete a set, and print JSON', 'skinsmith sets delete guards --yes --json'],
  ],
  output: [{ json: { shape: 'object', fields: { set: 'the set as you named it', deleted: 'always true' } } }],
  declare(command) {
    command.argument('<set>', SET_ARGUMENT, nonEmpty).option('-y, --yes', 'do not ask for confirmation');
  },
  run: runSetsDelete,
} satisfies CommandModule;

async function runSetsDelete(
  set: string,
  { yes = false }: { readonly yes?: boolean },
  context: CommandContext,
): Promise<number> {
  if (!yes && !(await confirm(`Delete the set ${clean(set)}? Its skins stay.`, context))) {
    context.messages.say('Nothing was deleted.');
    return exitStatus('failed');
  }
  await withSets(context, (sets, call) => sets.delete(set, call));
  if (context.flags.json) context.io.out.write(jsonDocument({ set, deleted: true }));
  else context.messages.say(`Deleted the set ${clean(set)}.`);
  return exitStatus('done');
}

const NAMES_TABLE: Table<ReservedSetName> = {
  columns: fieldColumns<ReservedSetName>('name', 'set'),
  fields: {
    name: 'the name as used in URLs',
    set: 'UUID of the set to which it leads; null or empty: that set was deleted',
  },
  shown: { NAME: 'name', SET: 'set' },
};

export const setsNames = {
  description:
    'List the names that are reserved for you.\n' +
    'When a public set of yours is renamed, hidden or deleted, nobody else can have its name, because game servers may have the address of its pack.',
  examples: [
    ['List your reserved names', 'skinsmith sets names'],
    ['List them with the sets to which they lead, as JSON', 'skinsmith sets names --json'],
  ],
  output: [tableOutput('list', NAMES_TABLE)],
  declare() {},
  run: runSetsNames,
} satisfies CommandModule;

async function runSetsNames(context: CommandContext): Promise<void> {
  const names = await withSets(context, (sets, call) => sets.reservedNames(call));
  await printRows(names, NAMES_TABLE, context, 'No reserved names.');
}

export const setsRelease = {
  description:
    'Let everybody have a reserved name of yours. Game servers that have the address of its pack may then get the pack of another user.\n' +
    "Operators release anybody's. Asks for confirmation first; without a terminal, --yes is required.",
  examples: [
    ['Release a name', 'skinsmith sets release guards --yes'],
    ['Release a name, and print JSON', 'skinsmith sets release team --yes --json'],
  ],
  output: [
    { json: { shape: 'object', fields: { name: 'the name as you gave it', released: 'always true' } } },
  ],
  declare(command) {
    command
      .argument('<name>', 'reserved name of a set', nonEmpty)
      .option('-y, --yes', 'do not ask for confirmation');
  },
  run: runSetsRelease,
} satisfies CommandModule;

async function runSetsRelease(
  name: string,
  { yes = false }: { readonly yes?: boolean },
  context: CommandContext,
): Promise<number> {
  const question = `Release the name ${clean(name)}? Everybody can then have it, and the address of its pack.`;
  if (!yes && !(await confirm(question, context))) {
    context.messages.say('Nothing was released.');
    return exitStatus('failed');
  }
  await withSets(context, (sets, call) => sets.releaseName(name, call));
  if (context.flags.json) context.io.out.write(jsonDocument({ name, released: true }));
  else context.messages.say(`Released the name ${clean(name)}.`);
  return exitStatus('done');
}
