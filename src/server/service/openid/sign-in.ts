import type { Identity, OpenIdProvider } from '../../openid/provider.ts';
import { ProviderError } from '../../openid/provider-error.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { findTiedUser, insertFirstSignIn } from '../../store/identities.ts';
import { lockManagement } from '../../store/locks.ts';
import { keepMeta, readMeta } from '../../store/meta.ts';
import type { UserRow } from '../../store/schema/user-tables.ts';
import { networkOf } from '../callers/caller.ts';
import type { Origins } from '../callers/key-bindings.ts';
import { hashSecret, makeSecret } from '../sessions/secrets.ts';
import { type SessionContext, startSession } from '../sessions/sessions.ts';
import { applyRights } from './rights.ts';

export interface OpenIdContext extends SessionContext {
  /** Undefined where people sign in with keys and links only. */
  readonly openId: OpenIdProvider | undefined;
}

/** Milliseconds after which the provider is asked again who may do what. */
const SESSION_AGE = 24 * 3_600_000;
/** Milliseconds in which a new person says which user that is. */
const FIRST_SIGN_IN_AGE = 10 * 60_000;

/** What a browser brings back from the provider. */
interface Return {
  /** The address that the provider led the browser to. */
  readonly answer: URL;
  /** What the browser began with. */
  readonly secret: string;
}

/**
 * Signs in whom the provider vouches for.
 * @returns the session's secret; undefined for a person who is new here (first-sign-in.ts)
 * @throws ProviderError
 */
export async function signInWithProvider(
  context: OpenIdContext,
  { answer, secret }: Return,
  origins: Origins,
): Promise<string | undefined> {
  const { db, clock, openId } = context;
  if (!openId) throw new ProviderError('stale', 'there is no provider any more');
  const identity = await openId.finish(answer, secret, networkOf(origins.address));
  return await inTransaction(db, async (tx) => {
    await lockManagement(tx);
    const user = await findTiedUser(tx, identity);
    if (user) return await startProviderSession({ ...context, db: tx }, { user, identity }, origins);
    const expires_at = clock.now() + FIRST_SIGN_IN_AGE;
    const { issuer, subject, name, rights } = identity;
    const row = { issuer, subject, name, rights: JSON.stringify(rights), expires_at };
    await insertFirstSignIn(tx, { ...row, hash: hashSecret(secret) });
    return undefined;
  });
}

/** What makes the parts of a sign-in the service's own: a secret in the store, for nothing else. */
export async function signInKey(db: Db): Promise<string> {
  const known = await readMeta(db, 'sign-in-key');
  if (known !== undefined) return known;
  await keepMeta(db, 'sign-in-key', makeSecret());
  return await signInKey(db);
}

interface SignedInPerson {
  readonly user: UserRow;
  readonly identity: Pick<Identity, 'rights'>;
}

/** @throws ProviderError for a disabled user */
export async function startProviderSession(
  context: SessionContext,
  { user, identity }: SignedInPerson,
  origins: Origins,
): Promise<string> {
  if (user.disabled_at !== null) throw new ProviderError('not_allowed', 'the user is disabled');
  await applyRights(context.db, user, identity.rights);
  return await startSession(context, { user_id: user.id, key_id: null }, origins, SESSION_AGE);
}
