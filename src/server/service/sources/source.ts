import type { Game } from '../../../game/game.ts';
import type { Note } from '../../../protocol/envelope.ts';
import { EvictingMap } from '../../fairness.ts';
import type { GuardedAgent } from '../../outbound/guarded-agent.ts';
import { findRoom } from '../../queue/enqueue.ts';
import type { TextureDataRow } from '../../store/schema/tables.ts';
import type { TextureContent } from '../../store/textures.ts';
import type { WebPages } from '../callers.ts';
import type { ForecastContext } from '../forecast.ts';
import { type LimitedRequest, overLimitRefusal, readRateLimit, withWait } from '../limits.ts';
import type { OwnAddresses } from '../own-addresses.ts';
import { Refusal } from '../refusal.ts';
import { type Fetches, maxFetchesOf } from './fetches.ts';

export type Source =
  | { readonly kind: 'upload'; readonly bytes: Uint8Array; readonly fileName?: string | undefined }
  /** `http:`, `https:` or `data:`. */
  | { readonly kind: 'url'; readonly url: string }
  /** A player's UUID or name. */
  | { readonly kind: 'user'; readonly user: string };

/** The request that names the source, and the rules for it. */
export interface SourceRequest extends LimitedRequest {
  /** True if nothing will be generated. */
  readonly checkOnly?: boolean;
  /** The caller's name for the request. */
  readonly idempotencyKey?: string | undefined;
  /** True if other requests wait for this one. */
  readonly inBatch?: boolean;
}

/** The result of reading a source. */
export type Material = PictureMaterial | SignedMaterial;

export interface PictureMaterial {
  readonly kind: 'picture';
  /** Not checked yet. */
  readonly bytes: Uint8Array;
  /** Releases the room reserved for the job; call it when the request has been answered. */
  readonly leave?: () => void;
}

/** Skin data that is already signed, so that there is nothing to generate. */
export interface SignedMaterial {
  readonly kind: 'signed';
  readonly data: Omit<TextureDataRow, 'created_at'>;
  /** Its pictures, to be stored with it; absent: all is in the store. */
  readonly textures?: readonly TextureContent[];
  /** Why the skin's picture could not be read just now and a placeholder replaces it. */
  readonly unreadable?: string;
}

/** The note for a requested variant that differs from the signed one. */
export function variantNote(wanted: string, { data: { variant } }: SignedMaterial): Note[] {
  if (wanted === 'unknown' || wanted === variant) return [];
  const message = `The player's skin is signed as ${variant}, so it cannot be made ${wanted}.`;
  return [{ code: 'variant_mismatch', message }];
}

/** Characters of a name to keep. */
const LONGEST = 128;
/** Characters that would move a terminal's cursor or reverse the surrounding text. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]+/gu;

/**
 * A name by which the owner recognizes a source: a file's name without its folders, an address without its secret
 * parts, a player. Undefined if there is none.
 */
export function nameOfSource(source: Source): string | undefined {
  const name = nameOf(source).replace(UNPRINTABLE, ' ').trim();
  return name === '' ? undefined : [...name].slice(0, LONGEST).join('');
}

function nameOf(source: Source): string {
  switch (source.kind) {
    case 'upload':
      return source.fileName?.split(/[\\/]/).at(-1) ?? '';
    case 'user':
      return source.user;
    case 'url':
      return addressOf(source.url);
  }
}

/** User names, passwords and signed queries stay out of the store. A picture in a data URL has no name. */
function addressOf(text: string): string {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.origin + url.pathname : '';
}

/** Requests of one owner that may wait for its other fetches. */
const MAX_WAITING = 32;
/** Milliseconds to wait if too many requests wait. */
const LINE_WAIT = 1_000;

/** Number of owners above which those without reservations are forgotten. */
const MANY_OWNERS = 1_000;

/** The reservations of one owner. */
interface OwnerReservations {
  held: number;
  /** Number of requests waiting for room, including the one whose turn it is. */
  inLine: number;
  /** Settles when the last waiting request has been handled. */
  end: Promise<unknown>;
  /** Wakes the first waiting request when room is released. */
  wake: () => void;
}

