import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { newUuid } from '../../../base/text.ts';
import type { ClientInfo, KeyInfo } from '../../../protocol/account.ts';
import { isPending } from '../../../protocol/job.ts';
import type {
  Account,
  PlanView,
  User,
  userBodySchema,
  userChangeSchema,
  userListQuerySchema,
} from '../../../protocol/user.ts';
import type { JobSignals } from '../../events.ts';
import { listJobs } from '../../queue/lists.ts';
import type { StoreQueue } from '../../queue/store-queue.ts';
import { listAccounts } from '../../store/accounts.ts';
import { countKeys, listKeys } from '../../store/api-keys.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { inManagement, lockOwner } from '../../store/locks.ts';
import type { SkinRow, UserRow } from '../../store/schema/tables.ts';
import {
  changeUser,
  countOperators,
  deleteJobsOf,
  deleteUserRows,
  disabledAmong,
  ensureUser,
  findShownName,
  findUserById,
  findUserWithKeys,
  hasPendingJobs,
  insertUser,
  listDisabled,
  listUsers,
  plansInUse,
  revokeSessionsOf,
  type UserWithKeys,
} from '../../store/sessions.ts';
import { deleteSetsOf } from '../../store/sets.ts';
import {
  changeSkin,
  countOpenSkins,
  countSkins,
  deleteSkinRow,
  listSkins,
  type OwnSkin,
  removeSomeLikes,
  type SkinWithData,
  skinsOfOwner,
} from '../../store/skins.ts';
import { deleteNamesOf } from '../../store/wardrobe.ts';
import { type AccountsContext, unlinkGameAccount } from '../accounts/accounts.ts';
import { noteRevocation } from '../authentication.ts';
import {
  type Caller,
  type CallerKey,
  callerKey,
  type Origins,
  ownerOf,
  productOf,
  requireOperator,
  requireUser,
  type StoreContext,
  type UserCaller,
  userCaller,
  userIdOf,
} from '../callers.ts';
import { readRateLimit } from '../limits.ts';
import { logAction, type OperatorLogInput } from '../moderation.ts';
import { type Plans, planView } from '../plans.ts';
import { Refusal } from '../refusal.ts';
import type { SessionContext } from '../sessions.ts';
import { withdrawData } from '../skins/identity.ts';

export interface UsersContext extends SessionContext {
  readonly queue: Pick<StoreQueue, 'giveUpWaiting'>;
  readonly signals: JobSignals;
}

/** The person who runs the service: the local user of the embedded one, the operator of `serve`. */
export const OWNER_NAME = 'owner';

/** The error of a job that was ended because its user was disabled. */
const DISABLED = {
  code: 'job_failed',
  message: 'The user of this job was disabled before it started.',
  passing: false,
} as const;

export async function ensureOwner(db: Db, now: number): Promise<UserRow> {
  return await ensureUser(db, newUser(OWNER_NAME, now, { plan: 'owner', role: 'operator' }));
}

export async function ensureNamedUser(db: Db, name: string, now: number): Promise<UserRow> {
  return await ensureUser(db, newUser(name, now, { plan: 'free', role: 'user' }));
}

/** Whether this user runs the service. */
export function isOwner({ name }: Pick<UserRow, 'name'>): boolean {
  return name === OWNER_NAME;
}

export function newUser(name: string, now: number, rights: Pick<UserRow, 'plan' | 'role'>): UserRow {
  return { id: newUuid(), name, created_at: now, disabled_at: null, shows_name: 0, ...rights };
}

/** The caller's own account: its plan and what it has used of it. */
export async function readAccount(context: StoreContext, caller: Caller): Promise<Account> {
  const user = requireUser(caller);
  const usage = await usageOf(context, user);
  const role = user.isOperator ? 'operator' : 'user';
  return { user: user.id, name: user.name, role, plan: planView(user.plan), usage };
}

/** Whether the caller's name is shown with public skins and sets. @throws Refusal `unauthorized` */
export async function showsName({ db }: Pick<StoreContext, 'db'>, caller: Caller): Promise<boolean> {
  const user = await findUserById(db, requireUser(caller).id);
  return user?.shows_name === 1;
}

/** @throws Refusal `unauthorized` */
export async function showName(
  { db }: Pick<StoreContext, 'db'>,
  caller: Caller,
  isShown: boolean,
): Promise<void> {
  await changeUser(db, requireUser(caller).name, { shows_name: isShown ? 1 : 0 });
}

