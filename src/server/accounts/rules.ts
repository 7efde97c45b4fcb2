/** How linked game accounts are used. Milliseconds where it is a time. */
export interface AccountRules {
  /** Between two changes of one account's skin, at the least. */
  readonly delay: number;
  /** How long an account rests that the game has refused, unless the game says for how long. */
  readonly coolDown: number;
  /** An account that failed so often in a row waits for the operator. */
  readonly maxStreak: number;
  /** How long an account is held for a process that gives no sign of life. */
  readonly lease: number;
  /** After which its own skin is given back to an account that is to have it. */
  readonly idle: number;
  /** How long an account that was seen without a cape is taken to wear none. */
  readonly capeMemory: number;
  /** Waits before each look whether the new skin is shown: as many looks as there are waits. */
  readonly looks: readonly number[];
}

/** As the hosted service is known to treat its accounts. */
export const ACCOUNT_RULES: AccountRules = {
  delay: 15_000,
  coolDown: 650_000,
  maxStreak: 10,
  lease: 15_000,
  idle: 600_000,
  capeMemory: 300_000,
  looks: [200, 3_000, 3_000, 3_000],
};
