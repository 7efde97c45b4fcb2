import type { Db } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import type { SetRow } from '../../store/schema/tables.ts';
import {
  countReservedNames,
  deleteSetName,
  findSetByPublicName,
  findSetName,
  putSetName,
  type ReservedName,
  reservedNamesOf,
} from '../../store/set-names.ts';
import { countSetsOf, findSetByName } from '../../store/sets.ts';
import { type Caller, requireUser, type StoreContext } from '../callers.ts';
import { logAction } from '../moderation.ts';
import { Refusal } from '../refusal.ts';

/** Maximum sets and reserved names per user. */
const MAX_SETS = 500;

/** @throws Refusal `invalid_request` */
export async function requireRoom(tx: Db, owner: string): Promise<void> {
  if ((await countSetsOf(tx, owner)) + (await countReservedNames(tx, owner)) < MAX_SETS) return;
  throw new Refusal(
    'invalid_request',
    `You already have ${MAX_SETS} sets and reserved names, the maximum. Release a name or delete a private set first.`,
  );
}

type NamedSet = Pick<SetRow, 'uuid' | 'owner' | 'slug' | 'visibility'>;

/** Why a set may not have its name, as a sentence; undefined: it may. */
export async function nameObstacle(tx: Db, set: NamedSet): Promise<string | undefined> {
  const { uuid, owner, slug } = set;
  const own = await findSetByName(tx, { owner }, slug);
  if (own && own.uuid !== uuid) return `You already have a set with the name ${own.name}.`;
  const given = await findSetName(tx, slug);
  if (!given) return undefined;
  if (given.owner !== owner)
    return set.visibility === 'public' ? `The name ${slug} is another user's, for a public set.` : undefined;
  const holder = await findSetByPublicName(tx, slug);
  return holder && holder.uuid !== uuid
    ? `The name ${slug} still leads to your set ${holder.name}. Release it first.`
    : undefined;
}

/**
 * `seen`: the owner, if the caller's key may read the owner's sets; to others it tells nothing about those.
 * @throws Refusal `invalid_request`
 */
export async function requireFreeName(tx: Db, set: NamedSet, seen: string | undefined): Promise<void> {
  const obstacle = await nameObstacle(tx, set);
  if (obstacle === undefined) return;
  throw new Refusal('invalid_request', seen === set.owner ? obstacle : `The name ${set.slug} is taken.`);
}

/** Keeps the name of a public set for its owner: game servers may get to know the address of its pack. */
export async function keepName(
  tx: Db,
  { id, owner, slug, visibility }: Omit<NamedSet, 'uuid'> & Pick<SetRow, 'id'>,
): Promise<void> {
  if (visibility === 'public') await putSetName(tx, { slug, owner, set_id: id });
}

/** The names that are kept for the caller, although no public set has them. @throws Refusal `unauthorized` */
export async function readReservedNames(
  { db }: Pick<StoreContext, 'db'>,
  caller: Caller,
): Promise<ReservedName[]> {
  return await reservedNamesOf(db, requireUser(caller).owner);
}

/**
 * Lets everyone give a reserved name to a set: one of the caller's, or for operators anyone's.
 * @throws Refusal `unauthorized`, `set_not_found` (also for names of others), `invalid_request` for the name of a public set
 */
export async function releaseName({ db, clock }: StoreContext, caller: Caller, slug: string): Promise<void> {
  const user = requireUser(caller);
  await inManagement(db, async (tx) => {
    const given = await findSetName(tx, slug);
    if (!given || (given.owner !== user.owner && !user.isOperator))
      throw new Refusal('set_not_found', `The name ${slug} is not reserved for you.`);
    const holder = await findSetByPublicName(tx, slug);
    if (holder?.visibility === 'public' && holder.slug === slug)
      throw new Refusal('invalid_request', `The name ${slug} is in use. Rename or delete the set first.`);
    await deleteSetName(tx, slug);
    if (given.owner !== user.owner)
      await logAction(tx, clock, { operator: user, action: 'release_set_name', subject: slug, note: '' });
  });
}
