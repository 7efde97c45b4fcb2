import type { z } from 'zod';
import { GameError } from '../../../game/errors.ts';
import type { Game } from '../../../game/game.ts';
import { offlineIdOf, parsePlayerId } from '../../../game/names.ts';
import type { OwnPlayerName, Player, WardrobeRule, wearSchema } from '../../../protocol/player.ts';
import { decodeCape } from '../../../skin/read-skin.ts';
import type { Variant } from '../../../skin/regions.ts';
import type { Generator } from '../../generators/port.ts';
import type { LookupBudget } from '../../pools.ts';
import { findAccount } from '../../store/accounts.ts';
import type { Db } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import type { WardrobeHistoryRow, WardrobeRow } from '../../store/schema/tables.ts';
import { findUserByName } from '../../store/sessions.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { capeRowOf, findPublicCapeOf, holdTextures } from '../../store/textures.ts';
import {
  addToHistory,
  countNamesOf,
  deleteName,
  findName,
  findNameOfPlayer,
  findWorn,
  listNames,
  type NameQuery,
  NOTHING_WORN,
  putName,
  readHistory,
  type WornRow,
} from '../../store/wardrobe.ts';
import {
  type Caller,
  ownerOf,
  ownerSeenBy,
  requireOperator,
  requireUser,
  type StoreContext,
  type UserCaller,
} from '../callers.ts';
import type { GameServers } from '../game-servers.ts';
import { awaitSkin, DEFAULT_PATIENCE, type WaitContext } from '../jobs/jobs.ts';
import type { StoreCeiling } from '../limits.ts';
import { logAction, namesOf } from '../moderation.ts';
import { Refusal } from '../refusal.ts';
import { decodeImage, readCapeFor } from '../skins/capes.ts';
import { requireUnblocked } from '../skins/identity.ts';
import { readSkin } from '../skins/skins.ts';
import { type SubmitContext, submit } from '../submitting/submit.ts';
import { userNotFound } from '../users/users.ts';

/** Changes of a name that are remembered. */
const HISTORY = 10;

/** What a service allows with player names. */
export interface WardrobeContext extends StoreContext {
  readonly ceiling: StoreCeiling;
  readonly generator: Generator;
  readonly game: Game;
  readonly wardrobe: {
    readonly rule: WardrobeRule;
    /** Look-ups whether a name is that of a Minecraft account. */
    readonly claims: LookupBudget;
  };
  readonly textureUrl: (hash: string) => string;
}

/** What a player name is to show, or whose it is. */
type Wish = z.output<typeof wearSchema>;

type Outfit = Pick<
  WardrobeRow,
  'skin_uuid' | 'texture_hash' | 'variant' | 'cape_hash' | 'value' | 'signature'
>;

/**
 * What a player name wears. For its user and for operators, also whose it is and what it wore before.
 * @throws Refusal `player_not_found`, the same for a name that nobody has as for one that shows nothing
 */
export async function readPlayer(context: WardrobeContext, caller: Caller, name: string): Promise<Player> {
  const { db } = context;
  const key = name.toLowerCase();
  const playerId = parsePlayerId(name);
  const own = playerId === undefined ? await findName(db, key) : await findNameOfPlayer(db, playerId);
  const isManaged = own !== undefined && mayManage(caller, own);
  const row = isManaged ? own : await findWorn(db, playerId === undefined ? { name: key } : { playerId });
  if (!row) throw noSuchPlayer();
  return { ...playerView(context, row), ...(isManaged && (await detailsOf(db, row))) };
}

/** The caller's names, or those of all for operators, in alphabetical order. @throws Refusal */
export async function readNames(
  { db }: StoreContext,
  caller: Caller,
  { all, after, ...rest }: Omit<NameQuery, 'owner'> & { readonly all: boolean },
): Promise<OwnPlayerName[]> {
  const user = all ? requireOperator(caller) : requireUser(caller);
  const owner = all ? undefined : user.owner;
  const rows = await listNames(db, { ...rest, owner, after: after?.toLowerCase() });
  const users = await namesOf(
    db,
    rows.map((row) => row.owner),
  );
  return rows.map((row) => ownNameView(row, users));
}

