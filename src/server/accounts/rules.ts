/** How linked game accounts are used. Times are in milliseconds. */
export interface AccountRules {
  /** Minimum time between two skin changes of one account. */
  readonly delay: number;
  /** How long an account rests after a refusal by the game, unless the game names a time. */
  readonly coolDown: number;
  /** Number of failures in a row after which an account waits for the operator. */
  readonly maxStreak: number;
  /** How long an account is reserved for a process that does not renew its lease. */
  readonly lease: number;
  /** Idle time after which an account gets its own skin back, if it is to have it. */
  readonly idle: number;
  /** How long an account that was seen without a cape is assumed to wear none. */
  readonly capeMemory: number;
  /** Pause before each look for the new skin: there are as many looks as pauses. */
  readonly looks: readonly number[];
}

/** How the hosted service is known to treat its accounts. */
export const ACCOUNT_RULES: AccountRules = {
  delay: 15_000,
  coolDown: 650_000,
  maxStreak: 10,
  lease: 15_000,
  idle: 600_000,
  capeMemory: 300_000,
  looks: [200, 3_000, 3_000, 3_000],
};
