import { timingSafeEqual } from 'node:crypto';
import { MIN_API_KEY_LENGTH } from '../../protocol/account.ts';
import { findKeyOwner, touchKey } from '../store/api-keys.ts';
import type { Db } from '../store/store.ts';
import type { UserRow } from '../store/tables.ts';
import { hashApiKey } from './api-key.ts';
import { anonymousCaller, type Caller, userCaller } from './caller.ts';
import { Refusal } from './refusal.ts';

/** A key that lives as long as the process: how the embedded service knows its own command. */
export interface Session {
  readonly hash: string;
  readonly user: UserRow;
}

export interface Credentials {
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
  readonly address: string;
}

/** Who is calling. No key at all is allowed; a wrong one is not. @throws Refusal `invalid_api_key` */
export async function authenticate(
  db: Db,
  { authorization, address }: Credentials,
  { session, now }: { session: Session | undefined; now: number },
): Promise<Caller> {
  if (authorization === undefined) return anonymousCaller(address);
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (key === undefined || key.length < MIN_API_KEY_LENGTH) throw new Refusal('invalid_api_key');
  const hash = hashApiKey(key);
  if (session && timingSafeEqual(Buffer.from(hash), Buffer.from(session.hash)))
    return userCaller(session.user);
  const found = await findKeyOwner(db, hash);
  if (!found) throw new Refusal('invalid_api_key');
  await touchKey(db, found.key, now);
  return userCaller(found.user);
}
