import type { z } from 'zod';
import { newUuid } from '../../../base/text.ts';
import type { ModeratedSet, reportBodySchema, setDecisionSchema } from '../../../protocol/moderation.ts';
import {
  MAX_SET,
  namespaceOf,
  type setBodySchema,
  type setEditSchema,
  slugOf,
} from '../../../protocol/set.ts';
import type { SkinVisibility } from '../../../protocol/skin.ts';
import type { KnownAddresses, Turns } from '../../pools.ts';
import type { Db } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import { closeReportsOf } from '../../store/moderation.ts';
import type { SetRow } from '../../store/schema/tables.ts';
import { findSetByPublicName, findSetName, forgetNames } from '../../store/set-names.ts';
import {
  type CountedSet,
  changeSet,
  countSkinsIn,
  deleteSetRow,
  findSet,
  findSetByName,
  insertSet,
  listSets,
  putSkinsInSet,
  readSetSkins,
  type SetPage,
  skinNumbers,
  skinsInSet,
} from '../../store/sets.ts';
import type { SkinScope, SkinWithData } from '../../store/skins.ts';
import {
  type Caller,
  ownerSeenBy,
  requireOperator,
  requireUser,
  type StoreContext,
  type UserCaller,
} from '../callers.ts';
import type { CeilingContext } from '../limits.ts';
import { fileReport, logAction } from '../moderation.ts';
import { Refusal } from '../refusal.ts';
import { requirePrivateSkins, requireToRead } from './changes.ts';
import { keepName, nameObstacle, requireFreeName, requireRoom } from './set-names.ts';

/** A set with those of its skins that the caller sees. */
export interface FullSet {
  readonly set: SetRow;
  readonly skins: SkinWithData[];
}

/** Whether everyone who sees a set sees this skin in it. */
export function isSeenByAll({ visibility }: FullSet['skins'][number], set: SetRow): boolean {
  return visibility === 'public' || (visibility === 'unlisted' && set.visibility === 'unlisted');
}

/** Whether everyone sees the set, and these skins in it. */
export function isForEverybody({ set, skins }: FullSet): boolean {
  return set.visibility !== 'private' && skins.every((skin) => isSeenByAll(skin, set));
}

/** The skins of a set that its picture shows: those that no operator has hidden. */
export function pictured({ skins }: FullSet): SkinWithData[] {
  return skins.filter(({ hidden_from }) => hidden_from === null);
}

type SetContext = { readonly db: Db };

interface ListContext extends SetContext {
  readonly known: KnownAddresses;
  readonly turns: Pick<Turns, 'next'>;
}

/**
 * A set by its UUID or slug: public ones for everyone, unlisted ones for those who have the UUID, private ones for their
 * owners. Owners find their sets by slug too, before those of others.
 * An earlier name of a public set leads to it, too.
 * @throws Refusal `set_not_found`, `set_gone` for the name of a deleted set
 */
export async function readSet({ db }: SetContext, caller: Caller, reference: string): Promise<FullSet> {
  const set = await findVisibleSet(db, caller, reference);
  return { set, skins: await readSetSkins(db, set, ownerSeenBy(caller)) };
}

async function findVisibleSet(db: Db, caller: Caller, reference: string): Promise<SetRow> {
  const owner = ownerSeenBy(caller);
  const named = await findSet(db, reference);
  if (named && (named.visibility !== 'private' || named.owner === owner)) return named;
  const own = owner === undefined ? undefined : await findSetByName(db, { owner }, reference);
  const found = own ?? (await findSetByPublicName(db, reference));
  if (found && (found.visibility === 'public' || found.owner === owner)) return found;
  if (!found && (await findSetName(db, reference)))
    throw new Refusal('set_gone', `No set has the name ${reference} any more.`);
  throw noSuchSet(reference);
}

export function noSuchSet(reference: string): Refusal {
  return new Refusal(
    'set_not_found',
    `There is no set ${reference}, or it is someone else's and not public.`,
  );
}

export interface SetList {
  readonly sets: CountedSet[];
  /** `before` of the next page; undefined on the last page. */
  readonly next: number | undefined;
}

