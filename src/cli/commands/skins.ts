import { Option } from 'commander';
import { type FinishedSkin, finishedSkin, type SourceProblem } from '../../batch/model.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { BulkEdited, CallOptions, PageQuery, SkinDeletion } from '../../client/types.ts';
import {
  SKIN_NAME_RULE,
  type ReceivedSkin as Skin,
  type SkinEdit,
  type SkinListItem,
  type SkinVisibility,
  skinNameProblem,
} from '../../protocol/skin.ts';
import { type CommandContext, type CommandModule, connectWithProgress } from '../context/context.ts';
import { reportOf } from '../errors/error-report.ts';
import { exitStatus, usageError } from '../errors/exit.ts';
import { inBulk, readPages, skinsText, verifyUuids, whereOffered } from '../nouns.ts';
import {
  addLimitOptions,
  limitOf,
  nonEmpty,
  type TypedLimit,
  truncationNote,
} from '../options/option-values.ts';
import {
  addFormatOption,
  armVariantOption,
  type TypedOutputOptions,
  visibilityOption,
} from '../options/skin-options.ts';
import {
  type CommandOutput,
  columnRows,
  doneViews,
  type Fields,
  fieldColumns,
  printRow,
  type Table,
  tableOutput,
  tableText,
} from '../output/described.ts';
import {
  isoTime,
  openFormats,
  RESULT_COLUMNS,
  ResultPrinter,
  resultView,
  sayWhereToPaste,
} from '../output/results.ts';
import { addPictureOption, type TypedPictureOption } from '../output/terminal-picture.ts';
import { packNamed } from '../pack/pack-skins.ts';
import { resultPictures, textureOf } from '../preview.ts';
import { colorsFor } from '../terminal/io.ts';
import { printFailure } from '../terminal/messages.ts';
import { addYesOption, agrees, type TypedYes } from '../terminal/read-input.ts';
import { clean, count, jsonDocument } from '../text/text.ts';
import { wearersNote } from './players.ts';

type Row = Pick<SkinListItem, 'uuid' | 'variant' | 'visibility' | 'name'>;

export const SKIN_COLUMNS = fieldColumns<Row>('uuid', 'variant', 'visibility', 'name');

const COMMON = {
  uuid: 'UUID of the skin',
  name: 'name of the skin',
  visibility: 'public, unlisted or private',
  variant: 'classic, slim or unknown',
  views: 'how often the skin was viewed',
  likes: 'how many users like the skin, if the service counts them',
};

export const SKIN_TABLE: Table<Row, SkinListView> = {
  columns: SKIN_COLUMNS,
  fields: {
    ...COMMON,
    texture: {
      about: 'the texture; services send its hash, its URL or both',
      fields: { url: 'URL of the texture', hash: 'hash of the texture' },
    },
  },
  shown: { UUID: 'uuid', VARIANT: 'variant', VISIBILITY: 'visibility', NAME: 'name' },
};

const SKIN_FIELDS: Fields<ReturnType<typeof skinView>> = {
  ...COMMON,
  shortId: 'the first eight digits of the UUID',
  texture: {
    about: 'the texture',
    fields: { url: 'URL of the texture', hash: 'hash of the texture' },
  },
  cape: { about: 'the cape, if there is one', fields: { url: 'URL of the cape', hash: 'hash of the cape' } },
  createdAt: 'when it was made',
  generator: {
    about: 'how the skin was made, as the service describes it',
    fields: {
      version: 'version of the generator',
      seconds: 'how long it took',
      account: 'ID of the game account',
      server: 'name of the server',
      worker: 'name of the worker',
    },
  },
  tags: 'tags of the skin',
  duplicate: 'whether the service had the skin already',
  value: 'the texture value, in base64',
  signature: 'the signature of the value, in base64',
};

const SKIN_EDIT_OUTPUT: CommandOutput = {
  columns: SKIN_COLUMNS,
  json: { shape: 'object or list', fields: SKIN_FIELDS },
};

type SkinListView = ReturnType<typeof skinListView>;

/** The skin of a list, with the names that results use. */
export function skinListView({ uuid, name, visibility, variant, views, likes, texture }: SkinListItem) {
  return { uuid, name, visibility, variant, views, likes, texture: listedTexture(texture) };
}

function listedTexture(sent: unknown): { readonly url?: string; readonly hash?: string } | undefined {
  if (typeof sent !== 'string') return undefined;
  return URL.canParse(sent) ? { url: sent, hash: sent.split('/').at(-1)! } : { hash: sent };
}

