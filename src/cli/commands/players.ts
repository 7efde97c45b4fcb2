import type { AccountClient } from '../../client/account-client.ts';
import { ServiceError, UnreadableAnswerError } from '../../client/errors.ts';
import { type OwnPlayerName, type Player, type WearInput, wornPlayerSchema } from '../../protocol/player.ts';
import { type CommandContext, type CommandModule, connectWithProgress } from '../context/context.ts';
import { CliError, exitStatus, usageError } from '../errors/exit.ts';
import { capeIn, listOf, MAX_BULK, offered, oneOf, type Request, verifyUuids } from '../nouns.ts';
import { nonEmpty } from '../options/option-values.ts';
import {
  doneViews,
  type Fields,
  fieldColumns,
  printRow,
  type Table,
  tableOutput,
} from '../output/described.ts';
import { addYesOption, agrees, readBounded, type TypedYes } from '../terminal/read-input.ts';
import { clean, jsonDocument } from '../text/text.ts';

type Asked = Parameters<Request<unknown>>;

/** @throws CliError `not_offered` */
const withPlayers = offered({
  what: 'let player names wear skins',
  about: ['player_not_found', 'skin_not_found', 'user_not_found'],
});

const PLAYER_TABLE: Table<Player, ReturnType<typeof playerView>> = {
  columns: {
    ...fieldColumns<Player>('name', 'id', 'variant'),
    skin: ({ skin }) => skin?.url,
    cape: ({ cape }) => cape?.url,
    ...fieldColumns<Player>('user'),
  },
  fields: {
    name: 'the name, as last written',
    id: 'UUID of the player on servers in offline mode',
    variant: 'classic or slim',
    skin: 'URL of the texture; absent: it wears no skin',
    cape: 'URL of the cape; absent: none',
    value: 'the texture value, in base64',
    signature: 'the signature of the value, in base64',
    user: 'user who has the name; like the fields below, only for that user and for operators',
    history: {
      about: 'the last ten changes, newest first',
      fields: {
        at: 'when',
        by: 'the user who made the change; absent: the user no longer exists',
        skin: 'UUID of the skin; absent: none',
        hash: 'hash of its texture',
        cape: 'hash of the cape; absent: none',
      },
    },
  },
  shown: { NAME: 'name', VARIANT: 'variant', SKIN: ({ skin }) => skin?.url ?? '', USER: 'user' },
  view: playerView,
};

/** What a name wears, without what only programs read. */
function playerView({ skin, cape, ...player }: Player) {
  const { name, id, variant, value, signature, user, history } = player;
  return { name, id, variant, skin: skin?.url, cape: cape?.url, value, signature, user, history };
}

const NAME_TABLE: Table<OwnPlayerName> = {
  columns: fieldColumns<OwnPlayerName>('name', 'user', 'skin', 'hash', 'cape', 'id', 'changedAt'),
  fields: {
    name: 'the name, as last written',
    id: 'UUID of the player on servers in offline mode',
    hash: 'hash of the texture; absent or empty: it wears no skin',
    skin: 'UUID of the skin, which may be deleted by now',
    cape: 'hash of the cape; absent or empty: none',
    user: 'user who has the name',
    changedAt: 'when it was last changed',
  },
  shown: { NAME: 'name', USER: 'user', SKIN: 'skin' },
};

const NAME_ARGUMENT = 'name of a player';

interface WearOptions extends TypedYes {
  readonly as: string;
  readonly cape?: string;
  readonly for?: string;
}

export const wear = {
  description:
    'Let a player name of a skinsmith service wear a skin. The name keeps the skin until it is changed, even if the skin is deleted.\n' +
    'Asks for confirmation if the skin is private, because everyone sees what a name wears; without a terminal, --yes is required.',
  examples: {
    'Let a name wear a skin': 'skinsmith wear UUID --as Steve',
    'Give a name to a user without a skin (operators only)': 'skinsmith wear --as Herobrine --for owner',
  },
  output: [tableOutput('object', PLAYER_TABLE)],
  declare: (command) =>
    addYesOption(
      command
        .argument('[skin]', 'UUID of the skin')
        .requiredOption('--as <name>', 'name of the player', nonEmpty)
        .option('--cape <cape>', 'UUID or alias of a cape; none for no cape (default: the cape of the skin)')
        .option('--for <user>', 'user who gets the name (operators only)', nonEmpty),
    ),
  async run(skin: string | undefined, typed: WearOptions, context: CommandContext): Promise<number> {
    const { as: name, cape, for: user, yes } = typed;
    verifyName(name);
    if (skin !== undefined) verifyUuids([skin], context);
    if (skin === undefined && cape === undefined && user === undefined)
      throw usageError('nothing_to_change', 'Nothing to change.', 'See: skinsmith wear --help');
    const wish = { ...(skin !== undefined && { skin }), ...(user !== undefined && { user }) };
    const player = await withPlayers(context, async (account, call) => {
      const full = { ...wish, ...(cape !== undefined && { cape: await capeNamed(cape, context) }) };
      if (skin === undefined || !(await isPrivate(skin, context)))
        return await account.players.wear(name, full, call);
      const question = `The skin ${skin} is private. Everyone sees what a player wears. Let ${clean(name)} wear it?`;
      if (!(await agrees(question, { yes, done: 'changed' }, context))) return undefined;
      return await account.players.wear(name, { ...full, publish: true }, call);
    });
    if (!player) return exitStatus('failed');
    printRow(player, PLAYER_TABLE, context);
    return exitStatus('done');
  },
} satisfies CommandModule;

