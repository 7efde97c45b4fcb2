import { hash, randomBytes } from 'node:crypto';
import type { Identity } from '../../protocol/account.ts';
import { SCOPES } from '../../protocol/api-key.ts';
import { MAX_NAME, ProviderError, type Rights } from '../openid/claims.ts';
import type { OpenIdProvider } from '../openid/provider.ts';
import { networkOf } from '../outbound/target.ts';
import { listKeys } from '../store/api-keys.ts';
import type { Db } from '../store/db.ts';
import { inManagement } from '../store/locks.ts';
import type { FirstSignInRow, UserRow } from '../store/schema/tables.ts';
import {
  changeUser,
  deleteFirstSignIn,
  findFirstSignIn,
  findLinkedUser,
  findUserById,
  findUserByName,
  insertFirstSignIn,
  insertUser,
  type LinkedIdentity,
  linkSubject,
  listLinked,
  revokeKeylessSessions,
  unlinkSubject,
} from '../store/sessions.ts';
import { hashSecret, noteRevocation } from './authentication.ts';
import {
  type Caller,
  callerKey,
  type Origins,
  requireOperator,
  requireScope,
  requireUser,
  type StoreContext,
  type UserCaller,
} from './callers.ts';
import type { StoreCeiling } from './limits.ts';
import { logAction } from './moderation.ts';
import { Refusal } from './refusal.ts';
import { type SessionContext, startSession, userOfKey } from './sessions.ts';
import { isBound, isNoStronger } from './users/keys.ts';
import { isOwner, newUser, userNotFound } from './users/users.ts';

/** Hexadecimal digits of an identity's id. */
const ID_LENGTH = 24;

/** The single sign-on identities of the caller or, for an operator, of another user. @throws Refusal */
export async function readIdentities(
  { db }: Pick<StoreContext, 'db'>,
  caller: Caller,
  userName?: string,
): Promise<Identity[]> {
  const { id } = await managedUser(db, requireUser(caller), userName);
  const linked = await listLinked(db, id);
  const isLastWay = linked.length === 1 && !(await hasKeyToSignIn(db, id));
  return linked.map((identity) => ({
    id: idOf(identity),
    issuer: identity.issuer,
    subject: identity.subject,
    createdAt: new Date(identity.created_at).toISOString(),
    isLastWay,
  }));
}

/** The identity to unlink. */
export interface IdentityToUnlink {
  readonly id: string;
  /** Default: the caller. */
  readonly user?: string | undefined;
  /** Whether it may be the only way to sign in. */
  readonly mayBeLast: boolean;
  /** The current session, which continues. */
  readonly sessionId?: string | undefined;
}

/**
 * Unlinks an identity, which then no longer signs in as the user. Ends the user's sessions that were not started with
 * an API key. @throws Refusal `not_found`; `invalid_request` for the only way to sign in, unless that is allowed
 */
export async function unlinkIdentity(
  { db, clock }: StoreContext,
  caller: Caller,
  { id, user: userName, mayBeLast, sessionId }: IdentityToUnlink,
): Promise<void> {
  const own = requireUser(caller);
  await inManagement(db, async (tx) => {
    const user = await managedUser(tx, own, userName);
    const linked = await listLinked(tx, user.id);
    const identity = linked.find((one) => idOf(one) === id);
    if (!identity) throw new Refusal('not_found', `No identity ${id}.`);
    if (!mayBeLast && linked.length === 1) await verifyOtherWay(tx, user);
    await noteRevocation(tx);
    await unlinkSubject(tx, identity);
    await revokeKeylessSessions(tx, user.id, sessionId);
    const act = { operator: own, action: 'unlink_identity', subject: user.name } as const;
    if (user.id !== own.id) await logAction(tx, clock, act);
  });
}

/** @throws Refusal */
async function managedUser(
  db: Db,
  caller: UserCaller,
  name: string = caller.name,
): Promise<Pick<UserRow, 'id' | 'name'>> {
  if (name === caller.name) {
    requireScope(caller, 'account');
    return caller;
  }
  requireOperator(caller);
  const user = await findUserByName(db, name);
  if (!user) throw userNotFound(name);
  return user;
}

async function verifyOtherWay(db: Db, { id, name }: Pick<UserRow, 'id' | 'name'>): Promise<void> {
  if (await hasKeyToSignIn(db, id)) return;
  throw new Refusal(
    'invalid_request',
    `This is the only way for ${name} to sign in. Create an API key first, or confirm with last=yes.`,
  );
}

/** A bound key may not work where its user is. */
async function hasKeyToSignIn(db: Db, userId: string): Promise<boolean> {
  return (await listKeys(db, userId)).some((key) => !isBound(callerKey(key)));
}

function idOf({ issuer, subject }: LinkedIdentity): string {
  return hash('sha256', JSON.stringify([issuer, subject])).slice(0, ID_LENGTH);
}

/**
 * Gives a user the rights from the claims. The owner keeps all rights, so that the provider cannot lock out the person
 * who runs the service.
 */
export async function applyRights(
  tx: Db,
  user: UserRow,
  { plan = user.plan, isOperator }: Rights,
): Promise<void> {
  if (isOwner(user)) return;
  const role = isOperator === undefined ? user.role : isOperator ? 'operator' : 'user';
  if (plan === user.plan && role === user.role) return;
  await changeUser(tx, user.name, { plan, role });
  if (role !== user.role) await noteRevocation(tx);
}

export interface OpenIdContext extends SessionContext {
  /** Undefined if people sign in with keys and links only. */
  readonly openId: OpenIdProvider | undefined;
}

