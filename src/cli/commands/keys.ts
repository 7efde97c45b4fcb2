import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ApiKey, ApiKeyChange, ApiKeyInput, ApiKeyMade, Scope } from '../../protocol/api-key.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { forService } from '../errors/service-hints.ts';
import type { SeenName } from '../history.ts';
import { eachOf, listOf, oneOf, verifyChange, withAccount } from '../nouns.ts';
import { network, nonEmpty, nonEmptyWords } from '../options/option-values.ts';
import { collect } from '../options/skin-options.ts';
import {
  columnRows,
  doneViews,
  type Fields,
  fieldColumns,
  printRow,
  type Table,
  tableOutput,
} from '../output/described.ts';
import { chooseStore } from '../serve/store.ts';
import { askSecret, readStdinText } from '../terminal/read-input.ts';
import { ago, clean, jsonDocument, masked } from '../text/text.ts';

interface TypedKeyOptions {
  readonly name?: string;
  readonly allowIp?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly allowAgent?: readonly string[];
  readonly v2Compat?: boolean;
  readonly scope?: readonly Scope[];
}

function addKeyOptions(command: Command): Command {
  return command
    .option('--name <name>', 'name of the key')
    .option(
      '--allow-ip <network>',
      'accept the key only from this address or network (CIDR) (repeatable)',
      network,
    )
    .option('--allow-origin <origin>', 'accept the key only from pages of this origin (repeatable)', collect)
    .option(
      '--allow-agent <name>',
      'accept the key only from this program, such as MyApp for MyApp/1.0 (repeatable)',
      collect,
    )
    .option(
      '--scope <scopes>',
      'what the key may do: read, generate, skins, account, operator (repeatable or comma-separated)',
      scopes,
    )
    .option('--v2-compat', 'route version 1 requests with this key through the version 2 queue')
    .option('--no-v2-compat', 'do not route them through the queue');
}

/** The same options, and those that remove bindings. */
interface TypedKeyChange extends TypedKeyOptions {
  readonly anyIp?: boolean;
  readonly anyOrigin?: boolean;
  readonly anyAgent?: boolean;
}

function addKeyChangeOptions(command: Command): Command {
  return addKeyOptions(command)
    .addOption(new Option('--any-ip', 'accept the key from any address again').conflicts('allowIp'))
    .addOption(new Option('--any-origin', 'accept the key from any page again').conflicts('allowOrigin'))
    .addOption(new Option('--any-agent', 'accept the key from any program again').conflicts('allowAgent'));
}

/** Converts the options to the fields of the service's API. */
function keyChange(typed: TypedKeyChange): ApiKeyChange {
  const allowedIps = typed.anyIp ? [] : typed.allowIp;
  const allowedOrigins = typed.anyOrigin ? [] : typed.allowOrigin;
  const allowedAgents = typed.anyAgent ? [] : typed.allowAgent;
  return {
    ...(typed.name !== undefined && { name: typed.name }),
    ...(allowedIps && { allowedIps: [...allowedIps] }),
    ...(allowedOrigins && { allowedOrigins: [...allowedOrigins] }),
    ...(allowedAgents && { allowedAgents: [...allowedAgents] }),
    ...(typed.scope && { scopes: [...typed.scope] }),
    ...(typed.v2Compat !== undefined && { v2Compat: typed.v2Compat }),
  };
}

/** Field names of the service's API; a table, so that the compiler reports a missing one. */
const SCOPES = { read: 1, generate: 1, skins: 1, account: 1, operator: 1 } as const satisfies Record<
  Scope,
  1
>;

function scopes(text: string, earlier: readonly Scope[] = []): Scope[] {
  const named = text.split(',').map((one) => one.trim());
  if (named.every((one): one is Scope => Object.hasOwn(SCOPES, one))) return [...earlier, ...named];
  throw new InvalidArgumentError(`The scopes are ${Object.keys(SCOPES).join(', ')}.`);
}

const KEY_FIELDS: Fields<ApiKey> = {
  id: 'ID of the key',
  name: 'name of the key',
  user: 'user that the key belongs to',
  last4: 'last four characters of the key',
  createdAt: 'when the key was created',
  lastUsedAt: 'when the key was last used',
  allowedIps: 'addresses and networks that may use it; empty: any',
  allowedOrigins: 'web origins that may use it; empty: any',
  allowedAgents: 'programs that may use it; empty: any',
  v2Compat: 'whether requests to version 1 of the API go through the queue',
  scopes: 'what the key may do: read, generate, skins, account, operator',
  generations: 'number of new skins requested with the key',
};