function verifyName(name: string): void {
  if (wornPlayerSchema.safeParse(name).success) return;
  throw usageError(
    'not_a_player',
    `"${clean(name)}" is not the name of a player.`,
    'Names have 1 to 16 letters, digits and _. A name that the service knows may be given by UUID.',
  );
}

export async function isPrivate(uuid: string, context: CommandContext): Promise<boolean> {
  const { client } = await connectWithProgress(await context.settings(), context);
  return (await client.skin(uuid, { signal: context.signal })).visibility === 'private';
}

async function capeNamed(cape: string, context: CommandContext): Promise<string | null> {
  if (cape === 'none') return null;
  const { client } = await connectWithProgress(await context.settings(), context);
  return capeIn(await client.capes({ signal: context.signal }), cape, context).uuid;
}

export const playersList = {
  description: 'List your player names and what they wear.',
  examples: {
    'List your player names': 'skinsmith players list',
    'List the names of all users (operators only)': 'skinsmith players list --all-users --all',
  },
  ...listOf<OwnPlayerName, { readonly allUsers?: boolean }>(NAME_TABLE, {
    what: 'player names',
    usual: 100,
    declare: (command) => command.option('--all-users', 'list the names of all users (operators only)'),
    read: ({ account, call }, page, { allUsers = false }) =>
      account.players.list({ ...page, all: allUsers }, call),
    open: withPlayers,
  }),
} satisfies CommandModule;

export const playersGet = {
  description: 'Print what a player name wears; for its user and for operators, also its last ten changes.',
  examples: {
    'Print what a name wears': 'skinsmith players get Steve',
    'Print its history, too': 'skinsmith players get Steve --json',
  },
  declare: (command) => command.argument('<name>', NAME_ARGUMENT, nonEmpty),
  ...oneOf(PLAYER_TABLE, (_, name: string) => (account, call) => account.players.get(name, call), {
    open: withPlayers,
  }),
} satisfies CommandModule;

const RELEASED = doneViews('name', 'the name as you gave it', 'released');
export const playersRelease = {
  description:
    'Release a player name: it no longer shows a skin, its history is deleted, and others may have it.\n' +
    "Operators can release any user's. Asks for confirmation first; without a terminal, --yes is required.",
  examples: {
    'Release a name': 'skinsmith players release Steve --yes',
    'Release a name, and print JSON': 'skinsmith players release Alex --yes --json',
  },
  output: [{ json: { shape: 'object', fields: RELEASED.fields } }],
  declare: (command) => addYesOption(command.argument('<name>', NAME_ARGUMENT, nonEmpty)),
  async run(name: string, { yes }: TypedYes, context: CommandContext): Promise<number> {
    verifyName(name);
    const question = `Release the player name ${clean(name)}? Others may then have it.`;
    if (!(await agrees(question, { yes, done: 'released' }, context))) return exitStatus('failed');
    await withPlayers(context, ({ players }, call) => players.release(name, call));
    if (context.flags.json) context.io.out.write(jsonDocument(RELEASED.view(name)));
    else context.messages.say(`Released the player name ${clean(name)}.`);
    return exitStatus('done');
  },
} satisfies CommandModule;

/** Lines of a list of names. */
const MAX_LINES = 20_000;
const COLUMNS = ['name', 'skin', 'cape', 'user'] as const;
type Line = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

const IMPORTED: Fields<{ name: string; done: boolean; error: string | undefined }> = {
  name: 'the name as the list has it',
  done: 'whether the service has accepted the line',
  error: 'why not; absent: it has',
};

