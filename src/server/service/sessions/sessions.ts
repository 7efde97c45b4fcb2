import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { lockManagement } from '../../store/locks.ts';
import type { SessionRow } from '../../store/schema/user-tables.ts';
import {
  deleteSession,
  findSession,
  findSignedIn,
  insertSession,
  listSessions,
  noteSessionUse,
} from '../../store/sessions.ts';
import { authenticate } from '../callers/authenticate.ts';
import { callerKey, requireUser, type UserCaller, userCaller } from '../callers/caller.ts';
import { type Origins, verifyBindings } from '../callers/key-bindings.ts';
import { noteRevocation } from '../callers/open-requests.ts';
import { hasScope, requireScope } from '../callers/scopes.ts';
import type { Plans } from '../plans/plans.ts';
import { Refusal } from '../refusals/refusal.ts';
import { hashSecret, makeSecret } from './secrets.ts';

/** Milliseconds after which a person has to sign in again. */
export const SESSION_AGE = 30 * 24 * 3_600_000;
/**
 * Maximum number of sessions that one API key of a user began, or an account at a provider; with more, the oldest of
 * these ends. A key with few rights so ends no session of another.
 */
const MAX_SESSIONS = 50;
/** Milliseconds between two notes of a session's use. */
const USE_NOTED_EVERY = 10 * 60_000;
/** Characters of a User-Agent that are kept. */
const MAX_AGENT = 200;

export interface SessionContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly plans: Plans;
}

/** A caller who is signed in, and by which session. */
export interface SessionCaller {
  readonly caller: UserCaller;
  readonly sessionId: string;
}

/** A session as its user sees it; times are milliseconds since the epoch. */
export interface SessionView
  extends Pick<SessionRow, 'id' | 'agent' | 'created_at' | 'used_at' | 'expires_at'> {
  readonly isCurrent: boolean;
}

/**
 * Signs in with an API key. @returns the session's secret
 * @throws Refusal `invalid_api_key`, also for a key that is bound to web pages or programs
 */
export async function signInWithKey(context: SessionContext, key: string, origins: Origins): Promise<string> {
  const { db, plans, clock } = context;
  const credentials = { authorization: `Bearer ${key.trim()}`, ...ofNoPage(origins) };
  const caller = await authenticate(db, credentials, { allowsAnonymous: false, plans, now: clock.now() });
  const { id, key: used } = requireUser(caller);
  return await startSession(context, { user_id: id, key_id: used?.id ?? null }, origins);
}

/**
 * Begins a session under a new secret, which is returned and not stored.
 * @param age milliseconds after which the person has to sign in again
 */
export async function startSession(
  { db, clock }: Pick<SessionContext, 'db' | 'clock'>,
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
  await inTransaction(db, async (tx) => {
    await lockManagement(tx);
    await insertSession(tx, session);
    const all = await listSessions(tx, whose.user_id, now);
    const alike = all.filter(({ key_id }) => key_id === whose.key_id);
    for (const { id } of alike.slice(MAX_SESSIONS)) await deleteSession(tx, whose.user_id, id);
  });
  return secret;
}

/** Who is signed in under this secret; undefined if nobody is, or its key may not be used from there. */
export async function findCaller(
  { db, clock, plans }: SessionContext,
  secret: string,
  origins: Origins,
): Promise<SessionCaller | undefined> {
  const now = clock.now();
  const session = await findSession(db, hashSecret(secret), now);
  const found = session && (await findSignedIn(db, session));
  if (!found) return undefined;
  if (found.key && !isAllowed(() => verifyBindings(callerKey(found.key!), ofNoPage(origins))))
    return undefined;
  if (now - session.used_at >= USE_NOTED_EVERY) await noteSessionUse(db, session.id, now);
  return { caller: userCaller(found.user, plans, found.key), sessionId: session.id };
}

/** A key that is bound to the origins of web pages is known to their visitors: nobody signs in with it. */
function ofNoPage(origins: Origins): Origins {
  return { ...origins, origin: undefined };
}

function isAllowed(verify: () => void): boolean {
  try {
    verify();
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** The sessions of the caller, newest first; without the scope to manage them, only the one that asks. */
export async function listOwnSessions(
  { db, clock }: SessionContext,
  { caller, sessionId }: SessionCaller,
): Promise<SessionView[]> {
  const sessions = await listSessions(db, caller.id, clock.now());
  const views = sessions.map((session) => ({ ...session, isCurrent: session.id === sessionId }));
  return hasScope(caller, 'account') ? views : views.filter(({ isCurrent }) => isCurrent);
}

/** Ends a session of the caller. @throws Refusal `not_found`; `insufficient_grants` if it is not the one that asks */
export async function endSession(
  { db }: SessionContext,
  { caller, sessionId }: SessionCaller,
  id: string,
): Promise<void> {
  if (id !== sessionId) requireScope(caller, 'account');
  const isEnded = await inTransaction(db, async (tx) => {
    await noteRevocation(tx); // what the session has open ends too
    return await deleteSession(tx, caller.id, id);
  });
  if (!isEnded) throw new Refusal('not_found', 'There is no such session.');
}
