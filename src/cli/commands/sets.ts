import { parseEntry } from '../../batch/lockfile/entries.ts';
import {
  MAX_SET,
  type ReservedSetName,
  type SetEdit,
  type SkinSet,
  type SkinSetSummary,
  setNameProblem,
} from '../../protocol/set.ts';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { exitStatus, usageError } from '../errors/exit.ts';
import { listOf, offered, oneOf, type Request, verifyUuids } from '../nouns.ts';
import { nonEmpty } from '../options/option-values.ts';
import { visibilityOption } from '../options/skin-options.ts';
import {
  doneViews,
  type Fields,
  fieldColumns,
  printRows,
  type Table,
  tableOutput,
} from '../output/described.ts';
import { isoTime } from '../output/results.ts';
import { addYesOption, agrees, readBounded, type TypedYes } from '../terminal/read-input.ts';
import { clean, jsonDocument } from '../text/text.ts';
import { SKIN_COLUMNS, SKIN_TABLE, skinListView } from './skins.ts';

const FIELDS: Fields<ReturnType<typeof summaryView>> = {
  uuid: 'UUID of the set',
  name: 'name of the set',
  slug: 'the name as used in URLs',
  visibility: 'public, unlisted or private',
  size: 'number of skins in it that you may see',
  createdAt: 'when it was made',
  changedAt: 'when it was last changed',
};

const TABLE: Table<SkinSetSummary> = {
  columns: fieldColumns<SkinSetSummary>('slug', 'size', 'visibility', 'uuid', 'name'),
  fields: FIELDS,
  shown: { NAME: 'name', SKINS: 'size', VISIBILITY: 'visibility', UUID: 'uuid' },
  view: summaryView,
};

const SET_TABLE: Table<SkinSet> = {
  columns: TABLE.columns,
  fields: {
    ...FIELDS,
    skins: { about: 'the skins in it that you may see, in order', fields: SKIN_TABLE.fields },
  } satisfies Fields<ReturnType<typeof setView>>,
  shown: { NAME: 'name', SKINS: 'size', VISIBILITY: 'visibility', UUID: 'uuid' },
  view: setView,
};

/** A set with its times in ISO 8601. */
function summaryView<Set extends SkinSetSummary>(set: Set) {
  return { ...set, createdAt: isoTime(set.createdAt), changedAt: isoTime(set.changedAt) };
}

function setView(set: SkinSet) {
  return { ...summaryView(set), skins: set.skins.map(skinListView) };
}

/** @throws CliError `not_offered` at services without sets */
const withSets = offered({ what: 'use sets', about: ['set_not_found', 'skin_not_found'] });

export const setsList = {
  description: 'List your sets of skins, newest first.',
  examples: {
    'List your sets': 'skinsmith sets list',
    'List the public sets of all users': 'skinsmith sets list --public',
  },
  ...listOf(TABLE, {
    what: 'sets',
    usual: 30,
    declare: (command) => command.option('--public', 'list the public sets of all users'),
    read: ({ account, call }, page, { public: isPublic = false }: { readonly public?: boolean }) =>
      account.sets.list({ ...page, isPublic }, call),
    open: withSets,
  }),
} satisfies CommandModule;

const SET_ARGUMENT = 'name or UUID of a set';

export const setsGet = {
  description: 'List the skins in a set, in its order.',
  examples: {
    'List the skins in a set': 'skinsmith sets get guards',
    'Print a set with its skins': 'skinsmith sets get guards --json',
  },
  output: [
    {
      ...tableOutput('object', SET_TABLE),
      columns: SKIN_COLUMNS,
      columnMeanings: {
        uuid: 'UUID of the skin',
        variant: 'classic, slim or unknown',
        visibility: 'public, unlisted or private',
        name: 'name of the skin',
      },
    },
  ],
  declare: (command) => command.argument('<set>', SET_ARGUMENT, nonEmpty),
  run: runSetsGet,
} satisfies CommandModule;

async function runSetsGet(name: string, context: CommandContext): Promise<void> {
  const { io, flags } = context;
  const set = await withSets(context, ({ sets }, call) => sets.get(name, call));
  if (flags.json) io.out.write(jsonDocument(setView(set)));
  else await printRows(set.skins, SKIN_TABLE, context, 'No skins.');
}

export const setsCreate = {
  description:
    'Group skins into a set with its own page, zip, lockfile and resource pack.\n' +
    'Anyone can find a public set by name; an unlisted one only by its UUID.',
  examples: {
    'Make a set with a skin': 'skinsmith sets create guards UUID',
    'Make a set of all skins that a batch has made': 'skinsmith sets create team --from signed/skins.lock',
  },
  declare: (command) =>
    command
      .argument('<name>', 'name of the set', nonEmpty)
      .argument('[uuid...]', `UUIDs of skins, at most ${MAX_SET}`)
      .option('--from <lockfile>', 'add the skins in a lockfile, as generate writes it', nonEmpty)
      .addOption(visibilityOption('who can find the set')),
  ...oneOf(SET_TABLE, createSet, { open: withSets }),
} satisfies CommandModule;

