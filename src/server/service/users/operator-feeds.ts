import type { Db } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import { readMeta, writeMeta } from '../../store/meta.ts';
import { findUserById } from '../../store/sessions.ts';
import { hashSecret, makeSecret } from '../authentication.ts';
import { type Caller, requireOperator, type UserCaller, userCaller } from '../callers.ts';
import type { Plans } from '../plans.ts';

/** Who may read the feed: the IDs of operators, each by the hash of their secret. */
async function readFeeds(db: Db): Promise<Readonly<Record<string, string>>> {
  return JSON.parse((await readMeta(db, 'operator-feeds')) ?? '{}') as Record<string, string>;
}

/**
 * Makes the secret by which a feed reader acts for an operator, in place of the one before. It is not stored.
 * @throws Refusal for callers other than the operator
 */
export async function makeFeedSecret({ db }: { readonly db: Db }, caller: Caller): Promise<string> {
  const { id } = requireOperator(caller);
  const secret = makeSecret();
  await inManagement(db, async (tx) => {
    const others = Object.entries(await readFeeds(tx)).filter(([, owner]) => owner !== id);
    await writeMeta(
      tx,
      'operator-feeds',
      JSON.stringify({ ...Object.fromEntries(others), [hashSecret(secret)]: id }),
    );
  });
  return secret;
}

/** Undefined if the secret is not the newest one of a user who is an operator now. */
export async function findFeedReader(
  { db, plans }: { readonly db: Db; readonly plans: Plans },
  secret: string,
): Promise<UserCaller | undefined> {
  const id = (await readFeeds(db))[hashSecret(secret)];
  const user = id === undefined ? undefined : await findUserById(db, id);
  return user?.role === 'operator' && user.disabled_at === null ? userCaller(user, plans) : undefined;
}
