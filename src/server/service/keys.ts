import { randomBytes } from 'node:crypto';
import type { ApiKey, ApiKeyMade } from '../../protocol/account.ts';
import { hadAnyKey, insertKey, listKeys, revokeKey } from '../store/api-keys.ts';
import { type Db, inTransaction } from '../store/store.ts';
import type { ApiKeyRow, UserRow } from '../store/tables.ts';
import { findUserByName } from '../store/users.ts';
import { hashApiKey, makeApiKey } from './api-key.ts';
import type { Caller, UserCaller } from './caller.ts';
import { Refusal } from './refusal.ts';
import { ensureNamedUser } from './users.ts';

/** Makes a key; its secret is in the answer and nowhere else. */
export async function makeKeyFor(
  db: Db,
  user: UserRow,
  { name, now }: { name: string; now: number },
): Promise<ApiKeyMade> {
  const secret = makeApiKey();
  const row: ApiKeyRow = {
    id: randomBytes(12).toString('hex'),
    user_id: user.id,
    name,
    hash: hashApiKey(secret),
    last4: secret.slice(-4),
    created_at: now,
    last_used_at: null,
    revoked_at: null,
  };
  await insertKey(db, row);
  return { ...keyView(row, user.name), secret };
}

/** The owner's first key, on the very first start; undefined ever after. */
export async function makeFirstOwnerKey(db: Db, owner: UserRow, now: number): Promise<string | undefined> {
  return await inTransaction(db, async (tx) => {
    if (await hadAnyKey(tx, owner.id)) return undefined;
    return (await makeKeyFor(tx, owner, { name: 'first key', now })).secret;
  });
}

/** A key for the caller or, for an operator, for any user, who is made when new. */
export async function createKey(
  db: Db,
  caller: Caller,
  wish: { name: string; user?: string | undefined; now: number },
): Promise<ApiKeyMade> {
  const user = requireUser(caller);
  if (wish.user !== undefined && wish.user !== user.name && !user.isOperator) {
    throw new Refusal('insufficient_grants', 'Only the operator of this service makes keys for others.');
  }
  return await inTransaction(db, async (tx) => {
    const owner = await ensureNamedUser(tx, wish.user ?? user.name, wish.now);
    return await makeKeyFor(tx, owner, wish);
  });
}

export async function listOwnKeys(db: Db, caller: Caller, userName?: string): Promise<ApiKey[]> {
  const user = requireUser(caller);
  if (userName === undefined || userName === user.name) {
    return (await listKeys(db, user.id)).map((row) => keyView(row, user.name));
  }
  if (!user.isOperator) throw new Refusal('insufficient_grants', 'These are the keys of another user.');
  const other = await findUserByName(db, userName);
  if (!other) throw new Refusal('user_not_found', `There is no user ${userName}.`);
  return (await listKeys(db, other.id)).map((row) => keyView(row, other.name));
}

export async function revokeOwnKey(db: Db, caller: Caller, id: string, now: number): Promise<void> {
  const user = requireUser(caller);
  const revoked = await revokeKey(db, id, now, user.isOperator ? undefined : user.id);
  if (!revoked) throw new Refusal('not_found', `There is no key ${id}.`);
}

/** The caller as a user. @throws Refusal `unauthorized` for anonymous callers */
export function requireUser(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new Refusal('unauthorized', 'This needs an API key: send it as "Authorization: Bearer <key>".');
}

function keyView(row: ApiKeyRow, user: string): ApiKey {
  const lastUsed = row.last_used_at === null ? {} : { lastUsedAt: new Date(row.last_used_at).toISOString() };
  const createdAt = new Date(row.created_at).toISOString();
  return { id: row.id, name: row.name, user, last4: row.last4, createdAt, ...lastUsed };
}
