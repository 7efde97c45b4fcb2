import { MIN_API_KEY_LENGTH } from '../../../protocol/account.ts';
import { findKeyOwner, noteKeyUse } from '../../store/api-keys.ts';
import type { Db } from '../../store/db.ts';
import type { Plans } from '../plans/plans.ts';
import { Refusal } from '../refusals/refusal.ts';
import { hashApiKey } from './api-key.ts';
import { anonymousCaller, type Caller, callerKey, userCaller } from './caller.ts';
import { type Origins, verifyBindings } from './key-bindings.ts';
import { manglingOf } from './mangled-key.ts';

export interface Credentials extends Origins {
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
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
  { allowsAnonymous, plans, now }: AuthenticateOptions,
): Promise<Caller> {
  const { authorization } = credentials;
  if (authorization === undefined) {
    if (!allowsAnonymous) {
      throw new Refusal(
        'unauthorized',
        'This service needs an API key: send it as "Authorization: Bearer <key>".',
      );
    }
    return anonymousCaller(credentials, plans);
  }
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (key === undefined || key.length < MIN_API_KEY_LENGTH) throw unknownKey(authorization);
  const found = await findKeyOwner(db, hashApiKey(key));
  if (!found) throw unknownKey(authorization);
  if (found.user.disabled_at !== null) {
    throw new Refusal('invalid_api_key', 'The user of this API key is disabled.');
  }
  verifyBindings(callerKey(found.key), credentials);
  noteKeyUse(db, found.key, now);
  return userCaller(found.user, plans, found.key);
}

function unknownKey(authorization: string): Refusal {
  return new Refusal('invalid_api_key', { notes: manglingOf(authorization) });
}