/** The name of the owner of a public skin or set, if the owner wishes it to be shown. */
export async function shownOwner(
  { db }: Pick<StoreContext, 'db'>,
  { owner, visibility }: Pick<SkinRow, 'owner' | 'visibility'>,
): Promise<string | undefined> {
  const user = userIdOf(owner);
  return visibility === 'public' && user !== undefined ? await findShownName(db, user) : undefined;
}

async function usageOf({ db, clock }: StoreContext, user: UserCaller): Promise<Account['usage']> {
  const { limit } = await readRateLimit(db, user, clock.now());
  return {
    minute: limit.minute.used ?? 0,
    hour: limit.hour?.used ?? 0,
    pending: (await listJobs(db, user.owner, 1)).filter(({ status }) => isPending(status)).length,
    keys: await countKeys(db, user.id),
  };
}

export async function readUsers(
  { db, clock }: StoreContext,
  caller: Caller,
  page: z.output<typeof userListQuerySchema>,
): Promise<User[]> {
  requireOperator(caller);
  return (await listUsers(db, page)).map((row) => userView(row, clock.now()));
}

/** @throws Refusal `user_not_found` and, for callers other than the operator, as `requireOperator` does */
export async function readUser({ db, clock }: StoreContext, caller: Caller, name: string): Promise<User> {
  requireOperator(caller);
  const user = await findUserWithKeys(db, name);
  if (!user) throw userNotFound(name);
  return userView(user, clock.now());
}

/** Skins that others can see, for an operator. */
export type ShownSkin = Pick<SkinWithData, 'uuid' | 'name' | 'visibility' | 'hidden_from'>;

export interface UserDetails {
  readonly user: User;
  readonly usage: Account['usage'];
  /** The user's plan, as the service has it. */
  readonly plan: PlanView;
  /** Of every visibility; undefined: too many to count. */
  readonly skins: number | undefined;
  /** The newest skins that are not the user's alone. */
  readonly newest: readonly ShownSkin[];
}

/** How many skins of a user to look at for those that others can see, and how many of these to show. */
const LOOKED_AT = 48;
const SHOWN = 12;

/** A user with skins and usage. @throws Refusal `user_not_found`; `insufficient_grants` unless the caller is an operator */
export async function readUserDetails(
  { db, clock, plans }: SessionContext,
  caller: Caller,
  name: string,
): Promise<UserDetails> {
  requireOperator(caller);
  const row = await findUserWithKeys(db, name);
  if (!row) throw userNotFound(name);
  const user = userCaller(row, plans);
  const newest = await listSkins(db, { owner: user.owner }, { size: LOOKED_AT });
  const isShown = ({ visibility, hidden_from }: ShownSkin) =>
    visibility !== 'private' || hidden_from !== null;
  return {
    user: userView(row, clock.now()),
    usage: await usageOf({ db, clock }, user),
    plan: planView(user.plan),
    skins: await countSkins(db, { owner: user.owner }),
    newest: newest.filter(isShown).slice(0, SHOWN),
  };
}

/** @throws Refusal `invalid_request` when the name is taken or the plan unknown */
export async function createUser(
  context: SessionContext,
  caller: Caller,
  { name, plan }: z.output<typeof userBodySchema>,
): Promise<User> {
  const operator = requireOperator(caller);
  const { db, clock } = context;
  verifyPlan(context.plans, plan);
  const user = newUser(name, clock.now(), { plan, role: 'user' });
  await inTransaction(db, async (tx) => {
    if (!(await insertUser(tx, user))) throw new Refusal('invalid_request', `User ${name} already exists.`);
    await logAction(tx, clock, { operator, action: 'create_user', subject: name, note: plan });
  });
  return userView({ ...user, ...NEVER_USED }, clock.now());
}

const NEVER_USED = { keys: 0, key_used_at: null, seen_at: null, link_until: null } as const;

/**
 * Changes the plan of a user, or disables it. Both apply from the user's next request; the open requests and waiting
 * jobs of a disabled user end. @throws Refusal
 */
export async function setUser(
  context: UsersContext,
  caller: Caller,
  name: string,
  { plan, disabled }: z.output<typeof userChangeSchema>,
): Promise<User> {
  const operator = requireOperator(caller);
  if (plan !== undefined) verifyPlan(context.plans, plan);
  if (disabled && name === operator.name) {
    throw new Refusal('invalid_request', 'You cannot disable yourself: nobody could undo it.');
  }
  const changed = await inManagement(context.db, async (tx) => {
    const before = await findUserWithKeys(tx, name);
    if (!before) throw userNotFound(name);
    if (disabled) await noteRevocation(tx);
    const since = before.disabled_at ?? context.clock.now();
    const change = {
      plan: plan ?? before.plan,
      disabled_at: (disabled ?? before.disabled_at !== null) ? since : null,
    };
    await changeUser(tx, name, change);
    for (const act of actsOf(before, change)) {
      await logAction(tx, context.clock, { operator, subject: name, ...act });
    }
    if (disabled) await revokeSessionsOf(tx, { user: before.id });
    const after = { ...before, ...change, ...(disabled && { link_until: null }) };
    return userView(after, context.clock.now());
  });
  if (disabled) await endJobsOfDisabled(context);
  return changed;
}

