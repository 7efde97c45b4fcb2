import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import type {
  ApiKey,
  ApiKeyMade,
  apiKeyBodySchema,
  apiKeyChangeSchema,
  Scope,
} from '../../../protocol/api-key.ts';
import type { OperatorAction } from '../../../protocol/moderation.ts';
import { isWithin } from '../../outbound/target.ts';
import {
  changeKey,
  countKeys,
  findKey,
  forgetRevokedKeys,
  hadAnyKey,
  hasKeyWithHash,
  hasKeyWithId,
  insertKey,
  type KeyChange,
  listKeys,
} from '../../store/api-keys.ts';
import type { Db } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import type { ApiKeyRow, UserRow } from '../../store/schema/tables.ts';
import { findUserByName } from '../../store/sessions.ts';
import { hashSecret, makeApiKey, noteRevocation } from '../authentication.ts';
import {
  type Caller,
  callerKey,
  hasScope,
  type KeyBindings,
  type KeyPower,
  requireOperator,
  requireScope,
  requireUser,
  type StoreContext,
  type UserCaller,
  usualScopes,
} from '../callers.ts';
import { logAction } from '../moderation.ts';
import { Refusal } from '../refusal.ts';
import { ensureNamedUser, isOwner, OWNER_NAME, userNotFound } from './users.ts';

/** Whether a key has no scope that the other key lacks, and is usable nowhere that the other key is not. */
export function isNoStronger(key: KeyPower, other: KeyPower): boolean {
  return (
    key.scopes.every((scope) => other.scopes.includes(scope)) &&
    isAsBound(key.allowedIps, other.allowedIps, isWithin) &&
    isAsBound(key.allowedOrigins, other.allowedOrigins) &&
    isAsBound(key.allowedAgents, other.allowedAgents)
  );
}

export function isBound({ allowedIps, allowedOrigins, allowedAgents }: KeyBindings): boolean {
  return [allowedIps, allowedOrigins, allowedAgents].some((places) => places.length > 0);
}

function isAsBound(
  places: readonly string[],
  others: readonly string[],
  isInside = (place: string, other: string) => place === other,
): boolean {
  if (others.length === 0) return true;
  return places.length > 0 && places.every((place) => others.some((other) => isInside(place, other)));
}

/** Maximum number of keys per user, and of revoked ones that are remembered. */
const MAX_KEYS = 100;
const MAX_REVOKED = 100;

/** A key to create, with its scopes resolved. */
type NewKey = Omit<z.output<typeof apiKeyBodySchema>, 'user' | 'scopes'> & {
  readonly scopes: readonly Scope[];
  /** Default: a random one. */
  readonly id?: string | undefined;
};
type KeyInput = Omit<z.output<typeof apiKeyBodySchema>, 'user'>;
type Change = z.output<typeof apiKeyChangeSchema>;

const FIRST_KEY: KeyInput = {
  name: 'first key',
  allowedIps: [],
  allowedOrigins: [],
  allowedAgents: [],
  v2Compat: false,
};

/** Creates a key. Its secret is in the result and is not stored. */
async function makeKeyFor(db: Db, user: UserRow, input: NewKey, now: number): Promise<ApiKeyMade> {
  const { secret = makeApiKey(), id = randomBytes(12).toString('hex') } = input;
  const row: ApiKeyRow = {
    id,
    user_id: user.id,
    name: input.name,
    hash: hashSecret(secret),
    last4: secret.slice(-4),
    created_at: now,
    last_used_at: null,
    revoked_at: null,
    allowed_ips: JSON.stringify(input.allowedIps),
    allowed_origins: JSON.stringify(input.allowedOrigins),
    allowed_agents: JSON.stringify(input.allowedAgents),
    v2_compat: input.v2Compat ? 1 : 0,
    scopes: JSON.stringify(input.scopes),
    generations: 0,
  };
  await insertKey(db, row);
  return { ...keyView(row, user.name), secret };
}

/** Creates the owner's first key on the very first start; returns undefined on all later ones. */
export async function makeFirstOwnerKey(db: Db, owner: UserRow, now: number): Promise<string | undefined> {
  return await inManagement(db, async (tx) => {
    if (await hadAnyKey(tx, owner.id)) return undefined;
    return (await makeOwnersKey(tx, owner, FIRST_KEY, now)).secret;
  });
}