async function createSet(
  context: CommandContext,
  name: string,
  uuids: readonly string[],
  { from, visibility }: { readonly from?: string; readonly visibility?: SkinVisibility },
): Promise<Request<SkinSet>> {
  verifySetName(name);
  verifyUuids(uuids, context);
  const skins = [...uuids, ...(await uuidsIn(from))];
  const input = { name, skins, ...(visibility && { visibility }) };
  return ({ sets }, call) => sets.create(input, call);
}

function verifySetName(name: string): void {
  const problem = setNameProblem(name);
  if (problem !== undefined) throw usageError('invalid_name', `The name of a set may contain ${problem}.`);
}

/** The skins in a lockfile, each once. @throws LockfileError */
async function uuidsIn(path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
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
  description: 'Edit the name, visibility or skins of one of your sets.',
  examples: {
    'Put another skin into a set': 'skinsmith sets edit team --add UUID',
    'Show a set only to people who have its address': 'skinsmith sets edit guards --visibility unlisted',
  },
  declare: (command) =>
    command
      .argument('<set>', SET_ARGUMENT, nonEmpty)
      .option('--name <name>', 'new name', nonEmpty)
      .option('--add <uuid...>', 'put these skins at the end')
      .option('--from <lockfile>', 'put the skins in a lockfile at the end', nonEmpty)
      .option('--remove <uuid...>', 'take these skins out')
      .addOption(visibilityOption('who can find the set')),
  ...oneOf(SET_TABLE, editSet, { open: withSets }),
} satisfies CommandModule;

async function editSet(
  context: CommandContext,
  set: string,
  { from, ...options }: SetsEditOptions,
): Promise<Request<SkinSet>> {
  if (options.name !== undefined) verifySetName(options.name);
  verifyUuids([...(options.add ?? []), ...(options.remove ?? [])], context);
  const add = [...(options.add ?? []), ...(await uuidsIn(from))];
  const edit = { ...options, add: add.length > 0 ? add : undefined };
  verifyEdit(edit);
  return ({ sets }, call) => sets.edit(set, edit, call);
}

function verifyEdit(edit: SetEdit): void {
  if (Object.values(edit).some((value) => value !== undefined)) return;
  const message = 'Nothing to change: give --name, --visibility, --add, --from or --remove.';
  throw usageError('nothing_to_change', message);
}

const DELETED = doneViews('set', 'the set as you named it', 'deleted');
export const setsDelete = {
  description:
    'Delete one of your sets; its skins stay.\nAsks for confirmation first; without a terminal, --yes is required.',
  examples: {
    'Delete a set': 'skinsmith sets delete team --yes',
    'Delete a set, and print JSON': 'skinsmith sets delete guards --yes --json',
  },
  output: [{ json: { shape: 'object', fields: DELETED.fields } }],
  declare: (command) => addYesOption(command.argument('<set>', SET_ARGUMENT, nonEmpty)),
  async run(set: string, { yes }: TypedYes, context: CommandContext): Promise<number> {
    const question = `Delete the set ${clean(set)}? Its skins stay.`;
    if (!(await agrees(question, { yes, done: 'deleted' }, context))) return exitStatus('failed');
    await withSets(context, ({ sets }, call) => sets.delete(set, call));
    return tell(`Deleted the set ${clean(set)}.`, DELETED.view(set), context);
  },
} satisfies CommandModule;

function tell(said: string, view: object, { flags, io, messages }: CommandContext): number {
  if (flags.json) io.out.write(jsonDocument(view));
  else messages.say(said);
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
    'When one of your public sets is renamed, hidden or deleted, nobody else can use its name, because game servers may have the address of its pack.',
  examples: {
    'List your reserved names': 'skinsmith sets names',
    'List them with the sets to which they lead, as JSON': 'skinsmith sets names --json',
  },
  ...listOf(NAMES_TABLE, {
    what: 'reserved names',
    read: ({ account, call }) => account.sets.reservedNames(call),
    open: withSets,
  }),
} satisfies CommandModule;

const RELEASED = doneViews('name', 'the name as you gave it', 'released');
export const setsRelease = {
  description:
    'Let everyone have a reserved name of yours. Game servers that have the address of its pack may then get the pack of another user.\n' +
    "Operators can release any user's. Asks for confirmation first; without a terminal, --yes is required.",
  examples: {
    'Release a name': 'skinsmith sets release guards --yes',
    'Release a name, and print JSON': 'skinsmith sets release team --yes --json',
  },
  output: [{ json: { shape: 'object', fields: RELEASED.fields } }],
  declare: (command) => addYesOption(command.argument('<name>', 'reserved name of a set', nonEmpty)),
  async run(name: string, { yes }: TypedYes, context: CommandContext): Promise<number> {
    const question = `Release the name ${clean(name)}? Everyone can then have it, and the address of its pack.`;
    if (!(await agrees(question, { yes, done: 'released' }, context))) return exitStatus('failed');
    await withSets(context, ({ sets }, call) => sets.releaseName(name, call));
    return tell(`Released the name ${clean(name)}.`, RELEASED.view(name), context);
  },
} satisfies CommandModule;