/** Whether the caller can let any name wear a skin. */
export async function mayDress({ db, wardrobe }: WardrobeContext, caller: Caller): Promise<boolean> {
  if (caller.kind !== 'user') return false;
  const mayClaim = caller.isOperator || (wardrobe.rule === 'users' && caller.plan.names > 0);
  return mayClaim || (await countNamesOf(db, caller.owner)) > 0;
}

/** How many more names the user may have; undefined: any number. */
async function roomForNames(db: Db, user: UserCaller): Promise<number | undefined> {
  if (user.isOperator) return undefined;
  return Math.max(0, user.plan.names - (await countNamesOf(db, user.owner)));
}

/**
 * Lets a player name show a skin and a cape, or gives it to a user.
 * @throws Refusal `unauthorized`, `insufficient_grants` for a name that the caller may not have, `skin_not_found`,
 *   `blocked_image`, `invalid_cape`, `invalid_request` for a private skin that is not to be published and beyond the plan's limit
 */
export async function wear(
  context: WardrobeContext,
  caller: Caller,
  name: string,
  wish: Wish,
): Promise<Player> {
  const user = requireUser(caller);
  context.ceiling.verifyRoom();
  const { db, clock } = context;
  const key = name.toLowerCase();
  const before = await findName(db, key);
  await requireRight(context, user, name, before);
  const holder = await holderOf(db, user, before, wish);
  const outfit = await outfitFor(context, caller, before ?? NOTHING_WORN, wish);
  return await inManagement(db, async (tx) => {
    const current = await findName(tx, key);
    // Someone else was faster.
    if (current?.owner !== before?.owner) throw taken(name);
    if (!current && holder === user.owner) await requirePlanRoom(tx, user);
    if (outfit) await requireStill(tx, caller, { outfit, wish, now: clock.now() });
    const row = {
      ...(outfit ?? current ?? NOTHING_WORN),
      ...{ name: key, spelling: name, player_id: offlineIdOf(name), owner: holder },
      changed_at: clock.now(),
    };
    await putName(tx, row);
    if (outfit) await note(tx, user, row);
    if (current?.owner !== holder && wish.user !== undefined)
      await logAction(tx, clock, {
        operator: user,
        action: 'give_player',
        subject: name,
        note: wish.user,
      });
    else if (holder !== user.owner)
      await logAction(tx, clock, { operator: user, action: 'dress_player', subject: name });
    return { ...playerView(context, row), ...(await detailsOf(tx, row)) };
  });
}

/** Lets everyone have the name again, and forgets what it wore. @throws Refusal `unauthorized`, `player_not_found` */
export async function releasePlayer(
  { db, clock }: StoreContext,
  caller: Caller,
  name: string,
): Promise<void> {
  const user = requireUser(caller);
  await inManagement(db, async (tx) => {
    const row = await findName(tx, name.toLowerCase());
    if (!row || !mayManage(user, row)) throw noSuchPlayer();
    await deleteName(tx, row.name);
    if (row.owner !== user.owner)
      await logAction(tx, clock, { operator: user, action: 'release_player', subject: row.spelling });
  });
}

/**
 * Takes the skin and the cape off the name, which stays its user's. `of`: only this skin, if the name still wears it.
 * @throws Refusal `unauthorized`, `player_not_found`
 */
export async function undress(
  { db, clock }: StoreContext,
  caller: Caller,
  name: string,
  { of: skin }: { readonly of?: string } = {},
): Promise<void> {
  const user = requireUser(caller);
  await inManagement(db, async (tx) => {
    const before = await findName(tx, name.toLowerCase());
    if (!before || !mayManage(user, before)) throw noSuchPlayer();
    if (skin !== undefined && before.skin_uuid !== skin) return;
    const row = { ...before, ...NOTHING_WORN, changed_at: clock.now() };
    await putName(tx, row);
    await note(tx, user, row);
    if (row.owner !== user.owner)
      await logAction(tx, clock, { operator: user, action: 'dress_player', subject: row.spelling });
  });
}

