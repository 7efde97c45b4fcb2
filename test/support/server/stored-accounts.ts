import { openGame } from '../../../src/game/game.ts';
import { AccountPool } from '../../../src/server/accounts/account-pool.ts';
import { ACCOUNT_RULES } from '../../../src/server/accounts/availability.ts';
import { type AccountFault, TokenCipher } from '../../../src/server/accounts/held-account.ts';
import { type NodeName, nameThisNode } from '../../../src/server/queue/leases.ts';
import { insertAccount } from '../../../src/server/store/accounts.ts';
import type { Db } from '../../../src/server/store/db.ts';
import type { AccountRow } from '../../../src/server/store/schema/tables.ts';
import { MovableClock } from './movable-clock.ts';
import { ownFolder } from './own-folder.ts';
import { openOwnStore } from './running-server.ts';

/** An account without problems. */
export function accountRow(over: Partial<AccountRow> = {}): AccountRow {
  return {
    uuid: 'a'.repeat(32),
    name: 'Ann',
    owner: 'user:ann',
    shared: 1,
    state: 'active',
    secret: '',
    original_url: null,
    original_variant: null,
    restores: 0,
    shows_cape: 0,
    altered: 0,
    cape_checked_at: 0,
    last_used_at: 0,
    cool_until: 0,
    error_streak: 0,
    last_error_code: null,
    last_error_message: null,
    last_error_at: null,
    generated: 0,
    failed: 0,
    linked_at: 0,
    lease_owner: null,
    lease_until: null,
    ...over,
  };
}

export interface DeskWorld {
  readonly db: Db;
  readonly clock: MovableClock;
  readonly faults: AccountFault[];
  /** A pool as another process has it. */
  open(self?: NodeName): Promise<AccountPool>;
}

/** A store with these accounts. */
export async function makeDeskWorld(accounts: readonly Partial<AccountRow>[]): Promise<DeskWorld> {
  const folder = await ownFolder();
  const { db } = await openOwnStore(folder);
  for (const account of accounts) await insertAccount(db, accountRow(account));
  const clock = new MovableClock();
  const faults: AccountFault[] = [];
  const open: DeskWorld['open'] = async (self = nameThisNode()) =>
    new AccountPool({
      db: (await openOwnStore(folder)).db,
      game: openGame(),
      cipher: new TokenCipher(`${folder}/account-key`),
      clock,
      rules: ACCOUNT_RULES,
      self,
      onFault: (_, fault) => void faults.push(fault),
      onError: (error) => {
        throw error;
      },
    });
  return { db, clock, faults, open };
}
