import { AccountPool, type AccountPoolOptions } from './account-pool.ts';
import { Linking } from './linking.ts';
import { ACCOUNT_RULES, type AccountRules } from './rules.ts';

export interface AccountsOptions extends Omit<AccountPoolOptions, 'rules' | 'onFault'> {
  readonly rules?: Partial<AccountRules> | undefined;
  /** Client id of the operator's application at Microsoft. */
  readonly clientId: string | undefined;
  readonly warn: (message: string) => void;
}

/** The game accounts that are linked to the service. */
export interface Accounts {
  readonly pool: AccountPool;
  readonly linking: Linking;
}

/** Sends no requests yet. */
export function openAccounts({ rules, clientId, warn, ...options }: AccountsOptions): Accounts {
  const pool = new AccountPool({
    ...options,
    rules: { ...ACCOUNT_RULES, ...rules },
    onFault: ({ name, uuid }, { kind, message }) =>
      warn(`Game account ${name} (${uuid}): ${kind}: ${message}`),
  });
  return { pool, linking: new Linking(pool.context, clientId) };
}