/** The public sets of all users, newest first. */
export async function readPublicSets(context: ListContext, caller: Caller, page: SetPage): Promise<SetList> {
  return await readSets(context, caller, { ...page, scope: 'public' });
}

/** The caller's sets of every visibility, newest first. @throws Refusal `unauthorized` */
export async function readOwnSets(context: ListContext, caller: Caller, page: SetPage): Promise<SetList> {
  const { owner } = requireUser(caller);
  return await readSets(context, caller, { ...page, scope: { owner } });
}

/** Sets whose skins are counted in one turn of the event loop: a full one takes a fifth of a millisecond. */
const PER_TURN = 16;

async function readSets(
  context: ListContext,
  caller: Caller,
  { scope, before, size }: SetPage & { readonly scope: SkinScope },
): Promise<SetList> {
  const found = await listSets(context.db, scope, { before, size: size + 1 });
  const sets = await counted(context, caller, found.slice(0, size));
  return { sets, next: found.length > size ? sets.at(-1)?.id : undefined };
}

async function counted(
  { db, known, turns }: ListContext,
  caller: Caller,
  sets: readonly SetRow[],
): Promise<CountedSet[]> {
  const all: CountedSet[] = [];
  for (let at = 0; at < sets.length; at += PER_TURN) {
    if (at > 0) await turns.next(known.holderOf(caller));
    all.push(...(await countSkinsIn(db, sets.slice(at, at + PER_TURN), ownerSeenBy(caller))));
  }
  return all;
}

/**
 * Makes a set of skins that the caller sees.
 * @throws Refusal `unauthorized`, `insufficient_grants` (a plan without private skins), `skin_not_found`,
 * `invalid_request` for a name that is taken or too many sets, `store_full`
 */
export async function createSet(
  { db, clock, ceiling }: CeilingContext,
  caller: Caller,
  { name, visibility, skins }: z.output<typeof setBodySchema>,
): Promise<FullSet> {
  const { owner } = requireUser(caller);
  if (visibility === 'private') requirePrivateSkins(caller);
  ceiling.verifyRoom();
  return await inManagement(db, async (tx) => {
    await requireRoom(tx, owner);
    const named = { name, slug: slugOf(name), namespace: namespaceOf(name) };
    const set = { uuid: newUuid(), owner, ...named, visibility, created_at: clock.now() };
    await requireFreeName(tx, set, ownerSeenBy(caller));
    const id = await insertSet(tx, set);
    await keepName(tx, { id, ...set });
    await putSkinsInSet(tx, id, await numbersOf(tx, caller, skins));
    return await readSet({ db: tx }, caller, set.uuid);
  });
}

/**
 * Changes the name, visibility or skins of a set of the caller.
 * @throws Refusal as above; `set_not_found` also for sets of others
 */
export async function editSet(
  { db, clock, ceiling }: CeilingContext,
  caller: Caller,
  { reference, ...edit }: z.output<typeof setEditSchema> & { readonly reference: string },
): Promise<FullSet> {
  const user = requireUser(caller);
  if ([edit.name, edit.skins, edit.add].some((more) => more !== undefined)) ceiling.verifyRoom();
  return await inManagement(db, async (tx) => {
    const set = await ownSet(tx, user, reference);
    if (set.visibility === 'private') requireToRead(caller, 'set');
    const { name = set.name, visibility = set.visibility } = edit;
    if (visibility !== set.visibility) requireMayChange(user, set, visibility);
    const changed = { ...set, name, slug: slugOf(name), visibility };
    await requireFreeName(tx, changed, ownerSeenBy(caller));
    if (changed.slug !== set.slug && set.visibility === 'public') await requireRoom(tx, user.owner);
    await keepName(tx, changed);
    await changeSet(tx, set.id, { name, slug: changed.slug, visibility, changed_at: clock.now() });
    await changeSkins(tx, caller, set.id, edit);
    return await readSet({ db: tx }, caller, set.uuid);
  });
}

