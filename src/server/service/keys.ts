import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { ApiKey, ApiKeyMade, apiKeyBodySchema, apiKeyChangeSchema } from '../../protocol/api-key.ts';
import {
  changeKey,
  countKeys,
  hadAnyKey,
  insertKey,
  type KeyChange,
  type KeyChoice,
  listKeys,
} from '../store/api-keys.ts';
import { type Db, inTransaction } from '../store/store.ts';
import type { ApiKeyRow, UserRow } from '../store/tables.ts';
import { findUserByName } from '../store/users.ts';
import { hashApiKey, makeApiKey } from './api-key.ts';
import { type Caller, callerKey, requireUser } from './caller.ts';
import { Refusal } from './refusal.ts';
import { ensureNamedUser, noSuchUser } from './users.ts';

/** Keys that a user may have at one time. */
const MAX_KEYS = 100;

type Wish = Omit<z.output<typeof apiKeyBodySchema>, 'user'>;
type Change = z.output<typeof apiKeyChangeSchema>;

const UNBOUND: Wish = {
  name: 'first key',
  allowedIps: [],
  allowedOrigins: [],
  allowedAgents: [],
  v2Compat: false,
};

/** Makes a key; its secret is in the answer and nowhere else. */
async function makeKeyFor(db: Db, user: UserRow, wish: Wish, now: number): Promise<ApiKeyMade> {
  const secret = makeApiKey();
  const row: ApiKeyRow = {
    id: randomBytes(12).toString('hex'),
    user_id: user.id,
    name: wish.name,
    hash: hashApiKey(secret),
    last4: secret.slice(-4),
    created_at: now,
    last_used_at: null,
    revoked_at: null,
    allowed_ips: JSON.stringify(wish.allowedIps),
    allowed_origins: JSON.stringify(wish.allowedOrigins),
    allowed_agents: JSON.stringify(wish.allowedAgents),
    v2_compat: wish.v2Compat ? 1 : 0,
  };
  await insertKey(db, row);
  return { ...keyView(row, user.name), secret };
}

/** The owner's first key, on the very first start; undefined ever after. */
export async function makeFirstOwnerKey(db: Db, owner: UserRow, now: number): Promise<string | undefined> {
  return await inTransaction(db, async (tx) => {
    if (await hadAnyKey(tx, owner.id)) return undefined;
    return (await makeKeyFor(tx, owner, UNBOUND, now)).secret;
  });
}

/** A key for the caller or, for an operator, for any user, who is made when new. @throws Refusal */
export async function createKey(
  db: Db,
  caller: Caller,
  { user: userName, ...wish }: z.output<typeof apiKeyBodySchema>,
  now: number,
): Promise<ApiKeyMade> {
  const user = requireUser(caller);
  if (userName !== undefined && userName !== user.name && !user.isOperator) {
    throw new Refusal('insufficient_grants', 'Only the operator of this service makes keys for others.');
  }
  return await inTransaction(db, async (tx) => {
    const owner = await ensureNamedUser(tx, userName ?? user.name, now);
    if ((await countKeys(tx, owner.id)) >= MAX_KEYS) {
      throw new Refusal('invalid_request', `${owner.name} has ${MAX_KEYS} keys, the most there can be.`);
    }
    return await makeKeyFor(tx, owner, wish, now);
  });
}

export async function listOwnKeys(db: Db, caller: Caller, userName?: string): Promise<ApiKey[]> {
  const user = requireUser(caller);
  if (userName === undefined || userName === user.name) {
    return (await listKeys(db, user.id)).map((row) => keyView(row, user.name));
  }
  if (!user.isOperator) throw new Refusal('insufficient_grants', 'These are the keys of another user.');
  const other = await findUserByName(db, userName);
  if (!other) throw noSuchUser(userName);
  return (await listKeys(db, other.id)).map((row) => keyView(row, other.name));
}

/** Changes a key of the caller or, for an operator, of anybody; it holds from the next request with it. */
export async function changeOwnKey(db: Db, caller: Caller, id: string, change: Change): Promise<ApiKey> {
  const { name, allowedIps, allowedOrigins, allowedAgents, v2Compat } = change;
  return await changeAny(db, caller, id, {
    ...(name !== undefined && { name }),
    ...(allowedIps && { allowed_ips: JSON.stringify(allowedIps) }),
    ...(allowedOrigins && { allowed_origins: JSON.stringify(allowedOrigins) }),
    ...(allowedAgents && { allowed_agents: JSON.stringify(allowedAgents) }),
    ...(v2Compat !== undefined && { v2_compat: v2Compat ? 1 : 0 }),
  });
}

export async function revokeOwnKey(db: Db, caller: Caller, id: string, now: number): Promise<void> {
  await changeAny(db, caller, id, { revoked_at: now });
}

async function changeAny(db: Db, caller: Caller, id: string, change: KeyChange): Promise<ApiKey> {
  const user = requireUser(caller);
  const choice: KeyChoice = { id, userId: user.isOperator ? undefined : user.id };
  const changed = await inTransaction(db, async (tx) => await changeKey(tx, choice, change));
  if (!changed) throw new Refusal('not_found', `There is no key ${id}.`);
  return keyView(changed.key, changed.user.name);
}

function keyView(row: ApiKeyRow, user: string): ApiKey {
  const { allowedIps, allowedOrigins, allowedAgents, v2Compat } = callerKey(row);
  const lastUsed = row.last_used_at === null ? {} : { lastUsedAt: new Date(row.last_used_at).toISOString() };
  const createdAt = new Date(row.created_at).toISOString();
  return {
    id: row.id,
    name: row.name,
    user,
    last4: row.last4,
    createdAt,
    ...lastUsed,
    allowedIps,
    allowedOrigins,
    allowedAgents,
    v2Compat,
  };
}
