import { createHmac, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { inManagement } from '../store/locks.ts';
import { keepMeta, readMeta } from '../store/meta.ts';
import type { SessionRow, SignInLinkRow } from '../store/schema/tables.ts';
import {
  findSession,
  findSignedIn,
  insertLink,
  insertSession,
  listSessions,
  noteSessionUse,
  revokeOtherSessions,
  revokeSession,
  takeLink,
} from '../store/sessions.ts';
import { authenticate, hashSecret, makeSecret, noteRevocation } from './authentication.ts';
import {
  brokenBinding,
  callerKey,
  hasScope,
  type Origins,
  requireScope,
  requireUser,
  type StoreContext,
  type UserCaller,
  userCaller,
} from './callers.ts';
import type { Plans } from './plans.ts';
import { Refusal } from './refusal.ts';

/** Milliseconds after which a person has to sign in again. */
export const SESSION_AGE = 30 * 24 * 3_600_000;
/**
 * Maximum sessions per API key of a user, or per single sign-on account. Beyond that, the oldest of these ends. So a
 * key with few rights cannot end another key's sessions.
 */
const MAX_SESSIONS = 50;
/** Milliseconds between updates of a session's last use. */
const USE_NOTED_EVERY = 10 * 60_000;
/** Characters of a User-Agent to keep. */
const MAX_AGENT = 200;

export interface SessionContext extends StoreContext {
  readonly plans: Plans;
}

export interface SessionCaller {
  readonly caller: UserCaller;
  readonly sessionId: string;
}

/** A session for its user; times are milliseconds since the epoch. */
export interface SessionView
  extends Pick<SessionRow, 'id' | 'agent' | 'created_at' | 'used_at' | 'expires_at'> {
  readonly isCurrent: boolean;
}

/**
 * Signs in with an API key. @returns the session's secret
 * @throws Refusal `invalid_api_key`, also for a key that is bound to web pages or programs
 */
export async function signInWithKey(context: SessionContext, key: string, origins: Origins): Promise<string> {
  const { id, key: used } = await userOfKey(context, key, origins);
  return await startSession(context, { user_id: id, key_id: used?.id ?? null }, origins);
}

/** @throws Refusal `invalid_api_key`, also for a key that is bound to web pages or programs */
export async function userOfKey(context: SessionContext, key: string, origins: Origins): Promise<UserCaller> {
  const { db, plans, clock } = context;
  const credentials = { authorization: `Bearer ${key.trim()}`, ...ofNoPage(origins) };
  return requireUser(
    await authenticate(db, credentials, { allowsAnonymous: false, plans, now: clock.now() }),
  );
}

/**
 * Begins a session under a new secret, which is returned and not stored.
 * @param age milliseconds after which the person has to sign in again
 */
export async function startSession(
  { db, clock }: StoreContext,
  whose: Pick<SessionRow, 'user_id' | 'key_id'>,
  { agents }: Pick<Origins, 'agents'>,
  age = SESSION_AGE,
): Promise<string> {
  const secret = makeSecret();
  const now = clock.now();
  const session = {
    ...whose,
    id: randomBytes(12).toString('hex'),
    hash: hashSecret(secret),
    agent: (agents[0] ?? '').slice(0, MAX_AGENT),
    created_at: now,
    used_at: now,
    expires_at: now + age,
  };
  await inManagement(db, async (tx) => {
    await insertSession(tx, session);
    const all = await listSessions(tx, whose.user_id, now);
    const alike = all.filter(({ key_id }) => key_id === whose.key_id);
    for (const { id } of alike.slice(MAX_SESSIONS)) await revokeSession(tx, whose.user_id, id);
  });
  return secret;
}

/** The user signed in with this secret; undefined if there is none, or the key may not be used from there. */
export async function findCaller(
  { db, clock, plans }: SessionContext,
  secret: string,
  origins: Origins,
): Promise<SessionCaller | undefined> {
  const now = clock.now();
  const session = await findSession(db, hashSecret(secret), now);
  const found = session && (await findSignedIn(db, session));
  if (!found) return undefined;
  if (found.key && brokenBinding(callerKey(found.key), ofNoPage(origins)) !== undefined) return undefined;
  if (now - session.used_at >= USE_NOTED_EVERY) await noteSessionUse(db, session.id, now);
  return { caller: userCaller(found.user, plans, found.key), sessionId: session.id };
}

/** Visitors of web pages know a key that is bound to their origins, so it cannot be used to sign in. */
function ofNoPage(origins: Origins): Origins {
  return { ...origins, origin: undefined };
}

/** The caller's sessions, newest first; without the scope to manage them, only the current one. */
export async function listOwnSessions(
  { db, clock }: SessionContext,
  { caller, sessionId }: SessionCaller,
): Promise<SessionView[]> {
  const sessions = await listSessions(db, caller.id, clock.now());
  const views = sessions.map((session) => ({ ...session, isCurrent: session.id === sessionId }));
  return hasScope(caller, 'account') ? views : views.filter(({ isCurrent }) => isCurrent);
}

/** Ends a session of the caller. @throws Refusal `not_found`; `insufficient_grants` if it is not the current one */
export async function revokeOwnSession(
  { db }: SessionContext,
  { caller, sessionId }: SessionCaller,
  id: string,
): Promise<void> {
  if (id !== sessionId) requireScope(caller, 'account');
  const isEnded = await inTransaction(db, async (tx) => {
    await noteRevocation(tx); // the session's open requests end too
    return await revokeSession(tx, caller.id, id);
  });
  if (!isEnded) throw new Refusal('not_found', 'Session not found.');
}

/** Ends all sessions of the caller but the current one, and the links that would begin others. @throws Refusal `insufficient_grants` */
export async function endOtherSessions(
  { db }: SessionContext,
  { caller, sessionId }: SessionCaller,
): Promise<void> {
  requireScope(caller, 'account');
  await inTransaction(db, async (tx) => {
    await noteRevocation(tx); // the sessions' open requests end too
    await revokeOtherSessions(tx, caller.id, sessionId);
  });
}

/** Milliseconds for which a link can be used. */
const LINK_AGE = 5 * 60_000;

/** Creates a single-use sign-in link. @returns its secret, which is not stored */
export async function makeLink(
  { db, clock }: { readonly db: Db; readonly clock: Pick<Clock, 'now'> },
  whose: Pick<SignInLinkRow, 'user_id' | 'key_id'>,
  age = LINK_AGE,
): Promise<string> {
  const secret = makeSecret();
  await insertLink(db, { ...whose, hash: hashSecret(secret), expires_at: clock.now() + age });
  return secret;
}

/** Signs in with a link and uses it up. @returns the session's secret. @throws Refusal `link_gone` */
export async function signInWithLink(
  context: StoreContext,
  secret: string,
  origins: Pick<Origins, 'agents'>,
): Promise<string> {
  const link = await takeLink(context.db, hashSecret(secret), context.clock.now());
  const found = link && (await findSignedIn(context.db, link));
  if (!found) throw new Refusal('link_gone');
  return await startSession(context, link, origins);
}

/** Asks a service to prove that it has an address and uses the same store as the asking process. */
export interface AddressQuestion {
  /** Without a trailing slash. */
  readonly address: string;
  /** A fresh random value. */
  readonly nonce: string;
}

/**
 * The proof; undefined for an address that is not ours alone: a program that listens there could forward the question
 * and impersonate us.
 */
export async function proveAddress(
  { db, provableAddresses }: { readonly db: Db; readonly provableAddresses: () => readonly string[] },
  question: AddressQuestion,
): Promise<string | undefined> {
  if (!provableAddresses().includes(question.address)) return undefined;
  const key = await readMeta(db, 'address-key');
  return key === undefined ? undefined : proofOf(key, question);
}

/** A secret of the store, made on first use: for its proofs, or for sign-ins with a provider. */
export async function secretOfStore(db: Db, name: 'address-key' | 'sign-in-key'): Promise<string> {
  const known = await readMeta(db, name);
  if (known !== undefined) return known;
  await keepMeta(db, name, makeSecret());
  return await secretOfStore(db, name);
}

/** The answer to a question that only the services of this store can give. */
export function proofOf(key: string, { address, nonce }: AddressQuestion): string {
  // On another machine, the address leads elsewhere.
  const machine = isOnThisMachine(address) ? hostname() : '';
  return createHmac('sha256', key)
    .update(JSON.stringify([address, machine, nonce]))
    .digest('base64url');
}

export function isOnThisMachine(url: string): boolean {
  return /^https?:\/\/(?:127\.|\[::1\]|localhost(?=[:/]|$))/i.test(url);
}
