import type { Command } from 'commander';
import { bareUuid } from '../../base/text.ts';
import type { AccountClient } from '../../client/account-client.ts';
import type { GameAccount, GameAccountChange, GameAccountCheck } from '../../protocol/game-account.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError, exitStatus, usageError } from '../errors/exit.ts';
import { forService } from '../errors/service-hints.ts';
import { listOf, oneOf, type Request, verifyChange, verifyUuids, withAccount } from '../nouns.ts';
import { nonEmpty } from '../options/option-values.ts';
import {
  type Columns,
  columnRows,
  type Fields,
  fieldColumns,
  printRow,
  type Table,
  tableOutput,
} from '../output/described.ts';
import { colorsFor } from '../terminal/io.ts';
import {
  addYesOption,
  agrees,
  readSecretFile,
  readStdinText,
  type TypedYes,
} from '../terminal/read-input.ts';
import { ago, clean, jsonDocument } from '../text/text.ts';
import { isPrivate } from './players.ts';

const ACCOUNT_FIELDS = {
  uuid: 'UUID of the Minecraft account',
  name: 'player name',
  user: 'user who linked the account',
  share: 'whether the account makes skins for all users',
  state: 'active, paused, suspended or needs_login',
  restore: 'whether the account gets its previous skin back when it is idle',
  capes: 'whether skins may have the cape of the account',
  inUse: 'whether the account is making a skin right now',
  freeAt: 'when the account can make the next skin',
  coolUntil: "end of the account's pause after Mojang refused it",
  errorStreak: 'failures since the last success',
  lastError: {
    about: 'the last failure',
    fields: { code: 'error code', message: 'what went wrong', at: 'when' },
  },
  lastUsedAt: 'when the account last made a skin',
  linkedAt: 'when the account was linked',
  generated: 'number of skins made',
  failed: 'number of failures',
} satisfies Fields<GameAccount>;

const TABLE: Table<GameAccount> = {
  columns: {
    ...fieldColumns<GameAccount>('name', 'uuid', 'state', 'generated', 'failed', 'lastUsedAt'),
    settings: settingsOf,
    ...fieldColumns<GameAccount>('freeAt', 'user'),
  },
  columnMeanings: { settings: 'which of share, restore and capes are on, comma-separated' },
  fields: ACCOUNT_FIELDS,
  shown: {
    NAME: 'name',
    UUID: 'uuid',
    STATE: 'state',
    SKINS: 'generated',
    FAILED: 'failed',
    USED: ({ lastUsedAt }, now) => ago(lastUsedAt, now),
    SETTINGS: settingsOf,
    USER: 'user',
    NOTE: noteOf,
  },
};

function settingsOf({ restore, capes, share }: GameAccount): string {
  const names = [share && 'share', restore && 'restore', capes && 'capes'];
  return names.filter(Boolean).join(',');
}

function noteOf({ inUse, coolUntil, lastError }: GameAccount): string {
  if (inUse) return 'in use';
  return (coolUntil === undefined ? lastError?.message : `rests until ${coolUntil}`) ?? '';
}

function noAccounts(context: CommandContext): string {
  return `No accounts. Link one: ${forService('skinsmith accounts link', context)}`;
}

type Games = AccountClient['games'];

/**
 * Calls `work` with the account of this name or UUID; undefined: the only one.
 * @throws CliError `no_such_account`, `which_account`
 */
async function withGameAccount<T>(
  named: string | undefined,
  context: CommandContext,
  work: (games: Games, account: GameAccount) => Promise<T>,
): Promise<T> {
  return await withAccount(context, async ({ games }, call) => {
    const found = accountIn(await games.list(call), named, context);
    return await work(games, found);
  });
}

function accountIn(
  accounts: readonly GameAccount[],
  named: string | undefined,
  context: CommandContext,
): GameAccount {
  const found =
    named === undefined
      ? accounts.length === 1 && accounts[0]
      : (accounts.find(({ uuid }) => uuid === bareUuid(named)) ??
        accounts.find(({ name }) => name.toLowerCase() === named.toLowerCase()));
  if (found) return found;
  const hint = `List the accounts: ${forService('skinsmith accounts list', context)}`;
  if (named !== undefined) throw new CliError('no_such_account', `No linked account ${named}.`, { hint });
  if (accounts.length === 0) throw new CliError('no_such_account', noAccounts(context));
  throw usageError('which_account', 'Several accounts are linked: name one with --account.', hint);
}