/** Creates a key without a permission check: anyone who can write to the store may have one. */
export async function makeOwnersKey(
  db: Db,
  owner: UserRow,
  input: KeyInput,
  now: number,
): Promise<ApiKeyMade> {
  const scopes = input.scopes ?? usualScopes({ isBound: isBound(input), isOperator: true });
  return await makeKeyFor(db, owner, { ...input, scopes }, now);
}

/**
 * Creates a key for the caller, no stronger than the key of the request. An operator may create one for any user, who
 * is created if necessary. `id`: the new key's, so that a request that is repeated creates no second one; status 409
 * says that it did. @throws Refusal
 */
export async function createKey(
  { db, clock }: StoreContext,
  caller: Caller,
  { user: userName, ...input }: z.output<typeof apiKeyBodySchema> & Pick<NewKey, 'id'>,
): Promise<ApiKeyMade> {
  const user = requireUser(caller);
  const isOwn = userName === undefined || userName === user.name;
  verifyMayManage(user, isOwn);
  if (input.secret !== undefined) requireOperator(user);
  const key = { ...input, scopes: input.scopes ?? scopesFor(user, isOwn, input) };
  if (key.scopes.length === 0)
    throw new Refusal('insufficient_grants', 'This key has no scope that it could give to a new key.');
  verifyNoStronger(user, key);
  const now = clock.now();
  return await inManagement(db, async (tx) => {
    const owner = await ensureNamedUser(tx, userName ?? user.name, now);
    verifyRole(owner, key);
    verifyMayGive(user, owner, key);
    if ((await countKeys(tx, owner.id)) >= MAX_KEYS) {
      throw new Refusal('invalid_request', `${owner.name} has ${MAX_KEYS} keys, the maximum.`);
    }
    if (key.id !== undefined && (await hasKeyWithId(tx, key.id)))
      throw new Refusal('invalid_request', { message: 'This key has already been created.', status: 409 });
    if (key.secret !== undefined) await verifyNew(tx, key.secret);
    await forgetRevokedKeys(tx, owner.id, MAX_REVOKED);
    const made = await makeKeyFor(tx, owner, key, now);
    if (!isOwn) await noteKey(tx, { clock, operator: user }, { action: 'create_key', key: made });
    return made;
  });
}

/** Logs an operator's action on another user's key. */
async function noteKey(
  tx: Db,
  { clock, operator }: { readonly clock: Clock; readonly operator: UserCaller },
  { action, key }: { readonly action: OperatorAction; readonly key: Pick<ApiKey, 'id' | 'name' | 'user'> },
): Promise<void> {
  await logAction(tx, clock, { operator, action, subject: key.user, note: `${key.name} (${key.id})`.trim() });
}

/** The scopes of a new key: never more than those of the key that creates it. */
function scopesFor(user: UserCaller, isOwn: boolean, input: KeyInput): Scope[] {
  const mayBeShared = isBound(input) || input.secret !== undefined;
  const usual = usualScopes({ isBound: mayBeShared, isOperator: isOwn && user.isOperator });
  return usual.filter((scope) => hasScope(user, scope));
}

/** @throws Refusal `invalid_request` for a key that exists or existed */
async function verifyNew(db: Db, secret: string): Promise<void> {
  if (!(await hasKeyWithHash(db, hashSecret(secret)))) return;
  throw new Refusal('invalid_request', 'This key already exists.');
}

/** Managing one's own keys requires `account`, managing those of others `operator`. @throws Refusal `insufficient_grants` */
function verifyMayManage(user: UserCaller, isOwn: boolean): void {
  if (isOwn) requireScope(user, 'account');
  else requireOperator(user);
}

/**
 * A key must not make itself or any other key more powerful, or usable from more places, than itself. `before`: the key
 * before the change; it may keep the power it had.
 * @throws Refusal `insufficient_grants`
 */
function verifyNoStronger({ key: own }: UserCaller, key: KeyPower, before?: KeyPower): void {
  if (own === undefined || isNoStronger(key, own) || (before && isNoStronger(key, before))) return;
  throw new Refusal(
    'insufficient_grants',
    'A key cannot give another key more scopes or fewer restrictions than it has itself.',
  );
}

