import type { GameAccount } from '../../../index.ts';
import type { CommandContext } from '../../context/context.ts';
import { forService, namingOf } from '../../errors/service-hints.ts';
import { type Columns, type CommandOutput, columnRows, type Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { ago, alignedRows } from '../../text/text.ts';

const COLUMNS = {
  name: ({ name }) => name,
  uuid: ({ uuid }) => uuid,
  state: ({ state }) => state,
  generated: ({ generated }) => String(generated),
  failed: ({ failed }) => String(failed),
  lastUsedAt: ({ lastUsedAt }) => lastUsedAt,
  settings: settingsOf,
  freeAt: ({ freeAt }) => freeAt,
  user: ({ user }) => user,
} satisfies Columns<GameAccount>;

export const ACCOUNT_FIELDS = {
  uuid: 'UUID of the account in the game',
  name: 'player name',
  user: 'user who linked the account',
  share: 'whether the account makes skins for all users',
  state: 'active, paused, suspended or needs_login',
  restore: 'whether the account gets its previous skin back when it is idle',
  capes: 'whether skins may have the cape of the account',
  inUse: 'whether the account is making a skin right now',
  freeAt: 'when the account can make the next skin',
  coolUntil: 'until when the account rests after the game refused it',
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

const ACCOUNT = {
  columns: COLUMNS,
  columnMeanings: { settings: 'those of share, restore and capes that are on, separated by commas' },
};
export const ACCOUNT_OUTPUT: CommandOutput = {
  ...ACCOUNT,
  json: { shape: 'object', fields: ACCOUNT_FIELDS },
};
export const ACCOUNT_LIST_OUTPUT: CommandOutput = {
  ...ACCOUNT,
  json: { shape: 'list', fields: ACCOUNT_FIELDS },
};

const HEADER = ['NAME', 'UUID', 'STATE', 'SKINS', 'FAILED', 'USED', 'SETTINGS', 'USER', 'NOTE'];

/** Prints game accounts as rows, for people or for programs. */
export function accountRows(
  accounts: readonly GameAccount[],
  { io, clock }: Pick<CommandContext, 'io' | 'clock'>,
): string {
  if (!io.out.isTTY) return columnRows(COLUMNS, accounts);
  const rows = accounts.map((account) => [
    account.name,
    account.uuid,
    account.state,
    String(account.generated),
    String(account.failed),
    ago(account.lastUsedAt, clock.now()),
    settingsOf(account),
    account.user ?? '',
    noteOf(account),
  ]);
  return alignedRows(HEADER, rows, io.out.columns);
}

/** Prints one account in the form that all account commands share. */
export function printAccount(account: GameAccount, context: CommandContext): void {
  context.io.out.write(context.flags.json ? jsonDocument(account) : accountRows([account], context));
}

function settingsOf({ restore, capes, share }: GameAccount): string {
  const names = [share && 'share', restore && 'restore', capes && 'capes'];
  return names.filter(Boolean).join(',');
}

function noteOf({ inUse, coolUntil, lastError }: GameAccount): string {
  if (inUse) return 'in use';
  return (coolUntil === undefined ? lastError?.message : `rests until ${coolUntil}`) ?? '';
}

/** Said where no game account is linked. */
export function noAccounts(context: CommandContext): string {
  return `No accounts. Link one: ${forService('skinsmith accounts link', namingOf(context))}`;
}
