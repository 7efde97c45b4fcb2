import type { Clock } from '../../../base/clock.ts';
import type { Db } from '../../store/db.ts';
import type { SignInLinkRow } from '../../store/schema/user-tables.ts';
import { findSignedIn, insertLink, takeLink } from '../../store/sessions.ts';
import type { Origins } from '../callers/key-bindings.ts';
import { Refusal } from '../refusals/refusal.ts';
import { hashSecret, makeSecret } from './secrets.ts';
import { startSession } from './sessions.ts';

/** Milliseconds for which a link can be used. */
const LINK_AGE = 5 * 60_000;

interface LinkContext {
  readonly db: Db;
  readonly clock: Clock;
}

/** Makes a link that signs in once. @returns its secret, which is not stored */
export async function makeLink(
  { db, clock }: { readonly db: Db; readonly clock: Pick<Clock, 'now'> },
  whose: Pick<SignInLinkRow, 'user_id' | 'key_id'>,
): Promise<string> {
  const secret = makeSecret();
  await insertLink(db, { ...whose, hash: hashSecret(secret), expires_at: clock.now() + LINK_AGE });
  return secret;
}

/** Signs in with a link, which is used up. @returns the session's secret. @throws Refusal `unauthorized` */
export async function signInWithLink(
  context: LinkContext,
  secret: string,
  origins: Pick<Origins, 'agents'>,
): Promise<string> {
  const link = await takeLink(context.db, hashSecret(secret), context.clock.now());
  const found = link && (await findSignedIn(context.db, link));
  if (!found) throw new Refusal('unauthorized', 'This sign-in link was used already, or it is too old.');
  return await startSession(context, link, origins);
}