export const accountsList = {
  description:
    'List the game accounts that you linked to a skinsmith service, by name.\n' +
    'Operators see the accounts of all users.',
  examples: {
    'List game accounts': 'skinsmith accounts list',
    'Print them as JSON': 'skinsmith accounts list --json',
  },
  ...listOf(TABLE, {
    what: 'accounts',
    seen: ['accounts', ({ name, uuid }) => ({ value: name, about: uuid })],
    none: (_, context) => noAccounts(context),
    read: ({ account: { games }, call }) => games.list(call),
  }),
} satisfies CommandModule;

const HEALTH_COLUMNS = {
  name: ({ account }) => account.name,
  uuid: ({ account }) => account.uuid,
  state: ({ account }) => account.state,
  problems: ({ problems }) => problems.join(' '),
} satisfies Columns<GameAccountCheck>;

const FIELDS = {
  ...ACCOUNT_FIELDS,
  problems: 'what keeps the account from being used, in sentences; empty if nothing does',
};
export const accountsHealth = {
  description:
    'Ask Mojang whether the game accounts still work.\n' +
    'For each account, checks its token and profile, and shows what keeps it from being used. The ' +
    'exit status is 1 if any account has a problem.',
  examples: {
    'Check all game accounts': 'skinsmith accounts health',
    'Print the results as JSON': 'skinsmith accounts health --json',
  },
  output: [
    {
      columns: HEALTH_COLUMNS,
      json: { shape: 'list', fields: FIELDS },
    },
  ],
  async run(context: CommandContext): Promise<number> {
    const { flags, io } = context;
    const checks = await withAccount(context, async ({ games }, call) => {
      const found: GameAccountCheck[] = [];
      for (const { uuid } of await games.list(call)) {
        const check = await games.check(uuid, call);
        found.push(check);
        if (!flags.json) await print(check, context);
      }
      return found;
    });
    if (flags.json)
      io.out.write(jsonDocument(checks.map(({ account, problems }) => ({ ...account, problems }))));
    else if (checks.length === 0) context.messages.say(noAccounts(context));
    return exitStatus(checks.every(({ problems }) => problems.length === 0) ? 'done' : 'failed');
  },
} satisfies CommandModule;

async function print(check: GameAccountCheck, { io }: CommandContext): Promise<void> {
  if (!io.out.isTTY) {
    io.out.write(columnRows(HEALTH_COLUMNS, [check]));
    return;
  }
  const { account, problems } = check;
  const { good, bad } = await colorsFor(io.out);
  const isWell = problems.length === 0;
  io.out.write(
    `${isWell ? good('✔') : bad('✖')} ${clean(account.name)}  ${clean(isWell ? 'well' : problems.join(' '))}\n`,
  );
}

function addAccount(command: Command): Command {
  return command.argument('<account>', 'name or UUID of the account');
}

export const accountsEdit = {
  description: 'Edit the settings of a game account.',
  examples: {
    'Give an account its own skin back whenever it is idle': 'skinsmith accounts edit Alex --restore',
    'Hide the cape of an account before making skins': 'skinsmith accounts edit Alex --no-capes',
  },
  declare: (command) =>
    addAccount(command)
      .option('--share', 'make skins for all users with the account')
      .option('--no-share', 'make skins only for the user who linked the account')
      .option('--restore', "restore the account's own skin after ten idle minutes and when the service stops")
      .option('--no-restore', 'leave the last skin on the account')
      .option('--capes', 'allow the cape of the account in results')
      .option('--no-capes', 'hide the cape of the account before making skins'),
  ...oneOf(TABLE, (context, named: string, change: GameAccountChange) => {
    verifyChange(change, 'accounts edit');
    return changed(named, change, context);
  }),
} satisfies CommandModule;

function changed(named: string, change: GameAccountChange, context: CommandContext): Request<GameAccount> {
  return async ({ games }, call) => {
    const { uuid } = accountIn(await games.list(call), named, context);
    return await games.change(uuid, change, call);
  };
}