/** The changes to the user, for the log. */
function actsOf(
  before: UserWithKeys,
  change: Pick<UserRow, 'plan' | 'disabled_at'>,
): Pick<OperatorLogInput, 'action' | 'note'>[] {
  const isDisabled = change.disabled_at !== null;
  return [
    ...(change.plan === before.plan ? [] : [{ action: 'change_plan', note: change.plan } as const]),
    ...(isDisabled === (before.disabled_at !== null)
      ? []
      : [{ action: isDisabled ? 'disable_user' : 'enable_user' } as const]),
  ];
}

/** Which of these users are disabled. @throws Refusal for callers other than the operator */
export async function whichAreDisabled(
  { db }: { readonly db: Db },
  caller: Caller,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  requireOperator(caller);
  return new Set(await disabledAmong(db, names));
}

/** Ends the waiting jobs of disabled users, including jobs accepted at that very moment. */
export async function endJobsOfDisabled({
  db,
  queue,
  signals,
}: Pick<UsersContext, 'db' | 'queue' | 'signals'>): Promise<void> {
  for (const id of await listDisabled(db)) {
    const owner = ownerOf(id);
    for (const uuid of await queue.giveUpWaiting(owner, DISABLED)) signals.finished({ uuid, owner });
  }
}

/** Names of plans that users have but this service does not know: they count as `free`. */
export async function findUnknownPlans(db: Db, plans: Plans): Promise<string[]> {
  return (await plansInUse(db)).filter((name) => !plans.has(name));
}

function verifyPlan(plans: Plans, name: string): void {
  if (plans.has(name)) return;
  const known = plans.all().map((plan) => plan.name);
  throw new Refusal('invalid_request', `Unknown plan ${name}. Plans: ${known.join(', ')}.`);
}

export function userNotFound(name: string): Refusal {
  return new Refusal('user_not_found', `No user ${name}.`);
}

function userView(row: UserWithKeys, now: number): User {
  const { id, name, role, plan, created_at, disabled_at, keys, key_used_at, seen_at } = row;
  const usedAt = Math.max(Number(key_used_at), Number(seen_at));
  const invitedUntil = isOwner(row) ? 0 : Number(row.link_until);
  return {
    id,
    name,
    role,
    plan,
    createdAt: new Date(created_at).toISOString(),
    ...(disabled_at !== null && { disabledAt: new Date(disabled_at).toISOString() }),
    keys: Number(keys),
    ...(usedAt > 0 && { lastUsedAt: new Date(usedAt).toISOString() }),
    ...(invitedUntil > now && { invitedUntil: new Date(invitedUntil).toISOString() }),
  };
}

/** The caller as a user, for requests that only make sense for users. @throws Refusal `user_not_found` */
export function requireKnownUser(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new Refusal('user_not_found');
}

/** The key of the request. @throws Refusal `user_not_found`; `not_found` if the request has no key */
export function readOwnKey(caller: Caller): KeyInfo {
  const user = requireKnownUser(caller);
  if (user.key) return keyInfo(user.key, user);
  throw new Refusal('not_found', 'This is an embedded service, whose owner needs no API key.');
}

/** The caller's keys. @throws Refusal `unauthorized` */
export async function readOwnKeys(db: Db, caller: Caller): Promise<KeyInfo[]> {
  const user = requireUser(caller);
  return (await listKeys(db, user.id)).map((row) => keyInfo(callerKey(row), user));
}

/** How the service sees the caller: address, agent, key. The headers that replace User-Agent take precedence. */
export function clientInfo(caller: Caller, { address, origin, agents }: Origins): ClientInfo {
  const user = caller.kind === 'user' ? caller : undefined;
  const agent = agents
    .toReversed()
    .map((text) => productOf(text ?? ''))
    .find((product) => product !== '');
  return {
    ...(agent !== undefined && { agent }),
    ...(origin !== undefined && { origin }),
    ...(user?.key && { key: user.key.id }),
    ...(user && { user: user.id }),
    ip: address,
    billable: false,
  };
}

