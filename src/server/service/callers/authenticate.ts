import { MIN_API_KEY_LENGTH } from '../../../protocol/account.ts';
import { findKeyOwner } from '../../store/api-keys.ts';
import type { Db } from '../../store/db.ts';
import { noteKeyUse } from '../../store/usage.ts';
import type { Plans } from '../plans/plans.ts';
import { Refusal } from '../refusals/refusal.ts';
import { hashApiKey } from './api-key.ts';
import { anonymousCaller, type Caller, callerKey, userCaller } from './caller.ts';
import { type Origins, verifyBindings } from './key-bindings.ts';
import { manglingOf } from './mangled-key.ts';

export interface Credentials extends Origins {
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
  /** Whether a key that is not known counts as none, as on the hosted service. */
  readonly isBare?: boolean;
}

export interface AuthenticateOptions {
  /** Whether anonymous callers are served. */
  readonly allowsAnonymous: boolean;
  readonly plans: Plans;
  readonly now: number;
}

/**
 * Identifies the caller. A missing key may be allowed, an invalid one never is.
 * @throws Refusal `invalid_api_key`; `unauthorized` if a key is required
 */
export async function authenticate(
  db: Db,
  credentials: Credentials,
  options: AuthenticateOptions,
): Promise<Caller> {
  const { authorization, isBare } = credentials;
  const { plans, now } = options;
  if (authorization === undefined) return withoutKey(credentials, options);
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const mayBeKey = key !== undefined && key.length >= MIN_API_KEY_LENGTH;
  const found = mayBeKey ? await findKeyOwner(db, hashApiKey(key)) : undefined;
  if (!found && isBare) return withoutKey(credentials, options);
  if (!found) throw unknownKey(authorization);
  if (found.user.disabled_at !== null) {
    throw new Refusal('invalid_api_key', 'The user of this API key is disabled.');
  }
  verifyBindings(callerKey(found.key), credentials);
  noteKeyUse(db, found.key, now);
  return userCaller(found.user, plans, found.key);
}

/** @throws Refusal `unauthorized` if a key is required */
function withoutKey(
  origins: Origins,
  { allowsAnonymous, plans }: Pick<AuthenticateOptions, 'allowsAnonymous' | 'plans'>,
): Caller {
  if (allowsAnonymous) return anonymousCaller(origins, plans);
  const message = 'This service needs an API key: send it as "Authorization: Bearer <key>".';
  throw new Refusal('unauthorized', message);
}

function unknownKey(authorization: string): Refusal {
  return new Refusal('invalid_api_key', { notes: manglingOf(authorization) });
}
