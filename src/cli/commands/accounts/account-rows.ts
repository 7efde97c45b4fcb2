import type { GameAccount } from '../../../index.ts';
import type { CommandContext } from '../../context/context.ts';
import { ago, alignedRows, tabRows } from '../../terminal/text.ts';
import { jsonDocument } from '../../text/json.ts';

const HEADER = ['NAME', 'UUID', 'STATE', 'SKINS', 'FAILED', 'USED', 'SETTINGS', 'USER', 'NOTE'];

/** Prints game accounts as rows, for people or for programs. */
export function accountRows(
  accounts: readonly GameAccount[],
  { io, clock }: Pick<CommandContext, 'io' | 'clock'>,
): string {
  if (!io.out.isTTY) return tabRows(accounts.map(cells));
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

function cells(account: GameAccount): (string | undefined)[] {
  const { name, uuid, state, generated, failed, lastUsedAt, freeAt, user } = account;
  const counts = [String(generated), String(failed)];
  return [name, uuid, state, ...counts, lastUsedAt, settingsOf(account), freeAt, user];
}

function settingsOf({ restore, capes, share }: GameAccount): string {
  const names = [share && 'share', restore && 'restore', capes && 'capes'];
  return names.filter(Boolean).join(',');
}

function noteOf({ inUse, coolUntil, lastError }: GameAccount): string {
  if (inUse) return 'in use';
  return (coolUntil === undefined ? lastError?.message : `rests until ${coolUntil}`) ?? '';
}
