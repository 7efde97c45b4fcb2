import { GameError } from '../../game/errors.ts';
import { LoginError } from '../../game/login/login-error.ts';
import type { AccountState } from '../store/schema/account-tables.ts';
import { AccountKeyError } from './token-cipher.ts';

/** Faults of an account itself. */
export type FaultKind = 'needs_login' | 'suspended' | 'forbidden' | 'limited' | 'no_profile' | 'mismatch';

interface Consequence {
  /** It is not used again until someone repairs it. */
  readonly state?: AccountState;
  /** It rests. */
  readonly cools?: boolean;
}

/** All of them also count towards the account's streak. */
export const CONSEQUENCES = {
  needs_login: { state: 'needs_login' },
  suspended: { state: 'suspended' },
  forbidden: { cools: true },
  limited: { cools: true },
  no_profile: { state: 'needs_login' },
  mismatch: { cools: true },
} as const satisfies Record<FaultKind, Consequence>;

/** An account was unusable because of its own fault. `message` is for the operator and contains no token. */
export class AccountFault extends Error {
  override readonly name = 'AccountFault';
  readonly kind: FaultKind;
  /** Milliseconds to rest, if the game names a time. */
  readonly rest: number | undefined;

  constructor(
    kind: FaultKind,
    message: string,
    { rest, cause }: { rest?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.rest = rest;
  }
}

const KINDS: Partial<Record<GameError['kind'], FaultKind>> = {
  unauthorized: 'needs_login',
  forbidden: 'forbidden',
  no_profile: 'no_profile',
};

/**
 * Turns an error with an account's own token into a fault of the account. Undefined if the account is not the cause:
 * unreachable services, malformed answers, bad pictures, our own pacing.
 */
export function accountFaultOf(error: unknown): AccountFault | undefined {
  if (error instanceof AccountFault) return error;
  if (error instanceof LoginError || error instanceof AccountKeyError) {
    return new AccountFault('needs_login', error.message, { cause: error });
  }
  if (!(error instanceof GameError)) return undefined;
  const { message, isSuspended, retryAfter: rest } = error;
  if (isSuspended) return new AccountFault('suspended', message, { cause: error });
  // Without a status it is our own pacing, which is not a fault.
  if (error.kind === 'rate_limited' && error.status !== undefined)
    return new AccountFault('limited', message, { rest, cause: error });
  const kind = KINDS[error.kind];
  return kind && new AccountFault(kind, message, { cause: error });
}