/** All that the API says about a skin, with the names that results use. */
function skinView({ texture: { data, url, hash }, generator, tags, ...skin }: Skin) {
  const { timestamp, duration, ...made } = generator ?? {};
  return {
    ...skin,
    ...data,
    texture: { url: url.skin, hash: hash.skin },
    cape: url.cape === undefined ? undefined : { url: url.cape, hash: hash.cape },
    createdAt: timestamp === undefined ? undefined : isoTime(timestamp),
    generator: generator && { ...made, seconds: duration === undefined ? undefined : duration / 1000 },
    tags: tags?.flatMap(tagText),
  };
}

/** Services send a tag as text, or as an object. */
function tagText(sent: unknown): string[] {
  if (typeof sent === 'string') return [sent];
  const isObject = typeof sent === 'object' && sent !== null && 'tag' in sent;
  return isObject && typeof sent.tag === 'string' ? [sent.tag] : [];
}

const LISTING = { what: 'skins', usual: 30 };
/** Maximum number of pages without a skin that a search reads before it stops, unless all are wanted. */
const MAX_EMPTY = 200;
const OWN_SKINS = { what: 'list your skins', about: ['user_not_found'] };

interface SkinsListOptions extends TypedLimit {
  readonly public?: boolean;
  readonly filter?: string;
  readonly variant?: 'classic' | 'slim';
  readonly visibility?: SkinVisibility;
  readonly tag?: string;
  readonly sort?: 'newest' | 'popular' | 'week';
}

export const skinsList = {
  description: 'List your skins, newest first.\n' + 'With --public, lists the public skins of all users.',
  examples: {
    'List your skins': 'skinsmith skins list',
    'Find the most viewed public skins with a word in their names':
      'skinsmith skins list --public --filter smith --sort popular',
    'Count all of your private skins': 'skinsmith skins list --visibility private --all | wc -l',
  },
  output: [tableOutput('list', SKIN_TABLE)],
  declare(command) {
    command
      .option('--public', 'list the public skins of all users')
      .option('--filter <text>', 'list only skins whose names contain all of these words')
      .addOption(armVariantOption('list only skins with this arm variant'))
      .addOption(visibilityOption('list only your skins with this visibility').conflicts('public'))
      .option('--tag <tag>', 'list only skins with this tag', nonEmpty)
      .addOption(
        new Option(
          '--sort <order>',
          'sort order; with --public also popular (most viewed) and week (most viewed in seven days)',
        ).choices(['newest', 'popular', 'week']),
      );
    addLimitOptions(command, LISTING);
  },
  async run(options: SkinsListOptions, context: CommandContext): Promise<void> {
    const { client } = await connectWithProgress(await context.settings(), context);
    const { entries, isCut, total } = await readPages(
      limitOf(options, LISTING),
      skinReader(client, options, context.signal),
      options.all ? Number.POSITIVE_INFINITY : MAX_EMPTY,
    );
    await context.seenNames.add(
      'skins',
      entries.map(({ uuid, name }) => ({ value: uuid, about: name })),
    );
    if (context.flags.json) context.io.out.write(jsonDocument(entries.map(skinListView)));
    else if (entries.length === 0 && !isCut) await context.messages.note('No skins.');
    else context.io.out.write(tableText(entries, SKIN_TABLE, context));
    if (isCut) context.messages.say(leftOut(entries.length, total));
  },
} satisfies CommandModule;

function leftOut(shown: number, total: number | undefined): string {
  if (shown === 0) return 'No match among the skins searched. To search all of them: --all';
  return truncationNote(shown, LISTING, total === undefined ? undefined : count(total));
}

function skinReader(
  client: SkinClient,
  { limit: _, all: __, public: isPublic, ...wanted }: SkinsListOptions,
  signal: AbortSignal,
) {
  return async (page: Pick<PageQuery, 'after' | 'size'>) => {
    const query = { ...wanted, ...page };
    const { skins, ...rest } = isPublic
      ? await client.publicSkins(query, { signal })
      : await whereOffered(OWN_SKINS, async () => await client.ownSkins(query, { signal }));
    return { entries: skins, ...rest };
  };
}