/** @throws Refusal `insufficient_grants` for the operator scope on the key of a user who is not an operator */
function verifyRole({ name, role }: UserRow, { scopes }: Pick<KeyPower, 'scopes'>): void {
  if (role === 'operator' || !scopes.includes('operator')) return;
  throw new Refusal(
    'insufficient_grants',
    `${name} is not an operator, so their keys cannot have the scope operator.`,
  );
}

/**
 * Only the owner and the user themselves may create an operator's keys with that scope: another operator's role may
 * end, but such a key would remain. @throws Refusal `insufficient_grants`
 */
function verifyMayGive(user: UserCaller, to: UserRow, key: KeyPower, before?: KeyPower): void {
  if (user.id === to.id || isOwner(user) || !key.scopes.includes('operator')) return;
  if (before && isNoStronger(key, before)) return;
  throw new Refusal(
    'insufficient_grants',
    `Only ${OWNER_NAME} and ${to.name} may give a key of ${to.name} the scope operator, or lift its restrictions.`,
  );
}

export async function listOwnKeys(db: Db, caller: Caller, userName?: string): Promise<ApiKey[]> {
  const user = requireUser(caller);
  const isOwn = userName === undefined || userName === user.name;
  verifyMayManage(user, isOwn);
  if (isOwn) return (await listKeys(db, user.id)).map((row) => keyView(row, user.name));
  const other = await findUserByName(db, userName);
  if (!other) throw userNotFound(userName);
  return (await listKeys(db, other.id)).map((row) => keyView(row, other.name));
}

/**
 * Changes a key of the caller or, for an operator, of any user. The change applies from the next request with the key.
 */
export async function changeOwnKey(
  context: StoreContext,
  caller: Caller,
  id: string,
  change: Change,
): Promise<ApiKey> {
  const { name, allowedIps, allowedOrigins, allowedAgents, v2Compat, scopes } = change;
  return await changeAny(context, caller, id, {
    ...(name !== undefined && { name }),
    ...(allowedIps && { allowed_ips: JSON.stringify(allowedIps) }),
    ...(allowedOrigins && { allowed_origins: JSON.stringify(allowedOrigins) }),
    ...(allowedAgents && { allowed_agents: JSON.stringify(allowedAgents) }),
    ...(v2Compat !== undefined && { v2_compat: v2Compat ? 1 : 0 }),
    ...(scopes && { scopes: JSON.stringify(scopes) }),
  });
}

export async function revokeOwnKey(context: StoreContext, caller: Caller, id: string): Promise<void> {
  await changeAny(context, caller, id, { revoked_at: context.clock.now() });
}

async function changeAny(
  { db, clock }: StoreContext,
  caller: Caller,
  id: string,
  change: KeyChange,
): Promise<ApiKey> {
  const user = requireUser(caller);
  return await inManagement(db, async (tx) => {
    const found = await findKey(tx, id);
    const isOwn = found?.user.id === user.id;
    if (!found || !(isOwn || user.isOperator)) {
      requireScope(user, 'account');
      throw new Refusal('not_found', `No key ${id}.`);
    }
    verifyMayManage(user, isOwn);
    const before = callerKey(found.key);
    const after = callerKey({ ...found.key, ...change });
    // The user may have been an operator when the key was created. It can be revoked anyway.
    if (change.scopes !== undefined) verifyRole(found.user, after);
    verifyNoStronger(user, after, before);
    verifyMayGive(user, found.user, after, before);
    await noteRevocation(tx);
    const key = keyView(await changeKey(tx, id, change), found.user.name);
    const action = change.revoked_at === undefined ? 'change_key' : 'revoke_key';
    if (!isOwn) await noteKey(tx, { clock, operator: user }, { action, key });
    return key;
  });
}

function keyView(row: ApiKeyRow, user: string): ApiKey {
  const { allowedIps, allowedOrigins, allowedAgents, v2Compat, scopes } = callerKey(row);
  const lastUsed = row.last_used_at === null ? {} : { lastUsedAt: new Date(row.last_used_at).toISOString() };
  const createdAt = new Date(row.created_at).toISOString();
  return {
    id: row.id,
    name: row.name,
    user,
    last4: row.last4,
    createdAt,
    ...lastUsed,
    generations: row.generations,
    allowedIps,
    allowedOrigins,
    allowedAgents,
    v2Compat,
    scopes: [...scopes],
  };
}
