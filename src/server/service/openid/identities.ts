import { hash } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { Identity } from '../../../protocol/account.ts';
import { listKeys } from '../../store/api-keys.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { lockManagement } from '../../store/locks.ts';
import type { UserRow } from '../../store/schema/tables.ts';
import { revokeKeylessSessions } from '../../store/sessions.ts';
import { findUserByName, type LinkedIdentity, listLinked, unlinkSubject } from '../../store/users.ts';
import {
  type Caller,
  callerKey,
  requireOperator,
  requireScope,
  requireUser,
  type UserCaller,
} from '../callers/caller.ts';
import { noteRevocation } from '../callers/open-requests.ts';
import { logAction } from '../moderation/log.ts';
import { Refusal } from '../refusal.ts';
import { isBound } from '../users/keys.ts';
import { userNotFound } from '../users/users.ts';

/** Hexadecimal digits of an identity's id. */
const ID_LENGTH = 24;

export interface IdentitiesContext {
  readonly db: Db;
  readonly clock: Clock;
}

/** The single sign-on identities of the caller or, for an operator, of another user. @throws Refusal */
export async function readIdentities(
  { db }: Pick<IdentitiesContext, 'db'>,
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
  { db, clock }: IdentitiesContext,
  caller: Caller,
  { id, user: userName, mayBeLast, sessionId }: IdentityToUnlink,
): Promise<void> {
  const own = requireUser(caller);
  await inTransaction(db, async (tx) => {
    await lockManagement(tx);
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