/** Milliseconds after which the service reads a user's claims from the provider again. */
const SESSION_AGE = 24 * 3_600_000;
/** Milliseconds for which a new person may choose an account. */
const FIRST_SIGN_IN_AGE = 10 * 60_000;

/** What a browser returns from the provider with. */
interface Return {
  /** The address to which the provider sent the browser. */
  readonly answer: URL;
  /** The secret with which the browser began. */
  readonly secret: string;
}

/**
 * Signs in the person whom the provider identifies.
 * @returns the session's secret; undefined for a person who is new here (`readFirstSignIn`)
 * @throws ProviderError
 */
export async function signInWithProvider(
  context: OpenIdContext,
  { answer, secret }: Return,
  origins: Origins,
): Promise<string | undefined> {
  const { db, clock, openId } = context;
  if (!openId) throw new ProviderError('stale', 'the provider is no longer configured');
  const identity = await openId.finish(answer, secret, networkOf(origins.address));
  return await inManagement(db, async (tx) => {
    const { issuer, subject, name, rights } = identity;
    const user = await findLinkedUser(tx, identity);
    if (user) return await startProviderSession({ ...context, db: tx }, { user, rights }, origins);
    const expires_at = clock.now() + FIRST_SIGN_IN_AGE;
    const row = { issuer, subject, name, rights: JSON.stringify(rights), expires_at };
    await insertFirstSignIn(tx, { ...row, hash: hashSecret(secret) });
    return undefined;
  });
}

/** @throws ProviderError for a disabled user */
export async function startProviderSession(
  context: SessionContext,
  { user, rights }: { readonly user: UserRow; readonly rights: Rights },
  origins: Origins,
): Promise<string> {
  if (user.disabled_at !== null) throw new ProviderError('not_allowed', 'the user is disabled');
  await applyRights(context.db, user, rights);
  return await startSession(context, { user_id: user.id, key_id: null }, origins, SESSION_AGE);
}

/** Highest number to append to a name; beyond that, names get a random suffix. */
const MAX_NUMBERS = 20;

/** A new person who has signed in with the provider. @throws ProviderError `stale` */
export async function readFirstSignIn({ db, clock }: OpenIdContext, secret: string): Promise<FirstSignInRow> {
  const found = await findFirstSignIn(db, hashSecret(secret), clock.now());
  if (!found) throw new ProviderError('stale', 'the first sign-in has ended');
  return found;
}

/** Creates a user for the new person. @returns the session's secret. @throws ProviderError; Refusal `store_full` */
export async function becomeNewUser(
  context: OpenIdContext & { readonly ceiling: Pick<StoreCeiling, 'verifyRoom'> },
  secret: string,
  origins: Origins,
): Promise<string> {
  context.ceiling.verifyRoom();
  return await inManagement(context.db, async (tx) => {
    const first = await readFirstSignIn({ ...context, db: tx }, secret);
    const user = await addUser(tx, first.name, context.clock.now());
    return await tieTo({ ...context, db: tx }, { first, user }, origins);
  });
}

/**
 * Links the new person to the user of an API key. The key needs full access, because the sign-in will have it.
 * @returns the session's secret
 * @throws Refusal `invalid_api_key`, `insufficient_grants`; ProviderError
 */
export async function becomeUserOfKey(
  context: OpenIdContext,
  { secret, key }: { readonly secret: string; readonly key: string },
  origins: Origins,
): Promise<string> {
  const owner = await userOfKey(context, key, origins);
  return await inManagement(context.db, async (tx) => {
    const first = await readFirstSignIn({ ...context, db: tx }, secret);
    const user = await findUserById(tx, owner.id);
    if (!user) throw new Refusal('invalid_api_key');
    verifyFullPower(owner, user);
    return await tieTo({ ...context, db: tx }, { first, user }, origins);
  });
}

/** @throws Refusal `insufficient_grants` */
function verifyFullPower({ key }: UserCaller, { role }: UserRow): void {
  const scopes = SCOPES.filter((scope) => scope !== 'operator' || role === 'operator');
  const all = { scopes, allowedIps: [], allowedOrigins: [], allowedAgents: [] };
  if (key && isNoStronger(all, key)) return;
  throw new Refusal(
    'insufficient_grants',
    'This key is restricted. Use one with all scopes of its user and without restrictions.',
  );
}

async function tieTo(
  context: OpenIdContext,
  { first, user }: { readonly first: FirstSignInRow; readonly user: UserRow },
  origins: Origins,
): Promise<string> {
  const { db, clock } = context;
  if (!(await linkSubject(db, first, user, clock.now())))
    throw new ProviderError('stale', 'the person is already linked');
  await deleteFirstSignIn(db, first.hash);
  return await startProviderSession(context, { user, rights: JSON.parse(first.rights) as Rights }, origins);
}

/** Creates a user with this name or, if it is taken, with a number added. Never returns an existing user. */
async function addUser(tx: Db, name: string, now: number): Promise<UserRow> {
  for (let tries = 1; ; tries++) {
    const user = newUser(nameFor(name, tries), now, { plan: 'free', role: 'user' });
    if (await insertUser(tx, user)) return user;
  }
}

function nameFor(name: string, tries: number): string {
  if (tries === 1) return name;
  const suffix = tries <= MAX_NUMBERS ? `-${tries}` : `-${randomBytes(4).toString('hex')}`;
  return `${name.slice(0, MAX_NAME - suffix.length)}${suffix}`;
}