export const skinsGet = {
  description: 'Print skins with their values and signatures.',
  examples: {
    'Print a skin': 'skinsmith skins get UUID',
    'Print a command that gives you a head with a skin': 'skinsmith skins get UUID --format give',
  },
  output: [
    {
      columns: RESULT_COLUMNS,
      columnMeanings: {
        source: 'name of the skin, or its UUID',
        status: 'always completed',
        job: 'always empty',
      },
      json: { shape: 'object or list', fields: SKIN_FIELDS },
    },
  ],
  declare: (command) => addPictureOption(addFormatOption(command.argument('<uuid...>', 'UUIDs of skins'))),
  async run(
    uuids: readonly string[],
    options: TypedOutputOptions & TypedPictureOption,
    context: CommandContext,
  ): Promise<number> {
    verifyUuids(uuids, context);
    const settings = await context.settings({ format: options.format });
    const pack = await packNamed(options, context.messages);
    const formats = openFormats(settings.format, { pack });
    const connection = await connectWithProgress(settings, context);
    const { client } = connection;
    const skins = [];
    for (const uuid of uuids) skins.push(await client.skin(uuid, { signal: context.signal }));
    if (context.flags.json && (formats === undefined || formats.join() === 'json')) {
      const views = skins.map(skinView);
      const document = uuids.length > 1 ? views : views[0];
      context.io.out.write(jsonDocument(document));
      return exitStatus('done');
    }
    const isList = uuids.length > 1;
    const printer = new ResultPrinter(context.io, {
      json: context.flags.json ?? false,
      ndjson: false,
      formats,
      isList,
      pictures: isList
        ? undefined
        : resultPictures(options, async (skin) => await textureOf(skin, connection, context.signal), context),
    });
    const problemOf = async (skin: FinishedSkin) =>
      await pack?.problemOf(skin, async () => await textureOf(skin, connection, context.signal));
    const isDone = await printSkins(skins, problemOf, { printer, context });
    const [skin] = skins;
    if (skin && isDone && !isList) sayWhereToPaste(formats, { skin: finishedSkin(skin) }, context);
    return exitStatus(isDone ? 'done' : 'failed');
  },
} satisfies CommandModule;

/** @returns whether none has a problem */
async function printSkins(
  skins: readonly Skin[],
  problemOf: (skin: FinishedSkin) => Promise<SourceProblem | undefined>,
  { printer, context }: { readonly printer: ResultPrinter; readonly context: CommandContext },
): Promise<boolean> {
  let failed = 0;
  for (const skin of skins) {
    const finished = finishedSkin(skin);
    const error = await problemOf(finished);
    if (error) failed++;
    if (error) await printFailure(skin.uuid, error, context);
    await printer.add(
      resultView({ source: skin.name ?? skin.uuid, ...(error ? { error } : { skin: finished }) }),
    );
  }
  printer.end();
  return failed === 0;
}

interface SkinsEditOptions {
  /** An empty string removes the name. */
  readonly name?: string;
  readonly visibility?: SkinVisibility;
  /** All tags, separated by commas; an empty string removes all. */
  readonly tags?: string;
}

export const skinsEdit = {
  description: 'Edit the name, visibility or tags of your skins.\nSeveral skins get the same change.',
  examples: {
    'Rename a skin': 'skinsmith skins edit UUID --name Smith',
    'Hide all your skins with draft in their names from public lists':
      'skinsmith skins list --filter draft --all | cut -f1 | xargs -r skinsmith skins edit --visibility unlisted',
  },
  output: [SKIN_EDIT_OUTPUT],
  declare: (command) =>
    command
      .argument('<uuid...>', 'UUIDs of skins')
      .option('--name <name>', `new name: ${SKIN_NAME_RULE}; an empty one ("") removes the name`)
      .addOption(visibilityOption('who can find the skins'))
      .option('--tags <tags>', 'all tags, separated by commas; an empty list ("") removes them'),
  async run(
    uuids: readonly string[],
    { tags, ...rest }: SkinsEditOptions,
    context: CommandContext,
  ): Promise<number> {
    verifyUuids(uuids, context);
    const edit = { ...rest, ...(tags !== undefined && { tags: tagsIn(tags) }) };
    verifyEdit(edit);
    const { client } = await connectWithProgress(await context.settings(), context);
    const [only = '', ...others] = uuids;
    return others.length === 0
      ? await editOne(only, edit, { client, context })
      : await editMany(uuids, edit, { client, context });
  },
} satisfies CommandModule;

