import { GameError } from '../../game/errors.ts';
import { changeAccount, deleteAccount, findAccount } from '../store/accounts.ts';
import type { AccountRow } from '../store/schema/account-tables.ts';
import type { AccountPool, Taken } from './account-pool.ts';
import { AccountFault } from './faults.ts';
import { restoreSkin } from './skin-changer.ts';

/** Milliseconds that a generation may take to return the account. */
const PATIENCE = 20_000;
/** Milliseconds for the rest of the account's delay and the change. */
const RESTORE_LIMIT = 30_000;

/**
 * Removes an account of this owner, and its tokens. Restores the skin it wore before the first of ours, if possible. An
 * account that is still in use after a while stays, paused.
 */
export async function unlinkAccount(
  pool: AccountPool,
  { uuid, owner }: Pick<AccountRow, 'uuid' | 'owner'>,
): Promise<'restored' | 'not_needed' | 'not_restored' | 'in_use' | 'unknown'> {
  const { db } = pool.context;
  if (!(await changeAccount(db, uuid, { state: 'paused' }, owner))) return 'unknown';
  const taken = await pool.takeThis(uuid, PATIENCE);
  if (!taken) return (await findAccount(db, uuid))?.owner === owner ? 'in_use' : 'unknown';
  const outcome = taken.row.altered === 0 ? 'not_needed' : await restore(pool, taken);
  await deleteAccount(db, uuid, owner);
  return outcome;
}

async function restore(pool: AccountPool, taken: Taken): Promise<'restored' | 'not_restored'> {
  const signal = AbortSignal.timeout(RESTORE_LIMIT);
  try {
    await pool.use(taken, { signal }, restoreSkin);
    return 'restored';
  } catch (error) {
    if (signal.aborted || error instanceof AccountFault || error instanceof GameError) return 'not_restored';
    throw error;
  }
}