export const accountsPause = {
  description:
    'Stop using a game account until it is resumed.\n' +
    'Use this while the owner of the account plays, for example.',
  examples: {
    'Pause an account': 'skinsmith accounts pause Alex',
    'Pause an account of another service':
      'skinsmith accounts pause Steve --base-url https://skins.example.org',
  },
  declare: addAccount,
  ...oneOf(TABLE, (context, named: string) => changed(named, { paused: true }, context)),
} satisfies CommandModule;

export const accountsResume = {
  description: 'Resume using a paused game account and clear its failures.',
  examples: {
    'Resume an account': 'skinsmith accounts resume Alex',
    'Resume an account of another service':
      'skinsmith accounts resume Steve --base-url https://skins.example.org',
  },
  declare: addAccount,
  ...oneOf(TABLE, (context, named: string) => changed(named, { paused: false }, context)),
} satisfies CommandModule;

interface AccountWearOptions extends TypedYes {
  readonly account?: string;
  readonly restore?: boolean;
}

export const accountsWear = {
  description:
    'Let your own game account wear a skin of the service, in Minecraft too, or restore the skin it wore before.\n' +
    'Waits for the account: Mojang limits how often it may change its skin. Asks for confirmation first; without a ' +
    'terminal, --yes is required.',
  examples: {
    'Wear a skin': 'skinsmith accounts wear SKIN --account Alex --yes',
    'Restore the skin that an account wore before': 'skinsmith accounts wear --restore --account Alex --yes',
  },
  output: [tableOutput('object', TABLE)],
  declare: (command) =>
    addYesOption(
      command
        .argument('[skin]', 'UUID of the skin')
        .option('--account <account>', 'name or UUID of the account (default: the only one)', nonEmpty)
        .option('--restore', 'restore the skin that the account wore before'),
    ),
  async run(skin: string | undefined, typed: AccountWearOptions, context: CommandContext): Promise<number> {
    if ((skin === undefined) !== (typed.restore === true))
      throw usageError('skin_or_restore', 'Give the UUID of a skin, or --restore.');
    if (skin !== undefined) verifyUuids([skin], context);
    const account = await withGameAccount(typed.account, context, (games, found) =>
      skin === undefined
        ? restoreOn(found, games, typed, context)
        : wearOn(found, skin, games, typed, context),
    );
    if (!account) return exitStatus('failed');
    printRow(account, TABLE, context);
    return exitStatus('done');
  },
} satisfies CommandModule;

async function restoreOn(
  { uuid, name }: GameAccount,
  games: Games,
  { yes }: TypedYes,
  context: CommandContext,
): Promise<GameAccount | undefined> {
  const question = `Restore the skin that ${clean(name)} wore before, in Minecraft too?`;
  if (!(await agrees(question, { yes, done: 'changed' }, context))) return undefined;
  return await games.restore(uuid, { signal: context.signal });
}

async function wearOn(
  { uuid, name }: GameAccount,
  skin: string,
  games: Games,
  { yes }: TypedYes,
  context: CommandContext,
): Promise<GameAccount | undefined> {
  const publish = await isPrivate(skin, context);
  const about = publish ? `The skin ${skin} is private, and everyone will see it. ` : '';
  const question = `${about}Let ${clean(name)} wear ${publish ? 'it' : `the skin ${skin}`}, in Minecraft too?`;
  if (!(await agrees(question, { yes, done: 'changed' }, context))) return undefined;
  return await games.wear(uuid, { skin, ...(publish && { publish }) }, { signal: context.signal });
}

interface UnlinkedView {
  readonly uuid: string;
  readonly name: string;
  readonly unlinked: true;
  readonly ownSkin: boolean;
}

