import type { Clock } from '../../../base/clock.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { Restorer, type RestorerOptions } from '../../accounts/restorer.ts';
import type { OpenGenerator } from '../port.ts';
import { accountsGenerator } from './accounts-generator.ts';
import { accountsHealth } from './health.ts';

/** Maximum milliseconds by which restoring the accounts' own skins may delay the shutdown. */
const RESTORE_LIMIT = 20_000;

export interface AccountsOptions {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly chores: {
    run(chore: 'restore-accounts', every: number, work: () => Promise<void>): Promise<void>;
  };
  readonly isAlone: () => Promise<boolean>;
  /** Warns the operator. */
  readonly warn: (message: string) => void;
  /** Called with bugs. */
  readonly onError: (error: unknown) => void;
}

/** Opens the generator, and the restorer that gives idle accounts their own skins back. */
export async function openAccountsGenerator({
  accounts,
  clock,
  chores,
  isAlone,
  warn,
  onError,
}: AccountsOptions): Promise<OpenGenerator> {
  const { pool } = accounts;
  const isReady = async () => (await pool.opensAt()) !== undefined;
  if (!(await isReady()))
    warn('There is no game account to make skins with: link one with skinsmith accounts link.');
  const once: RestorerOptions['once'] = async (every, look) =>
    await chores.run('restore-accounts', every, look);
  const restorer = new Restorer({ pool, clock, once, isAlone, onError });
  restorer.start();
  const health = async (signal: AbortSignal) => await accountsHealth(accounts, signal);
  return {
    generator: { ...accountsGenerator(pool), health, isReady },
    close: async () => await restorer.stop(RESTORE_LIMIT),
  };
}