/** @throws Refusal `insufficient_grants` */
function requireMayChange(caller: UserCaller, set: SetRow, visibility: SkinVisibility): void {
  if (set.hidden_from !== null)
    throw new Refusal('insufficient_grants', 'The operator of this server has hidden this set.');
  if (visibility === 'private') requirePrivateSkins(caller);
}

type SkinChanges = Pick<z.output<typeof setEditSchema>, 'skins' | 'add' | 'remove'>;

/** @throws Refusal `skin_not_found`, `invalid_request` */
async function changeSkins(
  tx: Db,
  caller: Caller,
  set: number,
  { skins, add, remove }: SkinChanges,
): Promise<void> {
  if (skins !== undefined) return await putSkinsInSet(tx, set, await numbersOf(tx, caller, skins));
  if (add === undefined && remove === undefined) return;
  const removed = new Set(await skinNumbers(tx, remove ?? []).then((rows) => rows.map(({ id }) => id)));
  const kept = (await skinsInSet(tx, set)).filter((id) => !removed.has(id));
  const all = [...new Set([...kept, ...(await numbersOf(tx, caller, add ?? []))])];
  if (all.length > MAX_SET)
    throw new Refusal(
      'invalid_request',
      `A set has at most ${MAX_SET} skins; this one would have ${all.length}.`,
    );
  await putSkinsInSet(tx, set, all);
}

/** The numbers of skins that the caller sees, in order and each once. @throws Refusal `skin_not_found` */
async function numbersOf(tx: Db, caller: Caller, uuids: readonly string[]): Promise<number[]> {
  const owner = ownerSeenBy(caller);
  const found = new Map((await skinNumbers(tx, uuids)).map((skin) => [skin.uuid, skin]));
  return [...new Set(uuids)].map((uuid) => {
    const skin = found.get(uuid);
    if (skin && (skin.visibility !== 'private' || skin.owner === owner)) return skin.id;
    throw new Refusal('skin_not_found', `There is no skin ${uuid}, or it is someone else's private one.`);
  });
}

/**
 * Moves a skin of a set of the caller to the place of another one.
 * @throws Refusal `unauthorized`, `set_not_found`, `skin_not_found` if one of them is not in the set
 */
export async function moveInSet(
  { db, clock }: StoreContext,
  caller: Caller,
  { reference, skin, to }: { readonly reference: string; readonly skin: string; readonly to: string },
): Promise<void> {
  const user = requireUser(caller);
  await inManagement(db, async (tx) => {
    const { id } = await ownSet(tx, user, reference);
    const [moved, place] = await numbersOf(tx, caller, [skin, to]);
    const all = await skinsInSet(tx, id);
    const at = all.indexOf(place!);
    if (at === -1 || !all.includes(moved!)) throw new Refusal('skin_not_found', `No such skin in the set.`);
    await putSkinsInSet(tx, id, all.filter((one) => one !== moved).toSpliced(at, 0, moved!));
    await changeSet(tx, id, { changed_at: clock.now() });
  });
}

/** Deletes a set of the caller; its skins stay. @throws Refusal `unauthorized`, `set_not_found` */
export async function deleteSet({ db }: SetContext, caller: Caller, reference: string): Promise<void> {
  const user = requireUser(caller);
  await inManagement(db, async (tx) => {
    await deleteSetRow(tx, (await ownSet(tx, user, reference)).id);
  });
}

/** By its UUID or, if the caller's key may read the user's sets or everyone knows the name, by its name. */
async function ownSet(tx: Db, caller: UserCaller, reference: string): Promise<SetRow> {
  const { owner } = caller;
  const named = await findSet(tx, reference);
  if (named?.owner === owner) return named;
  const seen = ownerSeenBy(caller);
  const own = seen === undefined ? undefined : await findSetByName(tx, { owner: seen }, reference);
  const set = own ?? (await findSetByPublicName(tx, reference));
  if (set?.owner === owner && (seen !== undefined || set.visibility === 'public')) return set;
  throw new Refusal('set_not_found', `You have no set ${reference}.`);
}

