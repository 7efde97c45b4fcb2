import type { GameAccount } from '../../../index.ts';
import type { Deps } from '../../deps.ts';
import { jsonDocument } from '../../output/json.ts';
import { ago, alignedRows, tabRows } from '../../output/text.ts';

const HEADER = ['NAME', 'UUID', 'STATE', 'SKINS', 'FAILED', 'USED', 'SETTINGS', 'NOTE'];

/** Game accounts as rows, for people or for programs. */
export function accountRows(
  accounts: readonly GameAccount[],
  { io, clock }: Pick<Deps, 'io' | 'clock'>,
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
    noteOf(account),
  ]);
  return alignedRows(HEADER, rows, io.out.columns);
}

/** One account, as every command about one prints it. */
export function printAccount(account: GameAccount, deps: Deps): void {
  deps.io.out.write(deps.flags.json ? jsonDocument(account) : accountRows([account], deps));
}

function cells(account: GameAccount): (string | undefined)[] {
  const { name, uuid, state, generated, failed, lastUsedAt, freeAt } = account;
  return [name, uuid, state, String(generated), String(failed), lastUsedAt, settingsOf(account), freeAt];
}

function settingsOf({ restore, capes }: GameAccount): string {
  return [restore ? 'restore' : undefined, capes ? 'capes' : undefined].filter(Boolean).join(',');
}

function noteOf({ inUse, coolUntil, lastError }: GameAccount): string {
  if (inUse) return 'in use';
  return (coolUntil === undefined ? lastError?.message : `rests until ${coolUntil}`) ?? '';
}