/** The same answer whether nobody has a name, or whether it shows nothing, or nothing that others may see. */
export function noSuchPlayer(): Refusal {
  return new Refusal('player_not_found');
}

export function mayManage(caller: Caller, { owner }: WardrobeRow): boolean {
  return caller.kind === 'user' && (caller.isOperator || ownerSeenBy(caller) === owner);
}

/** @throws Refusal `insufficient_grants`, `service_unavailable` */
async function requireRight(
  context: WardrobeContext,
  user: UserCaller,
  name: string,
  before: WardrobeRow | undefined,
): Promise<void> {
  if (user.isOperator || before?.owner === user.owner) return;
  if (before) throw taken(name);
  if (context.wardrobe.rule === 'operator')
    throw new Refusal('insufficient_grants', 'Only operators of this service give player names to users.');
  await requirePlanRoom(context.db, user);
  await requireNoAccount(context, user, name);
}

function taken(name: string): Refusal {
  return new Refusal('insufficient_grants', `The player name ${name} is another user's.`);
}

/** @throws Refusal `invalid_request` */
async function requirePlanRoom(db: Db, user: UserCaller): Promise<void> {
  if ((await roomForNames(db, user)) !== 0) return;
  const { name, names } = user.plan;
  const most = names === 1 ? '1 player name' : `${names} player names`;
  throw new Refusal('invalid_request', `Your plan (${name}) has room for ${most}. Release one first.`);
}

/** Whose the name is from now on. @throws Refusal `insufficient_grants`, `user_not_found` */
async function holderOf(
  db: Db,
  user: UserCaller,
  before: WardrobeRow | undefined,
  { user: wanted }: Wish,
): Promise<string> {
  if (wanted === undefined) return before?.owner ?? user.owner;
  requireOperator(user);
  const found = await findUserByName(db, wanted);
  if (!found) throw userNotFound(wanted);
  return ownerOf(found.id);
}

/** What the name wears from now on; undefined: the same as before. @throws Refusal */
async function outfitFor(
  context: WardrobeContext,
  caller: Caller,
  before: Outfit,
  { skin: uuid, cape, publish }: Wish,
): Promise<Outfit | undefined> {
  if (uuid === undefined && cape === undefined) return undefined;
  const base =
    uuid === undefined ? before : outfitOf(await readWearable(context, caller, uuid, publish === true));
  if (base.texture_hash === null || base.variant === null)
    throw new Refusal('invalid_request', 'This name wears no skin yet. Send a skin.');
  await requireUnblocked(context.db, { texture_hash: base.texture_hash });
  if (cape === undefined) return base;
  return await withCape(context, caller, { ...base, hash: base.texture_hash, variant: base.variant }, cape);
}

/** A skin that players may wear, unless it is blocked. @throws Refusal `skin_not_found`, `insufficient_grants`, `invalid_request` */
export async function readWearable(
  { db }: { readonly db: Db },
  caller: Caller,
  uuid: string,
  publish: boolean,
): Promise<SkinWithData> {
  const skin = await readSkin({ db }, caller, uuid);
  if (skin.hidden_from !== null)
    throw new Refusal('insufficient_grants', 'The operator of this server has hidden this skin.');
  if (skin.visibility === 'private' && !publish)
    throw new Refusal(
      'invalid_request',
      'This skin is private. Everyone sees what a player wears: send "publish": true if that is what you want.',
    );
  return skin;
}

/** The skin may have been deleted or hidden, and its picture pruned, since it was read. @throws Refusal as `readWearable` */
async function requireStill(
  tx: Db,
  caller: Caller,
  { outfit, wish, now }: { readonly outfit: Outfit; readonly wish: Wish; readonly now: number },
): Promise<void> {
  if (wish.skin !== undefined) await readWearable({ db: tx }, caller, wish.skin, wish.publish === true);
  const hashes = new Set([outfit.texture_hash, outfit.cape_hash].filter((hash) => hash !== null));
  if ((await holdTextures(tx, [...hashes], now)) < hashes.size) throw new Refusal('skin_not_found');
}

