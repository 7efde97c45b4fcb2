import { type Command, Option } from 'commander';
import type { ApiKeyInput, ApiKeyMade } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { CliError, exitStatus, usageError } from '../../errors/exit.ts';
import { forService, namingOf } from '../../errors/service-hints.ts';
import { addKeyOptions, keyChange, type TypedKeyOptions } from '../../options/key-options.ts';
import { nonEmpty } from '../../options/option-values.ts';
import { type Columns, columnRows, type Fields } from '../../output/described.ts';
import { chooseStore } from '../../serve/store.ts';
import { askSecret } from '../../terminal/ask-secret.ts';
import { readStdinText } from '../../terminal/read-input.ts';
import { jsonDocument } from '../../text/json.ts';
import { clean } from '../../text/text.ts';
import { KEY_FIELDS, KEY_OUTPUT, keyRows, seenKey } from './key-rows.ts';

export interface KeysCreateOptions extends TypedKeyOptions {
  /** The name, given as an argument instead of `--name`. */
  readonly called?: string;
  readonly user?: string;
  /** Read the text of the key instead of making one up. */
  readonly import?: boolean;
  /** Write directly to the store on this machine, without an API key. */
  readonly owner?: boolean;
  readonly data?: string;
  readonly store?: string;
}

const COLUMNS = {
  secret: ({ secret }) => secret,
  id: ({ id }) => id,
  name: ({ name }) => name,
  user: ({ user }) => user,
} satisfies Columns<ApiKeyMade>;

const FIELDS: Fields<ApiKeyMade> = { ...KEY_FIELDS, secret: 'the key itself, shown only this once' };
export const keysCreate = {
  examples: [
    ['Create a key for yourself', 'skinsmith keys create laptop'],
    [
      'Create a key for a user that can only make skins, from one network',
      'skinsmith keys create ci --user alice --scope generate --allow-ip 203.0.113.0/24',
    ],
    ['Replace a lost owner key, on the machine that runs the service', 'skinsmith keys create --owner'],
  ],
  output: [
    { columns: COLUMNS, json: { shape: 'object', fields: FIELDS } },
    { mode: '--import', ...KEY_OUTPUT },
  ],
  register(command: Command, runner: Runner, run = runKeysCreate): void {
    addKeyOptions(
      command
        .description(
          'Create an API key for a skinsmith service.\n' + 'Prints the key once; it cannot be shown again.',
        )
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
    ).action(
      async (called: string | undefined, typed: Omit<KeysCreateOptions, 'called'>) =>
        await runner(
          async (context) => await run({ ...typed, ...(called !== undefined && { called }) }, context),
        ),
    );
  },
} satisfies CommandModule;

export async function runKeysCreate(options: KeysCreateOptions, context: CommandContext): Promise<number> {
  const { called: name, user } = options;
  for (const place of ['data', 'store'] as const) {
    if (options[place] !== undefined && !options.owner)
      throw usageError('data_without_owner', `--${place} can only be used with --owner.`);
  }
  if (name !== undefined && options.name !== undefined) {
    throw usageError('two_names', 'Give the name once: as an argument or with --name.');
  }
  const wish = { ...(name !== undefined && { name }), ...keyChange(options) };
  const secret = options.import && { secret: await readKeyText(context) };
  const key = options.owner
    ? await makeOwnersKey(wish, options, context)
    : await askForKey({ ...wish, ...(user !== undefined && { user }), ...secret }, context);
  await context.seenNames.add('keys', [seenKey(key)]);
  await show(key, options, context);
  return exitStatus('done');
}

async function show(
  key: ApiKeyMade,
  { import: isKnown }: KeysCreateOptions,
  context: CommandContext,
): Promise<void> {
  if (isKnown) showKnown(key, context);
  else showNew(key, context);
  const what = isKnown ? `The key (…${key.last4}) is accepted.` : 'This is the only time the key is shown.';
  const revoke = forService(`skinsmith keys revoke ${key.id}`, namingOf(context));
  await context.messages.note(`${what} It belongs to ${key.user}. To revoke it: ${revoke}`);
}

function showNew(key: ApiKeyMade, { io, flags }: CommandContext): void {
  if (flags.json) io.out.write(jsonDocument(key));
  else if (io.out.isTTY) io.out.write(`${clean(key.secret)}\n`);
  else io.out.write(columnRows(COLUMNS, [key]));
}

/** Without the text of the key: it was typed without echo, or came from a secret of a CI system, whose log others read. */
function showKnown({ secret: _, ...key }: ApiKeyMade, context: CommandContext): void {
  const { io, flags } = context;
  if (flags.json) io.out.write(jsonDocument(key));
  else if (!io.out.isTTY) io.out.write(keyRows([key], context));
}

/** Never an argument, which others on the machine could read. */
async function readKeyText(context: CommandContext): Promise<string> {
  const text = context.io.canPrompt
    ? await askSecret('The key to accept (not shown)', context)
    : await readStdinText(context);
  return text.trim();
}

async function askForKey(wish: ApiKeyInput, context: CommandContext): Promise<ApiKeyMade> {
  return await withAccount(context, (account) => account.createKey(wish, { signal: context.signal }));
}

async function makeOwnersKey(
  wish: ApiKeyInput,
  { data, store: database }: KeysCreateOptions,
  context: CommandContext,
): Promise<ApiKeyMade> {
  const dataDir = data ?? context.folders.data;
  // Where a folder is named, the environment does not count.
  const isDatabase = database !== undefined || data === undefined;
  const store = isDatabase ? chooseStore({ ...(database && { store: database }) }, context) : undefined;
  const { makeKeyOfOwner, OwnerKeyError } = await import('../../../server/server.ts');
  try {
    return await makeKeyOfOwner({ dataDir, store }, wish, context.clock);
  } catch (cause) {
    if (!(cause instanceof OwnerKeyError)) throw cause;
    if (cause.code === 'invalid_key') throw usageError(cause.code, cause.message);
    const hint = 'Name the data folder of the service: skinsmith keys create --owner --data <folder>';
    throw new CliError(cause.code, cause.message, { hint, cause });
  }
}