const UNLINK_FIELDS: Fields<UnlinkedView> = {
  uuid: 'UUID of the account',
  name: 'player name',
  unlinked: 'always true',
  ownSkin: 'whether the account wears its own skin again',
};
export const accountsUnlink = {
  description:
    'Unlink a game account and delete its tokens.\n' +
    'The account gets its own skin back if possible. Asks for confirmation first; without a ' +
    'terminal, --yes is required.',
  examples: {
    'Unlink an account without confirmation': 'skinsmith accounts unlink Alex --yes',
    'Unlink an account of another service':
      'skinsmith accounts unlink Steve --yes --base-url https://skins.example.org',
  },
  output: [{ json: { shape: 'object', fields: UNLINK_FIELDS } }],
  declare: (command) => addYesOption(addAccount(command)),
  async run(named: string, { yes }: TypedYes, context: CommandContext): Promise<number> {
    const outcome = await withGameAccount(named, context, async (games, { uuid, name }) => {
      const question = `Unlink ${name}? This deletes its tokens.`;
      if (!(await agrees(question, { yes, done: 'unlinked' }, context))) return undefined;
      return { uuid, name, messages: await games.unlink(uuid, { signal: context.signal }) };
    });
    if (!outcome) return exitStatus('failed');
    const { uuid, name, messages } = outcome;
    for (const { message } of messages) context.messages.say(`${name}: ${message}`);
    const isRestored = !messages.some(({ code }) => code === 'account_not_restored');
    const view: UnlinkedView = { uuid, name, unlinked: true, ownSkin: isRestored };
    if (context.flags.json) context.io.out.write(jsonDocument(view));
    return exitStatus('done');
  },
} satisfies CommandModule;

interface AccountsLinkOptions {
  readonly tokenFile?: string;
  /** Whether the account generates skins for every user. */
  readonly share?: boolean;
}

export const accountsLink = {
  description:
    'Link a game account to a skinsmith service, to make skins with it.\n' +
    'The account makes your skins and, with --share, those of all users. Prints a code that the owner of the account enters at Microsoft, and waits. Alternatively takes ' +
    'a token: a Microsoft refresh token, or a Minecraft access token (valid for a day).',
  examples: {
    'Link an account; its owner enters the printed code at Microsoft': 'skinsmith accounts link',
    'Link an account with a token from a file': 'skinsmith accounts link --token-file token.txt',
  },
  declare: (command) =>
    command
      .argument('[-]', 'read a token from stdin')
      .option('--token-file <file>', 'read a token from this file, - for stdin')
      .option('--share', 'make skins for all users with the account (default for operators)')
      .option('--no-share', 'make only your own skins with the account (default for other users)'),
  ...oneOf(
    TABLE,
    async (context, from: string | undefined, options: AccountsLinkOptions) => {
      const token = await readToken(from, options, context);
      return ({ games }, call) =>
        token === undefined
          ? signIn(games, options, context)
          : games.link(token, { ...call, share: options.share });
    },
    { note: () => 'To make skins with it: skinsmith serve --generator accounts' },
  ),
} satisfies CommandModule;

async function readToken(
  from: string | undefined,
  { tokenFile }: AccountsLinkOptions,
  context: CommandContext,
): Promise<string | undefined> {
  if (from !== undefined && from !== '-') {
    throw usageError(
      'token_on_command_line',
      'A token on the command line can be seen by others.',
      'Use --token-file FILE, or - for stdin.',
    );
  }
  if (from !== undefined && tokenFile !== undefined)
    throw usageError('two_tokens', 'Give --token-file or -, not both.');
  if (from === undefined && tokenFile === undefined) return undefined;
  const text =
    tokenFile === undefined
      ? await readStdinText(context)
      : await readSecretFile(tokenFile, 'token', context);
  const token = text.trim();
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw usageError('not_a_token', 'That is not a token. A token is one word of at most 8192 characters.');
}

/** Signs in at Microsoft by device code; the account's owner can use any machine. */
async function signIn(
  games: Games,
  { share }: Pick<AccountsLinkOptions, 'share'>,
  context: CommandContext,
): Promise<GameAccount> {
  const { signal, clock, messages, io } = context;
  const { id, userCode, verificationUri, interval } = await games.beginLogin({ signal, share });
  // Printed even with --quiet: the sign-in needs the code.
  io.err.write(`${clean(`Open ${verificationUri} and enter the code ${userCode}`)}\n`);
  const progress = await messages.progress('Waiting for the sign-in');
  try {
    for (;;) {
      await clock.sleep(interval * 1000, signal);
      const { login, account } = await games.login(id, { signal });
      if (login.status === 'linked' && account) return account;
      if (login.status === 'failed')
        throw new CliError('login_failed', login.message ?? 'The sign-in failed.', { exit: 'notAllowed' });
    }
  } finally {
    progress.stop();
  }
}