const TABLE: Table<ApiKey> = {
  columns: {
    ...fieldColumns<ApiKey>('id', 'last4', 'user', 'createdAt', 'lastUsedAt', 'name'),
    ...fieldColumns<ApiKey>('allowedIps', 'allowedOrigins', 'allowedAgents'),
    v2Compat: ({ v2Compat }) => (v2Compat ? 'v2-compat' : ''),
    ...fieldColumns<ApiKey>('scopes', 'generations'),
  },
  fields: KEY_FIELDS,
  shown: {
    ID: 'id',
    KEY: ({ last4 }) => masked(last4),
    USER: 'user',
    CREATED: ({ createdAt }, now) => ago(createdAt, now),
    'LAST USED': ({ lastUsedAt }, now) => ago(lastUsedAt, now) || 'never',
    NAME: 'name',
    SCOPES: ({ scopes = [] }) => scopes.join(', '),
    'BOUND TO': ({ allowedIps, allowedOrigins, allowedAgents }) =>
      [...allowedIps, ...allowedOrigins, ...allowedAgents].join(', '),
  },
};

/** The words that shells complete. */
function seenKey({ id, name, user }: ApiKey): SeenName {
  return { value: id, about: `${name} of ${user}` };
}

export const keysList = {
  description: 'List API keys of a skinsmith service.\n' + 'Shows only the last four characters of each key.',
  examples: {
    'List your keys': 'skinsmith keys list',
    'List the keys of a user': 'skinsmith keys list --user alice',
  },
  ...listOf(TABLE, {
    what: 'keys',
    seen: ['keys', seenKey],
    declare: (command) =>
      command.option('--user <user>', 'list the keys of this user (operators only; default: yourself)'),
    read: ({ account, call }, _, { user }: { readonly user?: string }) => account.keys(user, call),
  }),
} satisfies CommandModule;

export interface KeysCreateOptions extends TypedKeyOptions {
  readonly user?: string;
  /** Read the text of the key instead of making one up. */
  readonly import?: boolean;
  /** Write directly to the store on this machine, without an API key. */
  readonly owner?: boolean;
  readonly data?: string;
  readonly store?: string;
}

const CREATE_COLUMNS = fieldColumns<ApiKeyMade>('secret', 'id', 'name', 'user');

const FIELDS: Fields<ApiKeyMade> = { ...KEY_FIELDS, secret: 'the key itself, shown only this once' };
export const keysCreate = {
  description:
    'Create an API key for a skinsmith service.\n' + 'Prints the key once; it cannot be shown again.',
  examples: {
    'Create a key for yourself': 'skinsmith keys create laptop',
    'Create a key for a user that can only make skins, from one network':
      'skinsmith keys create ci --user alice --scope generate --allow-ip 203.0.113.0/24',
    'Replace a lost owner key, on the machine that runs the service': 'skinsmith keys create --owner',
  },
  output: [
    { columns: CREATE_COLUMNS, json: { shape: 'object', fields: FIELDS } },
    { mode: '--import', ...tableOutput('object', TABLE) },
  ],
  declare: (command) =>
    addKeyOptions(
      command
        .argument('[name]', 'name of the key')
        .option(
          '--user <user>',
          'user that the key is for, created if new (operators only; default: yourself)',
        )
        .option(
          '--import',
          'accept a key that clients already have; asks for it, or reads stdin (operators only)',
        )
        .addOption(
          new Option(
            '--owner',
            'create a key for the owner of the data on this machine; needs no key and no running service',
          ).conflicts(['user', 'import']),
        )
        .option('--data <folder>', 'data folder of the service, with --owner', nonEmpty)
        .option('--store <url>', 'PostgreSQL database of the service, with --owner', nonEmpty),
    ),
  /** `name`: given as an argument instead of `--name`. */
  async run(name: string | undefined, options: KeysCreateOptions, context: CommandContext): Promise<void> {
    const { user } = options;
    for (const place of ['data', 'store'] as const) {
      if (options[place] !== undefined && !options.owner)
        throw usageError('data_without_owner', `--${place} can only be used with --owner.`);
    }
    if (name !== undefined && options.name !== undefined) {
      throw usageError('two_names', 'Give the name once: as an argument or with --name.');
    }
    const input = { ...(name !== undefined && { name }), ...keyChange(options) };
    const secret = options.import && { secret: await readKeyText(context) };
    const key = options.owner
      ? await makeOwnersKey(input, options, context)
      : await withAccount(context, (account, call) =>
          account.createKey({ ...input, ...(user !== undefined && { user }), ...secret }, call),
        );
    await context.seenNames.add('keys', [seenKey(key)]);
    await show(key, options, context);
  },
} satisfies CommandModule;