/**
 * Requests whose pictures are being fetched, by owner. Each may become a job and so reserves a slot; pictures that the
 * limits would refuse are not fetched. Each process counts by itself.
 */
export class SlotReservations {
  readonly #byOwner = new EvictingMap<OwnerReservations>(MANY_OWNERS);

  inLine(owner: string): number {
    return this.#byOwner.get(owner)?.inLine ?? 0;
  }

  /**
   * Calls `hasRoom`, for one request of the owner at a time and again whenever room is released, until it returns true.
   */
  async hold(owner: string, hasRoom: (held: number) => Promise<boolean>): Promise<() => void> {
    const reservations = this.#byOwner.ensure(owner, makeReservations, isIdle);
    reservations.inLine++;
    const turn = reservations.end.then(async () => await this.#take(reservations, hasRoom));
    reservations.end = turn.catch(() => {}); // the request whose turn it is handles the error
    try {
      await turn;
    } finally {
      reservations.inLine--;
    }
    return releaser(reservations);
  }

  async #take(reservations: OwnerReservations, hasRoom: (held: number) => Promise<boolean>): Promise<void> {
    for (;;) {
      const change = Promise.withResolvers<boolean>();
      reservations.wake = () => change.resolve(true);
      const before = reservations.held;
      const isRoom = await hasRoom(before);
      // The room may have been counted before another request released it.
      if (reservations.held !== before) continue;
      if (isRoom) break;
      await change.promise;
    }
    reservations.held++;
  }
}

function makeReservations(): OwnerReservations {
  return { held: 0, inLine: 0, end: Promise.resolve(), wake: () => {} };
}

function isIdle({ held, inLine }: OwnerReservations): boolean {
  return held === 0 && inLine === 0;
}

/** The function that releases one reservation; a second call does nothing. */
function releaser(reservations: OwnerReservations): () => void {
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    reservations.held--;
    reservations.wake();
  };
}

/**
 * Reserves a slot for the job that a picture becomes after the fetch. If other fetches of the caller may take the slot,
 * waits for their outcome first.
 * @returns releases the slot; call it when the request has been answered
 * @throws Refusal `rate_limit`, `job_limit`, `concurrency_limit` if the job would not be accepted
 */
export async function reserveSlot(
  context: ForecastContext & { readonly slotReservations: SlotReservations },
  request: SourceRequest,
): Promise<() => void> {
  const { slotReservations, db, clock } = context;
  const { caller, via, inBatch } = request;
  const { owner, plan } = caller;
  if (slotReservations.inLine(owner) >= MAX_WAITING) throw await tooMany(context, request);
  return await slotReservations.hold(owner, async (held) => {
    const room = await findRoom(db, { owner, via }, { limits: plan, now: clock.now() });
    if (room.kind !== 'room') throw await overLimitRefusal(context, room, request);
    // A batch reads only a few items at a time; the earlier items keep their room until the whole batch is read.
    const isRoom = held < (inBatch ? room.count : Math.min(room.count, maxFetchesOf(caller)));
    if (!isRoom && inBatch) {
      throw new Refusal(
        'job_limit',
        'Other pictures have reserved your free slots; send more as jobs finish.',
      );
    }
    return isRoom;
  });
}

async function tooMany({ db, clock }: ForecastContext, { caller, via }: SourceRequest): Promise<Refusal> {
  const now = clock.now();
  const rateLimit = await readRateLimit(db, caller, now, via);
  const relative = Math.max(LINE_WAIT, rateLimit.next.relative);
  return new Refusal('rate_limit', {
    message: 'Too many of your pictures are being fetched at the same time.',
    rateLimit: withWait(rateLimit, relative, now),
  });
}

export interface SourceContext extends ForecastContext, OwnAddresses {
  /** The client of the game's services, one for all, so that its pacing covers all requests. */
  readonly game: Game;
  /** Guarded HTTP client for pictures at callers' URLs. */
  readonly pictures: GuardedAgent;
  /** Limits on requests to other servers on behalf of callers. */
  readonly fetches: Fetches;
  /** Slots in the queue reserved for requests whose pictures are being fetched. */
  readonly slotReservations: SlotReservations;
  /** Which web pages may act without a key. */
  readonly webPages: WebPages;
}
