import { GameError } from '../../game/errors.ts';
import { LoginError } from '../../game/login/login-error.ts';
import type { AccountState } from '../store/tables.ts';
import { AccountKeyError } from './token-cipher.ts';

/** What an account itself is to blame for. */
export type FaultKind = 'needs_login' | 'suspended' | 'forbidden' | 'limited' | 'no_profile' | 'mismatch';

interface Consequence {
  /** It is not used again before somebody looks after it. */
  readonly state?: AccountState;
  /** It rests. */
  readonly cools?: boolean;
}

/** All of them count for the account's streak as well. */
export const CONSEQUENCES = {
  needs_login: { state: 'needs_login' },
  suspended: { state: 'suspended' },
  forbidden: { cools: true },
  limited: { cools: true },
  no_profile: { state: 'needs_login' },
  mismatch: { cools: true },
} as const satisfies Record<FaultKind, Consequence>;

/** An account could not be used, by a fault of its own. `message` is for the operator and holds no token. */
export class AccountFault extends Error {
  override readonly name = 'AccountFault';
  readonly kind: FaultKind;
  /** Milliseconds to rest, where the game says so. */
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
  not_found: 'no_profile',
};

/**
 * What goes wrong with an account's own token, as a fault of the account's. Undefined when the account is not to
 * blame: services that cannot be reached or talk nonsense, bad pictures, our own pacing.
 */
export function accountFaultOf(error: unknown): AccountFault | undefined {
  if (error instanceof AccountFault) return error;
  if (error instanceof LoginError || error instanceof AccountKeyError) {
    return new AccountFault('needs_login', error.message, { cause: error });
  }
  if (!(error instanceof GameError)) return undefined;
  const { message, isSuspended, retryAfter: rest } = error;
  if (isSuspended) return new AccountFault('suspended', message, { cause: error });
  // Without a status it is our own pacing, which is nobody's fault.
  if (error.kind === 'rate_limited' && error.status !== undefined)
    return new AccountFault('limited', message, { rest, cause: error });
  const kind = KINDS[error.kind];
  return kind && new AccountFault(kind, message, { cause: error });
}