async function show(
  key: ApiKeyMade,
  { import: isKnown }: KeysCreateOptions,
  context: CommandContext,
): Promise<void> {
  if (isKnown) showKnown(key, context);
  else showNew(key, context);
  const what = isKnown ? `The key (…${key.last4}) is accepted.` : 'This is the only time the key is shown.';
  const revoke = forService(`skinsmith keys revoke ${key.id}`, context);
  await context.messages.note(`${what} It belongs to ${key.user}. To revoke it: ${revoke}`);
}

function showNew(key: ApiKeyMade, { io, flags }: CommandContext): void {
  if (flags.json) io.out.write(jsonDocument(key));
  else if (io.out.isTTY) io.out.write(`${clean(key.secret)}\n`);
  else io.out.write(columnRows(CREATE_COLUMNS, [key]));
}

/** Without the text of the key: it was typed without echo, or came from a secret of a CI system, whose log others read. */
function showKnown({ secret: _, ...key }: ApiKeyMade, context: CommandContext): void {
  if (context.flags.json || !context.io.out.isTTY) printRow(key, TABLE, context);
}

/** Never an argument, which others on the machine could read. */
async function readKeyText(context: CommandContext): Promise<string> {
  const text = context.io.canPrompt
    ? await askSecret('The key to accept (not shown)', context)
    : await readStdinText(context);
  return text.trim();
}

async function makeOwnersKey(
  input: ApiKeyInput,
  { data, store: database }: KeysCreateOptions,
  context: CommandContext,
): Promise<ApiKeyMade> {
  const dataDir = data ?? context.folders.data;
  // Where a folder is named, the environment does not count.
  const isDatabase = database !== undefined || data === undefined;
  const store = isDatabase ? chooseStore({ ...(database && { store: database }) }, context) : undefined;
  const { makeKeyOfOwner, OwnerKeyError } = await import('../../server/server.ts');
  try {
    return await makeKeyOfOwner({ dataDir, store }, input, context.clock);
  } catch (cause) {
    if (!(cause instanceof OwnerKeyError)) throw cause;
    if (cause.code === 'invalid_key') throw usageError(cause.code, cause.message);
    const hint = 'Name the data folder of the service: skinsmith keys create --owner --data <folder>';
    throw new CliError(cause.code, cause.message, { hint, cause });
  }
}

export const keysEdit = {
  description:
    'Edit an API key of a skinsmith service.\n' +
    'Only the options you give are changed. A new list of networks, origins or programs ' +
    'replaces the old one.',
  examples: {
    'Rename a key': 'skinsmith keys edit KEY_ID --name workstation',
    'Allow a key from any network again': 'skinsmith keys edit KEY_ID --any-ip',
  },
  declare: (command) =>
    addKeyChangeOptions(command.argument('<id>', 'ID of the key, as printed by keys list', nonEmpty)),
  ...oneOf(TABLE, (_, id: string, typed: TypedKeyChange) => {
    const change = keyChange(typed);
    verifyChange(change, 'keys edit');
    return (account, call) => account.changeKey(id, change, call);
  }),
} satisfies CommandModule;

export const keysRevoke = {
  description:
    'Revoke API keys of a skinsmith service. If several servers run it, all refuse them within half a second.',
  examples: {
    'Revoke a key': 'skinsmith keys revoke KEY_ID',
    'Revoke all keys of a user':
      'skinsmith keys list --user alice | cut -f1 | xargs -r skinsmith keys revoke',
  },
  ...eachOf(doneViews('id', 'ID of the key', 'revoked'), {
    declare: (command) => command.argument('<id...>', 'IDs of keys, as printed by keys list', nonEmptyWords),
    async act(id, { account, call, context }) {
      await account.revokeKey(id, call);
      await context.seenNames.remove('keys', id);
      return [id, `Key ${id} is revoked.`];
    },
  }),
} satisfies CommandModule;