/** Reports a set that the caller can see to the operators, as `reportSkin`. @throws Refusal `set_not_found`, `rate_limit` */
export async function reportSet(
  context: StoreContext,
  caller: Caller,
  { reference, ...report }: z.output<typeof reportBodySchema> & { readonly reference: string },
): Promise<void> {
  const { uuid } = await findVisibleSet(context.db, caller, reference);
  await fileReport(context, caller, { ...report, kind: 'set', subject: uuid });
}

type SetDecision = z.output<typeof setDecisionSchema>;

/**
 * Hides a set, which becomes private without its owner being able to change that, or shows it again with its previous
 * visibility; unlisted if its name has been taken since. It can also replace the name with a neutral one, which the owner may
 * change again, as tags that an operator has taken away: hiding prevents that. Hiding closes
 * its open reports. @throws Refusal `set_not_found`
 */
export async function decideOnSet(
  { db, clock }: StoreContext,
  caller: Caller,
  { uuid, hidden, clearName, note }: SetDecision & { readonly uuid: string },
): Promise<ModeratedSet> {
  const operator = requireOperator(caller);
  return await inManagement(db, async (tx) => {
    const set = await anySet(tx, uuid);
    const log = async (action: 'hide_set' | 'show_set' | 'clear_set_name') =>
      await logAction(tx, clock, { operator, action, subject: uuid, note });
    if (clearName) {
      const named = await withoutName(tx, set);
      await changeSet(tx, set.id, named);
      await forgetNames(tx, set.id);
      await keepName(tx, { ...set, ...named });
      await log('clear_set_name');
    }
    if (hidden) await closeReportsOf(tx, uuid, clock.now());
    if (hidden !== undefined && hidden !== (set.hidden_from !== null)) {
      const now = await anySet(tx, uuid);
      await changeSet(tx, set.id, hidden ? hiddenFrom(now) : await shownAgain(tx, now));
      await log(hidden ? 'hide_set' : 'show_set');
    }
    const { name, visibility, hidden_from } = (await findSet(tx, uuid))!;
    return { uuid, name, visibility, hidden: hidden_from !== null };
  });
}

/** The first digits of its UUID, or, if a set has that name to prevent this, digits that nobody can foresee. */
async function withoutName(tx: Db, set: SetRow): Promise<Pick<SetRow, 'name' | 'slug' | 'namespace'>> {
  for (let id = set.uuid; ; id = newUuid()) {
    const name = `Set ${id.slice(0, 8)}`;
    const named = { name, slug: slugOf(name), namespace: namespaceOf(name) };
    if ((await nameObstacle(tx, { ...set, ...named })) === undefined) return named;
  }
}

function hiddenFrom({ visibility }: SetRow): Pick<SetRow, 'visibility' | 'hidden_from'> {
  return { visibility: 'private', hidden_from: visibility };
}

async function shownAgain(tx: Db, set: SetRow): Promise<Pick<SetRow, 'visibility' | 'hidden_from'>> {
  const visibility = set.hidden_from ?? set.visibility;
  const isTaken = (await nameObstacle(tx, { ...set, visibility })) !== undefined;
  const shown = { visibility: isTaken ? 'unlisted' : visibility, hidden_from: null } as const;
  await keepName(tx, { ...set, ...shown });
  return shown;
}

/** Deletes any user's set; its skins stay. @throws Refusal `set_not_found` */
export async function deleteAnySet(
  { db, clock }: StoreContext,
  caller: Caller,
  { uuid, note }: { readonly uuid: string; readonly note: string },
): Promise<void> {
  const operator = requireOperator(caller);
  await inManagement(db, async (tx) => {
    await deleteSetRow(tx, (await anySet(tx, uuid)).id);
    await closeReportsOf(tx, uuid, clock.now());
    await logAction(tx, clock, { operator, action: 'delete_set', subject: uuid, note });
  });
}

/** A set for operators to decide on. They do not see what its owner made private. @throws Refusal `set_not_found` */
async function anySet(tx: Db, uuid: string): Promise<SetRow> {
  const set = await findSet(tx, uuid);
  if (set && (set.visibility !== 'private' || set.hidden_from !== null)) return set;
  throw new Refusal('set_not_found', `No set ${uuid} that others can see.`);
}
