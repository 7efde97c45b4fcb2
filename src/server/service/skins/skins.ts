import { hash, type KeyObject, randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { type Game, isSignedByAny } from '../../../game/game.ts';
import type { SkinVisibility } from '../../../protocol/skin.ts';
import { isSignedBy } from '../../../textures/signing-key.ts';
import { Allowances, type ConcurrencyLimits, ConcurrencyQueue } from '../../fairness.ts';
import type { Db } from '../../store/db.ts';
import { type SimilarSkinRow, similarSkins } from '../../store/similar-skins.ts';
import {
  type FoundSkins,
  publicRange,
  publicSkinsAt,
  publicSkinsFrom,
  type SkinSearch,
  searchSkins,
} from '../../store/skin-search.ts';
import {
  countSkins,
  findSkin,
  findSkinByNumber,
  findSkinsByNumber,
  listSkins,
  type SkinPlace,
  type SkinScope,
  type SkinSelection,
  type SkinSort,
  type SkinWithData,
  wordsIn,
} from '../../store/skins.ts';
import { dayOf, hourOf, noteView } from '../../store/usage.ts';
import { type Caller, countedViewer, hasScope, ownerSeenBy, requireUser } from '../callers.ts';
import { Refusal } from '../refusal.ts';
import { waitRefusal } from '../request-limits.ts';
import { findUuid } from './identity.ts';

interface SearchLimits extends ConcurrencyLimits {
  /** Maximum number of skins read for one page. */
  readonly looks: number;
}

/** Callers without a key and users have separate queues, so that the former never delay the latter. */
const LIMITS: Readonly<Record<Caller['kind'], SearchLimits>> = {
  anonymous: { atOnce: 1, waitingOfOne: 4, waiting: 128, looks: 5_000 },
  user: { atOnce: 2, waitingOfOne: 32, waiting: 512, looks: 20_000 },
};
/** Milliseconds until a retry: a search takes a few hundredths of a second. */
const SOON = 1_000;

export type SearchInput = Omit<SkinSearch, 'looks' | 'day'> & { readonly scope: SkinScope };

export interface SearchContext {
  readonly db: Db;
  readonly searches: Pick<Searches, 'search'>;
  readonly game: Pick<Game, 'http'>;
}

/**
 * Searches in names and by variant. They cost more than other reads, so this process runs only a few at the same time,
 * taking callers in turn.
 */
export class Searches {
  /** The same for a reader who cannot retry. It refuses nothing, however many wait. */
  readonly patient: Pick<Searches, 'search'> = {
    search: async (...asked) => await this.#searchInTurn(...asked),
  };
  readonly #clock: Pick<Clock, 'now'>;
  readonly #lines = {
    anonymous: new ConcurrencyQueue(LIMITS.anonymous),
    user: new ConcurrencyQueue(LIMITS.user),
  };

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Searches when it is the caller's turn. @throws Refusal `concurrency_limit`, `service_unavailable` */
  async search(db: Db, caller: Caller, input: SearchInput): Promise<FoundSkins> {
    this.#verifyRoom(caller);
    return await this.#searchInTurn(db, caller, input);
  }

  #verifyRoom(caller: Caller): void {
    const full = this.#lines[caller.kind].fullFor(caller.owner);
    if (full === undefined) return;
    if (full === 'one') {
      const message = 'Too many of your searches are under way. Wait until some of them end.';
      throw waitRefusal('concurrency_limit', { message, caller, wait: SOON, now: this.#clock.now() });
    }
    const message = 'Too many searches are under way. Try again in a moment.';
    throw new Refusal('service_unavailable', { message, headers: { 'Retry-After': String(SOON / 1_000) } });
  }

  async #searchInTurn(db: Db, caller: Caller, { scope, ...search }: SearchInput): Promise<FoundSkins> {
    const { looks } = LIMITS[caller.kind];
    return await this.#lines[caller.kind].during(
      caller.owner,
      async () => await searchSkins(db, scope, { ...search, looks, day: dayOf(hourOf(this.#clock.now())) }),
    );
  }
}

/**
 * A skin by its UUID: public and unlisted ones for anyone who has the UUID, a private one only for its owner, with or
 * without a key, because a UUID cannot be guessed. For all others a private skin does not exist.
 * @throws Refusal `skin_not_found`
 */
export async function readSkin(
  context: { readonly db: Db },
  caller: Caller,
  uuid: string,
): Promise<SkinWithData> {
  const skin = await findVisible(context, caller, uuid);
  if (!skin) throw new Refusal('skin_not_found');
  return skin;
}

/** The same, but undefined where `readSkin` refuses. */
export async function findVisible(
  { db }: { readonly db: Db },
  caller: Caller,
  uuid: string,
): Promise<SkinWithData | undefined> {
  const skin = await findSkin(db, uuid);
  return skin?.visibility === 'private' && !isOwn(skin, caller) ? undefined : skin;
}

/** The same for a UUID or a short ID. */
export async function findByReference(
  context: { readonly db: Db },
  caller: Caller,
  uuidOrShortId: string,
): Promise<SkinWithData | undefined> {
  const uuid = await findUuid(context.db, caller, uuidOrShortId);
  return uuid === undefined ? undefined : await findVisible(context, caller, uuid);
}

/** A key without the scope to read its user's data sees only what everyone sees. */
function isOwn({ owner }: SkinWithData, caller: Caller): boolean {
  return owner === caller.owner && hasScope(caller, 'read');
}

/**
 * A skin by its number, as in version 1: public ones for everyone, all others only for the user who owns them, because
 * numbers can be enumerated.
 * @throws Refusal `skin_not_found`
 */
export async function readSkinByNumber(
  { db }: { readonly db: Db },
  caller: Caller,
  id: number,
): Promise<SkinWithData> {
  const skin = await findSkinByNumber(db, id);
  const isSeen = skin?.visibility === 'public' || (skin && skin.owner === ownerSeenBy(caller));
  if (!isSeen) throw new Refusal('skin_not_found');
  return skin;
}

export interface SkinListQuery {
  /** Where the previous page ended: its `next`, or the UUID of its last skin. */
  readonly after?: string | undefined;
  readonly size: number;
  /** Only skins whose names contain each of these words, inside a word of the name. */
  readonly filter?: string | undefined;
  readonly visibility?: SkinVisibility | undefined;
  readonly variant?: 'classic' | 'slim' | undefined;
  readonly tag?: string | undefined;
  readonly cape?: 'true' | 'false' | undefined;
  readonly signer?: 'game' | 'service' | undefined;
  readonly sort?: SkinSort | undefined;
  /** Whether an unknown `after` starts over with the first page; otherwise it is refused. */
  readonly startsOver?: boolean;
  /** Whether to count also what is not cheap to count: the skins from the first page on that match a search. */
  readonly counts?: boolean;
}

export interface SkinList {
  readonly skins: SkinWithData[];
  /** `after` of the next page; undefined on the last page. A page may hold fewer skins than requested. */
  readonly next: string | undefined;
  /** Skins on all pages; set on the first page, if cheap to determine, and where it was to be counted. */
  readonly total?: number | undefined;
  /** Whether this is the first page because `after` is unknown. */
  readonly hasStartedOver: boolean;
}

/** The public skins of all owners, newest first. @throws Refusal `validation_error` for an unknown `after` */
export async function readPublicSkins(
  context: SearchContext,
  caller: Caller,
  query: SkinListQuery,
): Promise<SkinList> {
  return await readList(context, caller, { ...query, scope: 'public' });
}

/** The caller's own skins of every visibility, newest first. @throws Refusal `unauthorized`, `validation_error` */
export async function readOwnSkins(
  context: SearchContext,
  caller: Caller,
  query: SkinListQuery,
): Promise<SkinList> {
  const { owner } = requireUser(caller);
  return await readList(context, caller, { ...query, scope: { owner } });
}

type ListInput = SkinListQuery & { readonly scope: SkinScope };
type SkinListPage = Omit<SkinList, 'hasStartedOver'>;

/** @throws Refusal `validation_error`; when too many search, as `Searches` does */
async function readList(context: SearchContext, caller: Caller, input: ListInput): Promise<SkinList> {
  const before = await placeOf(context, caller, input);
  const list = await readPage(context, caller, { input, before });
  return { ...list, hasStartedOver: input.after !== undefined && before === undefined };
}

async function readPage(
  context: SearchContext,
  caller: Caller,
  { input, before }: { readonly input: ListInput } & Pick<SkinSelection, 'before'>,
): Promise<SkinListPage> {
  const { size, sort, filter, visibility, variant, tag, cape, signer } = input;
  const page = { before, sort, size: size + 1 }; // one more skin shows whether there is a next page
  const filters = [visibility, variant, tag, cape, signer];
  const isWhole = !filter && sort !== 'week' && filters.every((one) => one === undefined);
  if (!isWhole) return await searchList(context, caller, { input, page });
  const list = cutToSize(await listSkins(context.db, input.scope, page), size, sort);
  const isCounted = input.after === undefined || input.counts;
  return isCounted ? { ...list, total: await countSkins(context.db, input.scope) } : list;
}

/** Matches of a search. Of more, the number is not told. */
const MOST_COUNTED = 1_000;

async function searchList(
  { db, searches, game }: SearchContext,
  caller: Caller,
  { input, page }: { readonly input: ListInput; readonly page: SkinSelection },
): Promise<SkinListPage> {
  const { scope, size, filter, visibility, variant, tag, cape, signer, sort } = input;
  const { textures } = game.http.addresses;
  const words = wordsIn(filter ?? '');
  if (filter && words.length === 0) return { skins: [], next: undefined };
  const isCounted = input.counts && input.after === undefined;
  const { skins, stoppedAt, total } = await searches.search(db, caller, {
    ...page,
    countTo: isCounted ? MOST_COUNTED : undefined,
    scope,
    words,
    visibility,
    variant,
    tag,
    hasCape: cape === undefined ? undefined : cape === 'true',
    textures: signer && { at: textures.replace(/^https?:\/\//, ''), isThere: signer === 'game' },
  });
  const list = cutToSize(skins, size, sort);
  const next = list.next ?? (stoppedAt && cursorOf(stoppedAt, sort));
  return { ...list, next, ...(isCounted && { total }) };
}

function cutToSize(skins: SkinWithData[], size: number, sort: SkinSort | undefined): SkinListPage {
  const shown = skins.slice(0, size);
  const last = skins.length > size ? shown.at(-1) : undefined;
  return { skins: shown, next: last && cursorOf(last, sort) };
}

/** Identifies the position by number rather than UUID, because the skin may be gone when the next page is requested. */
function cursorOf({ id, views }: SkinPlace, sort: SkinSort | undefined): string {
  return sort === 'popular' ? `${views}.${id}` : `${id}`;
}

async function placeOf(
  context: { readonly db: Db },
  caller: Caller,
  { after, sort, startsOver = false }: SkinListQuery,
): Promise<SkinPlace | undefined> {
  if (after === undefined) return undefined;
  const [, views, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(after) ?? [];
  if (id !== undefined) return { views: Number(views), id: Number(id) };
  if (sort !== 'popular' && /^\d{1,15}$/.test(after)) return { views: 0, id: Number(after) };
  const skin = await findVisible(context, caller, after);
  if (skin || startsOver) return skin;
  const message = 'after: no such skin; continue with links.next of the previous page';
  throw new Refusal('validation_error', { notes: [{ code: 'custom', message, path: ['after'] }] });
}

/** Views per minute and viewer, over all skins. Each is a row for an hour. */
const VIEWS_PER_MINUTE = 60;
/** Number of viewers above which those without views in the last minute are forgotten. */
const MANY_VIEWERS = 10_000;

/** Decides which views count. Each process counts by itself. */
export class Views {
  readonly #clock: Clock;
  readonly #allowances = new Allowances(VIEWS_PER_MINUTE, MANY_VIEWERS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether another view by this viewer counts; if so, it is used up. */
  spend(viewer: string): boolean {
    const allowance = this.#allowances.of(viewer, this.#clock.monotonic());
    if (allowance.left < 1) return false;
    allowance.left--;
    return true;
  }
}

/**
 * Counts a view of a skin by the caller, at most once an hour. Ignores skins that the caller cannot see, and views
 * beyond the viewer's limit per minute.
 */
export async function viewSkin(
  context: { readonly db: Db; readonly clock: Clock; readonly views: Views },
  caller: Caller,
  uuid: string,
): Promise<void> {
  const skin = await findVisible(context, caller, uuid);
  const viewer = countedViewer(caller);
  if (!skin || !context.views.spend(viewer)) return;
  noteView(context.db, { skin_id: skin.id, viewer, hour: hourOf(context.clock.now()) });
}

/**
 * `game`: every server accepts it; `server`: this service's own key; `earlier`: a key that this service had before;
 * `other`: another service's key.
 */
export type SignerKind = 'game' | 'server' | 'earlier' | 'other';

export interface SignedByContext {
  readonly ownAddresses: () => readonly string[];
  readonly game: Pick<Game, 'keys' | 'http'>;
  /** The public half of this service's own key, if it has one. */
  readonly ownKey: () => Promise<KeyObject | undefined>;
}

/**
 * Who has signed a skin, as far as is known without a request. The signature tells first, because the service may have
 * had another address when it signed. Where no known key verifies it, a texture at an address of this service does.
 */
export async function signedBy(
  context: SignedByContext,
  { value, signature, url }: Pick<SkinWithData, 'value' | 'signature' | 'url'>,
): Promise<SignerKind> {
  const key = await context.ownKey();
  if (key && isSignedBy(key, value, signature)) return 'server';
  if (isSignedByAny(context.game.keys.known, value, signature)) return 'game';
  return context.ownAddresses().some((own) => url.startsWith(`${own}/textures/`)) ? 'earlier' : 'other';
}

/** Numbered pages end after this many public skins: version 2 pages by the last skin instead. */
const DEEPEST = 10_000;
/** The same for search results. */
const DEEPEST_SEARCH = 1_000;

/** Up to `size` different public skins, picked at random; with a `seed`, always the same ones while no others are made. */
export async function readRandomSkins(
  { db }: { readonly db: Db },
  size: number,
  seed: string = randomUUID(),
): Promise<SkinWithData[]> {
  const range = await publicRange(db);
  if (!range) return [];
  const span = range.last - range.first + 1;
  const starts = Array.from(
    { length: 2 * size },
    (_, at) => range.first + Math.floor(fractionOf(`${seed} ${at}`) * span),
  );
  const picked = new Set(await publicSkinsFrom(db, starts));
  return await findSkinsByNumber(db, [...picked].slice(0, size));
}

/** A number from 0 to 1 that follows from a text. */
function fractionOf(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE() / 2 ** 32;
}

/** A numbered page of public skins, as in version 1. */
export interface NumberedPage {
  /** Starts at 1. */
  readonly page: number;
  readonly size: number;
  /** Only skins whose names contain each of these words, inside a word of the name. */
  readonly filter?: string | undefined;
}

/**
 * One page of the public skins, newest first. `total`: skins on all pages, if cheap to determine.
 * @throws Refusal when too many search
 */
export async function readPublicPage(
  context: SearchContext,
  caller: Caller,
  { page, size, filter }: NumberedPage,
): Promise<{ skins: SkinWithData[]; total: number | undefined }> {
  const offset = (page - 1) * size;
  if (filter)
    return { skins: await searchedPage(context, caller, { filter, offset, size }), total: undefined };
  const { db } = context;
  const total = await countSkins(db, 'public');
  return { skins: offset >= DEEPEST ? [] : await publicSkinsAt(db, { offset, size }), total };
}

/** A search finds skins one after the other, so it must also find everything before the page. */
async function searchedPage(
  { db, searches }: SearchContext,
  caller: Caller,
  { filter, offset, size }: { filter: string; offset: number; size: number },
): Promise<SkinWithData[]> {
  const words = wordsIn(filter);
  if (words.length === 0 || offset >= DEEPEST_SEARCH) return [];
  const { skins } = await searches.search(db, caller, { scope: 'public', words, skip: offset, size });
  return skins;
}

/** Skins that look like this one, of those that are public or the caller's own. */
export async function readSimilarSkins(
  { db }: { readonly db: Db },
  caller: Caller,
  { skin, size }: { readonly skin: SkinWithData; readonly size: number },
): Promise<SimilarSkinRow[]> {
  return await similarSkins(db, skin, { viewer: ownerSeenBy(caller), size });
}