function keyInfo(
  { id, name, createdAt, allowedOrigins, allowedIps, allowedAgents }: CallerKey,
  user: UserCaller,
): KeyInfo {
  return {
    id,
    name,
    user: user.id,
    createdAt: new Date(createdAt).toISOString(),
    allowedOrigins,
    allowedIps,
    allowedAgents,
    useCredits: false,
  };
}

/** What becomes of the skins that others can see: they are deleted, or stay without a name and without an owner. */
export type SharedSkins = 'delete' | 'leave';

/** The error of a job that was ended because its user deleted the account. */
const DELETED = {
  code: 'job_failed',
  message: 'The user of this job deleted their account before it started.',
  passing: false,
} as const;

const OBSTACLES = {
  made_at_start: 'The service makes this account at each start, so it cannot be deleted.',
  last_operator: 'You are the last operator of this service, so your account cannot be deleted.',
} as const;
export type DeletionObstacle = keyof typeof OBSTACLES;

export interface Deletion {
  /** Numbers of the caller's skins that others can see. */
  readonly shared: { readonly public: number; readonly unlisted: number };
  /** Why the account cannot be deleted; undefined: it can. */
  readonly obstacle: DeletionObstacle | undefined;
}

/** What the caller must know before deleting the account. @throws Refusal `unauthorized` */
export async function readDeletion({ db }: { readonly db: Db }, caller: Caller): Promise<Deletion> {
  const user = requireUser(caller);
  return { shared: await countOpenSkins(db, user.owner), obstacle: await obstacleTo(db, user) };
}

/**
 * Deletes the caller's account: keys, sessions, sign-ins, game accounts, jobs, likes, sets, skins and player names. The account goes last, so
 * that it can be deleted again if this was interrupted.
 * @throws Refusal for the owner, the last operator, and while a skin is being made or a game account is in use
 */
export async function deleteAccount(
  context: Pick<UsersContext, 'db' | 'queue' | 'signals'> & Pick<AccountsContext, 'accounts'>,
  caller: Caller,
  shared: SharedSkins,
): Promise<void> {
  const user = requireUser(caller);
  const { db, queue, signals } = context;
  const { owner } = user;
  await verifyDeletable(db, user);
  for (const uuid of await queue.giveUpWaiting(owner, DELETED)) signals.finished({ uuid, owner });
  await verifyIdle(db, owner);
  for (const account of await listAccounts(db))
    if (account.owner === owner) await unlinkGameAccount(context, caller, account.uuid);
  await deleteSetsOf(db, owner);
  await removeSkins(db, owner, shared);
  while ((await inManagement(db, async (tx) => await removeSomeLikes(tx, owner, CHUNK))) > 0)
    await setImmediate();
  while ((await deleteJobsOf(db, owner)) > 0) await setImmediate(); // lets SQLite serve others
  await inManagement(db, async (tx) => {
    await lockOwner(tx, owner);
    await verifyDeletable(tx, user);
    await verifyIdle(tx, owner);
    await noteRevocation(tx);
    await deleteNamesOf(tx, owner);
    await deleteUserRows(tx, user);
  });
}

async function obstacleTo(db: Db, user: UserCaller): Promise<DeletionObstacle | undefined> {
  if (isOwner(user)) return 'made_at_start';
  return (await countOperators(db, user.id)) > 0 ? undefined : 'last_operator';
}

/** @throws Refusal `invalid_request` */
async function verifyDeletable(db: Db, user: UserCaller): Promise<void> {
  const obstacle = await obstacleTo(db, user);
  if (obstacle !== undefined) throw new Refusal('invalid_request', OBSTACLES[obstacle]);
}

/** @throws Refusal `service_unavailable` */
async function verifyIdle(db: Db, owner: string): Promise<void> {
  if (!(await hasPendingJobs(db, owner))) return;
  throw new Refusal('service_unavailable', 'One of your skins is still being made. Try again in a moment.');
}

/** Skins removed in one transaction, so that other requests do not have to wait for all of them. */
const CHUNK = 25;

async function removeSkins(db: Db, owner: string, shared: SharedSkins): Promise<void> {
  for (let after = 0; ; ) {
    const skins = await inManagement(db, async (tx) => {
      const some = await skinsOfOwner(tx, owner, { after, size: CHUNK });
      for (const skin of some) await removeSkin(tx, skin, shared);
      return some;
    });
    if (skins.length < CHUNK) return;
    after = skins.at(-1)!.id;
    await setImmediate(); // lets SQLite serve others
  }
}

async function removeSkin(tx: Db, { id, visibility, identity }: OwnSkin, shared: SharedSkins): Promise<void> {
  if (shared === 'leave' && visibility !== 'private') return await changeSkin(tx, id, { name: null });
  await deleteSkinRow(tx, id);
  await withdrawData(tx, identity);
}
