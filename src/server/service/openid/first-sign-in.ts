import { randomBytes } from 'node:crypto';
import { SCOPES } from '../../../protocol/api-key.ts';
import { MAX_NAME, type Rights } from '../../openid/claims.ts';
import { ProviderError } from '../../openid/provider-error.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { deleteFirstSignIn, findFirstSignIn, tie } from '../../store/identities.ts';
import { lockManagement } from '../../store/locks.ts';
import type { FirstSignInRow, UserRow } from '../../store/schema/user-tables.ts';
import { findUserById, insertUser } from '../../store/users.ts';
import { authenticate } from '../callers/authenticate.ts';
import { requireUser, type UserCaller } from '../callers/caller.ts';
import type { Origins } from '../callers/key-bindings.ts';
import { Refusal } from '../refusals/refusal.ts';
import { hashSecret } from '../sessions/secrets.ts';
import { isNoStronger } from '../users/key-strength.ts';
import { newUser } from '../users/users.ts';
import { type OpenIdContext, startProviderSession } from './sign-in.ts';

/** Up to which number names are counted; further ones get a random end. */
const MOST_NUMBERS = 20;

/** The person who has signed in with the provider and is new here. @throws ProviderError `stale` */
export async function readFirstSignIn({ db, clock }: OpenIdContext, secret: string): Promise<FirstSignInRow> {
  const found = await findFirstSignIn(db, hashSecret(secret), clock.now());
  if (!found) throw new ProviderError('stale', 'the first sign-in has ended');
  return found;
}

/** Makes a user for the new person. @returns the session's secret. @throws ProviderError */
export async function becomeNewUser(
  context: OpenIdContext,
  secret: string,
  origins: Origins,
): Promise<string> {
  return await inTransaction(context.db, async (tx) => {
    await lockManagement(tx);
    const first = await readFirstSignIn({ ...context, db: tx }, secret);
    const user = await addUser(tx, first.name, context.clock.now());
    return await tieTo({ ...context, db: tx }, { first, user }, origins);
  });
}

/**
 * Ties the new person to the user of an API key. It must be able to do all that its user may: the sign-in will.
 * @returns the session's secret
 * @throws Refusal `invalid_api_key`, `insufficient_grants`; ProviderError
 */
export async function becomeUserOfKey(
  context: OpenIdContext,
  { secret, key }: { readonly secret: string; readonly key: string },
  origins: Origins,
): Promise<string> {
  const { db, plans, clock } = context;
  const credentials = { ...origins, origin: undefined, authorization: `Bearer ${key.trim()}` };
  const caller = await authenticate(db, credentials, { allowsAnonymous: false, plans, now: clock.now() });
  const owner = requireUser(caller);
  return await inTransaction(db, async (tx) => {
    await lockManagement(tx);
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
    'This key has not all rights of its user, or is bound to a place: take one that has them all.',
  );
}

async function tieTo(
  context: OpenIdContext,
  { first, user }: { readonly first: FirstSignInRow; readonly user: UserRow },
  origins: Origins,
): Promise<string> {
  const { db, clock } = context;
  if (!(await tie(db, first, user, clock.now())))
    throw new ProviderError('stale', 'the person is tied already');
  await deleteFirstSignIn(db, first.hash);
  const rights = JSON.parse(first.rights) as Rights;
  return await startProviderSession(context, { user, identity: { rights } }, origins);
}

/** A user of this name or, as others may have it, of one with a number. Never an existing user. */
async function addUser(tx: Db, name: string, now: number): Promise<UserRow> {
  for (let tries = 1; ; tries++) {
    const user = newUser(nameFor(name, tries), now, { plan: 'free', role: 'user' });
    if (await insertUser(tx, user)) return user;
  }
}

function nameFor(name: string, tries: number): string {
  if (tries === 1) return name;
  const suffix = tries <= MOST_NUMBERS ? `-${tries}` : `-${randomBytes(4).toString('hex')}`;
  return `${name.slice(0, MAX_NAME - suffix.length)}${suffix}`;
}
