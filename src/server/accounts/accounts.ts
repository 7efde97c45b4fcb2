import { join } from 'node:path';
import { ACCOUNT_KEY } from '../backup/data-files.ts';
import { AccountPool, type AccountPoolOptions } from './account-pool.ts';
import { Linking } from './linking.ts';
import { ACCOUNT_RULES, type AccountRules } from './rules.ts';
import { TokenCipher } from './token-cipher.ts';

export interface AccountsOptions extends Omit<AccountPoolOptions, 'cipher' | 'rules' | 'onFault'> {
  /** Folder of the key file. */
  readonly dataDir: string;
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

/** Sends no requests and creates no file yet. */
export function openAccounts({ dataDir, rules, clientId, warn, ...options }: AccountsOptions): Accounts {
  const cipher = new TokenCipher(join(dataDir, ACCOUNT_KEY));
  const pool = new AccountPool({
    ...options,
    cipher,
    rules: { ...ACCOUNT_RULES, ...rules },
    onFault: ({ name, uuid }, { kind, message }) =>
      warn(`Game account ${name} (${uuid}): ${kind}: ${message}`),
  });
  return { pool, linking: new Linking(pool.context, clientId) };
}