function tagsIn(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

interface EditContext {
  readonly client: SkinClient;
  readonly context: CommandContext;
}

/** Other services too may offer to change a single skin. */
async function editOne(uuid: string, edit: SkinEdit, { client, context }: EditContext): Promise<number> {
  const skin = await whereOffered({ what: 'edit skins', about: ['skin_not_found'] }, () =>
    client.editSkin(uuid, edit, { signal: context.signal }),
  );
  printRow(skin, { ...SKIN_TABLE, view: () => skinView(skin) }, context);
  return exitStatus('done');
}

async function editMany(
  uuids: readonly string[],
  edit: SkinEdit,
  { client, context }: EditContext,
): Promise<number> {
  const views: SkinListView[] = [];
  const areAllThere = await inBulk(uuids, context, async (some) => {
    const outcome = await whereOffered({ what: 'edit several skins at once', about: [] }, () =>
      client.account.editSkins(some, edit, { signal: context.signal }),
    );
    views.push(...outcome.skins.map(skinListView));
    if (!context.flags.json) context.io.out.write(tableText(outcome.skins, SKIN_TABLE, context));
    return outcome;
  });
  if (context.flags.json) context.io.out.write(jsonDocument(views));
  return exitStatus(areAllThere ? 'done' : 'failed');
}

function verifyEdit(edit: SkinEdit): void {
  if (edit.name === undefined && edit.visibility === undefined && edit.tags === undefined) {
    throw usageError('nothing_to_change', 'Nothing to change: give --name, --visibility or --tags.');
  }
  const problem = edit.name ? skinNameProblem(edit.name) : undefined;
  if (problem !== undefined)
    throw usageError(
      'invalid_name',
      `The name "${clean(edit.name!)}" is invalid: names may contain ${problem}.`,
    );
}

const COLUMNS = fieldColumns<{ readonly uuid: string }>('uuid');

const DELETED = doneViews('uuid', 'UUID of the skin', 'deleted');
export const skinsDelete = {
  description:
    'Permanently delete your skins from the service.\n' +
    'Asks for confirmation first; without a terminal, --yes is required. Player names go on wearing deleted skins ' +
    'unless --undress is given. Prints the UUIDs of the deleted skins.',
  examples: {
    'Delete a skin without confirmation': 'skinsmith skins delete UUID --yes',
    'Delete all your skins with draft in their names':
      'skinsmith skins list --filter draft --all | cut -f1 | xargs -r skinsmith skins delete --yes',
  },
  output: [{ columns: COLUMNS, json: { shape: 'list', fields: DELETED.fields } }],
  declare: (command) =>
    addYesOption(
      command
        .argument('<uuid...>', 'UUIDs of skins')
        .option('--undress', 'also take the skins off your player names'),
    ),
  async run(uuids: readonly string[], typed: TypedDeletion, context: CommandContext): Promise<number> {
    verifyUuids(uuids, context);
    const { yes, undress } = typed;
    const connect = async () => (await connectWithProgress(await context.settings(), context)).client;
    const note =
      !yes && context.io.canPrompt
        ? await wearersNote(uuids, typed, (await connect()).account, { signal: context.signal })
        : '';
    const question = `Delete ${skinsText(uuids)}? This cannot be undone.${note}`;
    if (!(await agrees(question, { yes, done: 'deleted' }, context))) return exitStatus('failed');
    const client = await connect();
    const { good } = await colorsFor(context.io.out);
    const deleted: string[] = [];
    const tell = (some: readonly string[]) => {
      deleted.push(...some);
      if (context.flags.json) return;
      const { isTTY } = context.io.out;
      const rows = some.map((uuid) =>
        isTTY ? `${good('✔')} Deleted ${clean(uuid)}\n` : columnRows(COLUMNS, [{ uuid }]),
      );
      context.io.out.write(rows.join(''));
    };
    const areAllThere = await deleteAll(uuids, { client, context, undress, tell });
    if (context.flags.json) context.io.out.write(jsonDocument(deleted.map(DELETED.view)));
    return exitStatus(areAllThere ? 'done' : 'failed');
  },
} satisfies CommandModule;

interface TypedDeletion extends TypedYes {
  readonly undress?: boolean;
}

interface DeleteOptions extends SkinDeletion {
  readonly client: SkinClient;
  readonly context: CommandContext;
  readonly tell: (deleted: readonly string[]) => void;
}

/** A missing skin does not stop the others from being deleted. @returns whether none was missing */
async function deleteAll(
  uuids: readonly string[],
  { client, context, undress, tell }: DeleteOptions,
): Promise<boolean> {
  const call = { signal: context.signal, undress };
  return await inBulk(uuids, context, async (some) => {
    const [only = '', ...others] = some;
    const outcome = await whereOffered({ what: 'delete skins', about: ['skin_not_found'] }, async () =>
      others.length === 0
        ? await deleteOne(only, client, call)
        : await client.account.deleteSkins(some, call),
    );
    tell(outcome.done);
    return outcome;
  });
}

/** Other services too may offer to delete a single skin. */
async function deleteOne(
  uuid: string,
  client: SkinClient,
  call: CallOptions & SkinDeletion,
): Promise<BulkEdited> {
  try {
    await client.deleteSkin(uuid, call);
  } catch (error) {
    if (reportOf(error)?.code !== 'skin_not_found') throw error;
    return { done: [], missing: [uuid] };
  }
  return { done: [uuid], missing: [] };
}
