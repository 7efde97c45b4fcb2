import type { Selectable } from 'kysely';

/**
 * The state of an account: `suspended` and `needs_login` require action by its owner, `paused` by the user who linked
 * it.
 */
export type AccountState = 'active' | 'paused' | 'suspended' | 'needs_login';

/** A game account for making skins. */
export interface GameAccountsTable {
  /** UUID of the account: 32 hexadecimal digits. */
  uuid: string;
  name: string;
  /** Owner of the jobs of the user who linked it. Only that user's jobs use it, unless it is shared. */
  owner: string;
  /** 1: its owner agrees that it makes skins for everyone. */
  shared: number;
  state: AccountState;
  /** Its tokens, encrypted (accounts/token-cipher.ts). */
  secret: string;
  /** The skin it wore before the first of ours; null: a default one. */
  original_url: string | null;
  original_variant: 'classic' | 'slim' | null;
  /** 1: that skin is restored when the account has been idle for a while. */
  restores: number;
  /** 1: its owner agrees to its cape in results. */
  shows_cape: number;
  /** 1: it wears one of our skins. */
  altered: number;
  /** When it was last seen to wear no cape. */
  cape_checked_at: number;
  /** When a change of its skin last started or ended; 0: never. */
  last_used_at: number;
  cool_until: number;
  /** Number of failed uses in a row. */
  error_streak: number;
  last_error_code: string | null;
  last_error_message: string | null;
  last_error_at: number | null;
  generated: number;
  failed: number;
  linked_at: number;
  lease_owner: string | null;
  lease_until: number | null;
}

export type AccountRow = Selectable<GameAccountsTable>;