function outfitOf({ uuid, texture_hash, variant, cape_hash, value, signature }: SkinWithData): Outfit {
  return { skin_uuid: uuid, texture_hash, variant, cape_hash, value, signature };
}

/** Signs the skin with another cape, or without one. @throws Refusal `invalid_cape` */
async function withCape(
  context: WardrobeContext,
  caller: Caller,
  base: Outfit & { readonly hash: string; readonly variant: 'classic' | 'slim' },
  uuid: string | null,
): Promise<Outfit> {
  const { hash, ...outfit } = base;
  const { generator } = context;
  const capeHash = uuid === null ? null : (await readCapeFor(context, caller, uuid)).texture_hash;
  if (capeHash === base.cape_hash) return outfit;
  if (generator.refusesCapes !== undefined) throw new Refusal('invalid_cape', generator.refusesCapes);
  const { owner } = caller;
  const identity = `wardrobe:${hash}`;
  const texture = {
    ...{ owner, identity, hash, capeHash },
    variant: base.variant,
    visibility: 'public',
  } as const;
  const { value, signature } = await generator.generate(texture, new AbortController().signal);
  return { ...outfit, cape_hash: capeHash, value, signature };
}

async function note(tx: Db, user: UserCaller, row: WardrobeRow): Promise<void> {
  const { name, changed_at: at, skin_uuid, texture_hash, cape_hash } = row;
  await addToHistory(tx, { name, at, changed_by: user.owner, skin_uuid, texture_hash, cape_hash }, HISTORY);
}

/** What everyone may see of a name. */
function playerView({ textureUrl }: Pick<WardrobeContext, 'textureUrl'>, row: WardrobeRow | WornRow): Player {
  const { spelling, player_id, variant, texture_hash, cape_hash, value, signature } = row;
  const texture = (hash: string) => ({ hash, url: textureUrl(hash) });
  return {
    name: spelling,
    id: player_id,
    ...(variant !== null && { variant }),
    ...(texture_hash !== null && { skin: texture(texture_hash) }),
    ...(cape_hash !== null && { cape: texture(cape_hash) }),
    ...(value !== null && { value }),
    ...(signature !== null && { signature }),
  };
}

async function detailsOf(db: Db, { name, owner }: WardrobeRow): Promise<Pick<Player, 'user' | 'history'>> {
  const history = await readHistory(db, name);
  const users = await namesOf(db, [owner, ...history.map((entry) => entry.changed_by)]);
  const user = users.get(owner);
  return { ...(user !== undefined && { user }), history: history.map((entry) => historyView(entry, users)) };
}

function historyView(
  { at, changed_by, skin_uuid, texture_hash, cape_hash }: WardrobeHistoryRow,
  users: ReadonlyMap<string, string>,
) {
  const by = users.get(changed_by);
  return {
    at: new Date(at).toISOString(),
    ...(by !== undefined && { by }),
    ...(skin_uuid !== null && { skin: skin_uuid }),
    ...(texture_hash !== null && { hash: texture_hash }),
    ...(cape_hash !== null && { cape: cape_hash }),
  };
}

function ownNameView(row: WardrobeRow, users: ReadonlyMap<string, string>): OwnPlayerName {
  const { spelling, player_id, texture_hash, skin_uuid, cape_hash, owner, changed_at } = row;
  const user = users.get(owner);
  return {
    name: spelling,
    id: player_id,
    ...(texture_hash !== null && { hash: texture_hash }),
    ...(skin_uuid !== null && { skin: skin_uuid }),
    ...(cape_hash !== null && { cape: cape_hash }),
    ...(user !== undefined && { user }),
    changedAt: new Date(changed_at).toISOString(),
  };
}

interface ClaimContext extends StoreContext {
  readonly game: Game;
  readonly wardrobe: { readonly claims: LookupBudget };
}

