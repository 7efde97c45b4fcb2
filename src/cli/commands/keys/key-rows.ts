import type { ApiKey } from '../../../index.ts';
import type { CommandContext } from '../../context/context.ts';
import type { SeenName } from '../../history/seen-names.ts';
import { type Columns, type CommandOutput, columnRows, type Fields } from '../../output/described.ts';
import { masked } from '../../text/masked.ts';
import { ago, alignedRows } from '../../text/text.ts';

const COLUMNS = {
  id: ({ id }) => id,
  last4: ({ last4 }) => last4,
  user: ({ user }) => user,
  createdAt: ({ createdAt }) => createdAt,
  lastUsedAt: ({ lastUsedAt }) => lastUsedAt,
  name: ({ name }) => name,
  allowedIps: ({ allowedIps }) => allowedIps.join(','),
  allowedOrigins: ({ allowedOrigins }) => allowedOrigins.join(','),
  allowedAgents: ({ allowedAgents }) => allowedAgents.join(','),
  v2Compat: ({ v2Compat }) => (v2Compat ? 'v2-compat' : ''),
  scopes: ({ scopes = [] }) => scopes.join(','),
  generations: ({ generations }) => generations?.toString(),
} satisfies Columns<ApiKey>;

export const KEY_FIELDS: Fields<ApiKey> = {
  id: 'id of the key',
  name: 'name of the key',
  user: 'user that the key belongs to',
  last4: 'last four characters of the key',
  createdAt: 'when the key was created',
  lastUsedAt: 'when the key was last used',
  allowedIps: 'addresses and networks it may be used from; empty: any',
  allowedOrigins: 'web origins it may be used from; empty: any',
  allowedAgents: 'programs that may use it; empty: any',
  v2Compat: 'whether requests to version 1 of the API go through the queue',
  scopes: 'what the key may do: read, generate, skins, account, operator',
  generations: 'new skins that were asked for with the key',
};

export const KEY_OUTPUT: CommandOutput = { columns: COLUMNS, json: { shape: 'object', fields: KEY_FIELDS } };
export const KEY_LIST_OUTPUT: CommandOutput = {
  columns: COLUMNS,
  json: { shape: 'list', fields: KEY_FIELDS },
};

const HEADER = ['ID', 'KEY', 'USER', 'CREATED', 'LAST USED', 'NAME', 'SCOPES', 'BOUND TO'];

/** Prints keys as rows, for people or for programs. */
export function keyRows(
  keys: readonly ApiKey[],
  { io, clock }: Pick<CommandContext, 'io' | 'clock'>,
): string {
  if (!io.out.isTTY) return columnRows(COLUMNS, keys);
  const now = clock.now();
  const rows = keys.map((key) => [
    key.id,
    masked(key.last4),
    key.user,
    ago(key.createdAt, now),
    ago(key.lastUsedAt, now) || 'never',
    key.name,
    (key.scopes ?? []).join(', '),
    [...key.allowedIps, ...key.allowedOrigins, ...key.allowedAgents].join(', '),
  ]);
  return alignedRows(HEADER, rows, io.out.columns);
}

/** The word that shells complete. */
export function seenKey({ id, name, user }: ApiKey): SeenName {
  return { value: id, about: `${name} of ${user}` };
}
