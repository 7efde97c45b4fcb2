import { timingSafeEqual } from 'node:crypto';
import { MIN_API_KEY_LENGTH } from '../../../protocol/account.ts';
import { findKeyOwner, touchKey } from '../../store/api-keys.ts';
import type { Db } from '../../store/db.ts';
import type { UserRow } from '../../store/schema/tables.ts';
import type { Plans } from '../plans/plans.ts';
import { Refusal } from '../refusals/refusal.ts';
import { hashApiKey } from './api-key.ts';
import { anonymousCaller, type Caller, callerKey, userCaller } from './caller.ts';
import { type Origins, verifyBindings } from './key-bindings.ts';
import { manglingOf } from './mangled-key.ts';

/** A key for the lifetime of the process, by which the embedded service recognizes its own command. */
export interface Session {
  readonly hash: string;
  readonly user: UserRow;
}

export interface Credentials extends Origins {
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
}

export interface AuthenticateOptions {
  readonly session: Session | undefined;
  /** Whether anonymous callers are served. */
  readonly allowsAnonymous: boolean;
  readonly plans: Plans;
  readonly now: number;
}

/**
 * Identifies the caller. A missing key is allowed, except where there is a session: any program on this machine,
 * including each page in its browsers, can reach a loopback port. An invalid key is never allowed.
 * @throws Refusal `invalid_api_key`; `unauthorized` if a key is required
 */
export async function authenticate(
  db: Db,
  credentials: Credentials,
  { session, allowsAnonymous, plans, now }: AuthenticateOptions,
): Promise<Caller> {
  const { authorization } = credentials;
  if (authorization === undefined) {
    if (session)
      throw new Refusal('invalid_api_key', 'This service serves only the command that started it.');
    if (!allowsAnonymous) {
      throw new Refusal(
        'unauthorized',
        'This service needs an API key: send it as "Authorization: Bearer <key>".',
      );
    }
    return anonymousCaller(credentials, plans);
  }
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const notes = manglingOf(authorization);
  if (key === undefined || key.length < MIN_API_KEY_LENGTH) throw new Refusal('invalid_api_key', { notes });
  const hash = hashApiKey(key);
  if (session && timingSafeEqual(Buffer.from(hash), Buffer.from(session.hash)))
    return userCaller(session.user, plans);
  const found = await findKeyOwner(db, hash);
  if (!found) throw new Refusal('invalid_api_key', { notes });
  if (found.user.disabled_at !== null) {
    throw new Refusal('invalid_api_key', 'The user of this API key is disabled.');
  }
  verifyBindings(callerKey(found.key), credentials);
  await touchKey(db, found.key, now);
  return userCaller(found.user, plans, found.key);
}