/**
 * The name of a Minecraft account belongs to whoever has linked that account here.
 * @throws Refusal `insufficient_grants`; `service_unavailable` while Mojang cannot tell
 */
async function requireNoAccount(
  { db, game, wardrobe }: ClaimContext,
  user: UserCaller,
  name: string,
): Promise<void> {
  const holder = { name: user.owner, isKnown: true };
  const player = await tellingWhyNot(() =>
    wardrobe.claims.during(holder, async () => await game.names.find(name)),
  );
  if (!player || (await findAccount(db, player.id))?.owner === user.owner) return;
  throw new Refusal(
    'insufficient_grants',
    `${player.name} is the name of a Minecraft account. Link that account, or ask an operator for the name.`,
  );
}

async function tellingWhyNot<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof GameError)) throw cause;
    throw new Refusal('service_unavailable', {
      message:
        'Mojang cannot tell now whether this is the name of a Minecraft account. Try again in a minute.',
      cause,
    });
  }
}

interface NamingContext extends StoreContext {
  readonly gameServers: GameServers;
}

interface UploadContext extends NamingContext, WardrobeContext, SubmitContext, WaitContext {}

/** A player, as launchers name them. */
interface Target {
  readonly caller: Caller;
  /** The UUID of a name in offline mode, or of a Minecraft account. */
  readonly uuid: string;
}

/** Lets a name of the caller wear a picture, which becomes an unlisted skin. The name keeps its cape. @throws Refusal */
export async function wearPicture(
  context: UploadContext,
  target: Target,
  { bytes, fileName, variant }: { bytes: Uint8Array; fileName: string | undefined; variant: Variant },
): Promise<void> {
  const { caller } = target;
  const { spelling, cape_hash } = await ownName(context, target);
  const mayKeep = caller.plan.capes && context.generator.refusesCapes === undefined;
  const cape = mayKeep && cape_hash !== null ? await findPublicCapeOf(context.db, cape_hash) : undefined;
  const submitted = await submit(context, {
    ...{ caller, variant, name: null, cape: cape?.uuid },
    ...{ source: { kind: 'upload', bytes, fileName }, visibility: 'unlisted' },
    ...{ via: 'queue', checkOnly: false },
  });
  const made =
    submitted.kind === 'known'
      ? submitted.skin
      : await awaitSkin(context, { caller, job: submitted.job }, DEFAULT_PATIENCE);
  await wear(context, caller, spelling, { skin: made.uuid });
}

/** Lets a name of the caller wear the cape of this service that the picture shows. @throws Refusal */
export async function wearPicturedCape(
  context: UploadContext,
  target: Target,
  bytes: Uint8Array,
): Promise<void> {
  const { spelling } = await ownName(context, target);
  const cape = await findPublicCapeOf(context.db, capeRowOf(decodeImage(bytes, decodeCape)).hash);
  if (!cape)
    throw new Refusal('invalid_cape', 'Only capes that this service has can be worn: GET /v2/capes.');
  await wear(context, target.caller, spelling, { cape: cape.uuid });
}

/** Takes the cape, or everything, off a name of the caller. @throws Refusal */
export async function takeOff(context: UploadContext, target: Target, type: 'skin' | 'cape'): Promise<void> {
  const { spelling, cape_hash } = await ownName(context, target);
  if (type === 'skin') await undress(context, target.caller, spelling);
  else if (cape_hash !== null) await wear(context, target.caller, spelling, { cape: null });
}

/** @throws Refusal `player_not_found`, the same for a name that nobody has as for another user's */
export async function ownName(context: NamingContext, { caller, uuid }: Target): Promise<WardrobeRow> {
  const id = parsePlayerId(uuid);
  if (id === undefined) throw noSuchPlayer();
  const { db, gameServers } = context;
  let row = await findNameOfPlayer(db, id);
  if (!row) {
    const player = await gameServers.profile(id, caller);
    row = player && (await findName(db, player.name.toLowerCase()));
  }
  if (!row || !mayManage(caller, row)) throw noSuchPlayer();
  return row;
}