export const playersImport = {
  description:
    'Let many player names wear skins: one for each line of a CSV file (operators only, for names of others).\n' +
    'Its first line names the columns: name, and any of skin (UUID), cape (UUID) and user. Private skins are refused, and a refused line does not stop the others.',
  examples: {
    'Import names': 'skinsmith players import names.csv',
    'Import names, and print JSON': 'skinsmith players import names.csv --json',
  },
  output: [{ json: { shape: 'list', fields: IMPORTED } }],
  declare: (command) => command.argument('<file>', 'CSV file with the columns name, skin, cape and user'),
  async run(file: string, context: CommandContext): Promise<number> {
    const lines = await linesOf(Buffer.from(await readBounded(file)).toString('utf8'));
    for (const { name = '' } of lines) verifyName(name);
    const outcomes = await withPlayers(context, async (account, call) => {
      const all = [];
      for (const line of lines) all.push(await importLine(account, line, call));
      return all;
    });
    const failed = outcomes.filter(({ done }) => !done);
    for (const { name, error = '' } of failed) context.messages.say(`${name}: ${clean(error)}`);
    if (context.flags.json) context.io.out.write(jsonDocument(outcomes));
    if (outcomes.length === 0) context.messages.say('The list has no names.');
    else context.messages.say(`Imported ${outcomes.length - failed.length} of ${outcomes.length} names.`);
    return exitStatus(failed.length === 0 ? 'done' : 'failed');
  },
} satisfies CommandModule;

/** @throws CliError `unusable_list` for what is no CSV, a list without the column `name`, or one of too many lines */
async function linesOf(text: string): Promise<Line[]> {
  const { CsvError, parse } = await import('csv-parse/sync'); // loaded on demand: the parser is large
  const [head = ''] = text.split('\n', 1);
  const delimiter = [',', ';', '\t'].find((one) => head.includes(one)) ?? ',';
  let header: string[] = [];
  const columns = (cells: string[]) => (header = cells.map((column) => column.toLowerCase()));
  const limits = { to: MAX_LINES + 1, skip_empty_lines: true, relax_column_count_less: true };
  try {
    const lines = parse<Line>(text, { bom: true, trim: true, delimiter, columns, ...limits });
    const isKnown = header.every((column) => (COLUMNS as readonly string[]).includes(column));
    if (!header.includes('name') || !isKnown || lines.length > MAX_LINES) throw notAList('');
    return lines.map((line) => Object.fromEntries(Object.entries(line).filter(([, cell]) => cell !== '')));
  } catch (error) {
    throw error instanceof CsvError ? notAList(` ${error.message}`) : error;
  }
}

function notAList(reason: string): CliError {
  return new CliError('unusable_list', `This is not a list of player names.${clean(reason)}`, {
    hint: `Its first line must be name,skin,cape,user or some of these; at most ${MAX_LINES} lines may follow.`,
  });
}

async function importLine(account: AccountClient, { name = '', ...wish }: Line, call: Asked[1]) {
  try {
    await account.players.wear(name, wish satisfies WearInput, call);
    return { name, done: true };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 429) throw error;
    return { name, done: false, error: error.message };
  }
}

/** Names that a question mentions. */
const NAMED = 5;

/** What becomes of the user's names that wear skins which are to be deleted; empty if none does. */
export async function wearersNote(
  uuids: readonly string[],
  { undress = false }: { readonly undress?: boolean | undefined },
  ...[{ players }, call]: Asked
): Promise<string> {
  const names: string[] = [];
  try {
    for (let at = 0; at < uuids.length && names.length <= NAMED; at += MAX_BULK) {
      const skins = uuids.slice(at, at + MAX_BULK);
      const { entries } = await players.list({ skins, size: NAMED + 1 }, call);
      names.push(...entries.map(({ name }) => clean(name)));
    }
  } catch (error) {
    const isAnswer = error instanceof ServiceError || error instanceof UnreadableAnswerError;
    if (!isAnswer || error.status >= 429) throw error; // otherwise it has no player names, or this key may not list them
  }
  if (names.length === 0) return '';
  const said = names.length > NAMED ? [...names.slice(0, NAMED), 'others'] : names;
  const list = new Intl.ListFormat('en-GB').format(said);
  const [isOne, it] = [names.length === 1, uuids.length === 1 ? 'it' : 'them'];
  return undress
    ? ` ${list} ${isOne ? 'wears' : 'wear'} ${it} and ${isOne ? 'shows' : 'show'} nothing afterwards.`
    : ` ${list} ${isOne ? 'goes' : 'go'} on wearing ${it} (--undress takes ${it} off).`;
}
