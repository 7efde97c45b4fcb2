import type { ApiKey } from '../../../index.ts';
import type { CommandContext } from '../../context/context.ts';
import type { SeenName } from '../../history/seen-names.ts';
import { ago, alignedRows, tabRows } from '../../terminal/text.ts';
import { masked } from '../config/list.ts';

const HEADER = ['ID', 'KEY', 'USER', 'CREATED', 'LAST USED', 'NAME', 'SCOPES', 'BOUND TO'];

/** Prints keys as rows, for people or for programs. */
export function keyRows(
  keys: readonly ApiKey[],
  { io, clock }: Pick<CommandContext, 'io' | 'clock'>,
): string {
  if (!io.out.isTTY) return tabRows(keys.map(cells));
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

function cells(key: ApiKey): (string | undefined)[] {
  return [
    key.id,
    masked(key.last4),
    key.user,
    key.createdAt,
    key.lastUsedAt,
    key.name,
    key.allowedIps.join(','),
    key.allowedOrigins.join(','),
    key.allowedAgents.join(','),
    key.v2Compat ? 'v2-compat' : '',
    (key.scopes ?? []).join(','),
  ];
}
