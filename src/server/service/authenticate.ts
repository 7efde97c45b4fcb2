import { timingSafeEqual } from 'node:crypto';
import { MIN_API_KEY_LENGTH } from '../../protocol/account.ts';
import { findKeyOwner, touchKey } from '../store/api-keys.ts';
import type { Db } from '../store/store.ts';
import type { UserRow } from '../store/tables.ts';
import { hashApiKey } from './api-key.ts';
import { anonymousCaller, type Caller, callerKey, userCaller } from './caller.ts';
import { type Origins, verifyBindings } from './key-bindings.ts';
import type { Plans } from './plans.ts';
import { Refusal } from './refusal.ts';

/** A key that lives as long as the process: how the embedded service knows its own command. */
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
  /** Whether callers without a key are served. */
  readonly allowsAnonymous: boolean;
  readonly plans: Plans;
  readonly now: number;
}

/**
 * Who is calling. No key at all is allowed, but not where there is a session: whatever runs on this machine, each page
 * in its browsers too, reaches a loopback port. A wrong key never is.
 * @throws Refusal `invalid_api_key`; `unauthorized` where everybody needs a key
 */
export async function authenticate(
  db: Db,
  credentials: Credentials,
  { session, allowsAnonymous, plans, now }: AuthenticateOptions,
): Promise<Caller> {
  const { authorization } = credentials;
  if (authorization === undefined) {
    if (session)
      throw new Refusal('invalid_api_key', 'This service is for the command alone that it is a part of.');
    if (!allowsAnonymous) {
      throw new Refusal(
        'unauthorized',
        'This service needs an API key: send it as "Authorization: Bearer <key>".',
      );
    }
    return anonymousCaller(credentials.address, plans);
  }
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (key === undefined || key.length < MIN_API_KEY_LENGTH) throw new Refusal('invalid_api_key');
  const hash = hashApiKey(key);
  if (session && timingSafeEqual(Buffer.from(hash), Buffer.from(session.hash)))
    return userCaller(session.user, plans);
  const found = await findKeyOwner(db, hash);
  if (!found) throw new Refusal('invalid_api_key');
  if (found.user.disabled_at !== null) {
    throw new Refusal('invalid_api_key', 'The user of this API key is disabled.');
  }
  verifyBindings(callerKey(found.key), credentials);
  await touchKey(db, found.key, now);
  return userCaller(found.user, plans, found.key);
}
