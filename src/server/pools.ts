import type { Clock } from '../base/clock.ts';
import { GameError } from '../game/errors.ts';
import { EvictingMap, MinuteTally, RoundRobin } from './fairness.ts';

/** What of a pool everyone has together, all strangers together, one stranger, and one known caller. */
export interface Shares {
  readonly all: number;
  readonly strangers: number;
  readonly stranger: number;
  readonly known: number;
}

/** The pools of this process whose places are few. Docs: public-site.md. */
export const SHARES = {
  exports: { all: 16, strangers: 6, stranger: 2, known: 2 },
  packs: { all: 128, strangers: 96, stranger: 3, known: 16 },
  urls: { all: 64, strangers: 32, stranger: 6, known: 8 },
  players: { all: 64, strangers: 32, stranger: 6, known: 8 },
  pictures: { all: 128, strangers: 64, stranger: 12, known: 32 },
  streams: { all: 1_000, strangers: 500, stranger: 10, known: 20 },
} as const satisfies Record<string, Shares>;

/** Names above which forgotten ones are removed. */
const MANY_NAMES = 10_000;

/** Names that are remembered for a time. */
export class Remembered {
  readonly #now: () => number;
  readonly #ends = new EvictingMap<{ at: number }>(MANY_NAMES);

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  note(name: string, milliseconds: number): void {
    const now = this.#now();
    const isOver = ({ at }: { at: number }) => at <= now;
    const end = this.#ends.ensure(name, () => ({ at: now }), isOver);
    end.at = Math.max(end.at, now + milliseconds);
  }

  has(name: string): boolean {
    const end = this.#ends.get(name);
    return end !== undefined && end.at > this.#now();
  }
}

/** Milliseconds for which an address is known after a valid key came from it. */
export const KNOWN_FOR = 10 * 60_000;
/** This machine's own, as `networkOf` spells them. */
const OWN = new Set(['127.0.0.1', '0:0:0:0']);

/** The addresses of callers that the service knows: valid keys came from them lately, or they are this machine's. */
export class KnownAddresses {
  readonly #addresses: Remembered;

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number) {
    this.#addresses = new Remembered(now);
  }

  /** A valid key came from the address. */
  note(address: string): void {
    this.#addresses.note(address, KNOWN_FOR);
  }

  has(address: string): boolean {
    return OWN.has(address) || this.#addresses.has(address);
  }

  /** The holder of what a caller has. */
  holderOf(caller: Who): Holder {
    if (caller.kind === 'user') return { name: caller.owner, isKnown: true };
    return { name: caller.network, isKnown: this.has(caller.network) };
  }
}

type Who =
  | { readonly kind: 'user'; readonly owner: string }
  | { readonly kind: 'anonymous'; readonly network: string };

/** Whoever has places: a user, or the address of a caller without a key. */
export interface Holder {
  readonly name: string;
  readonly isKnown: boolean;
}

/** Something that a holder has in a pool. */
export interface Place {
  readonly holder: Holder;
  /** How much of the pool it takes. Change it with `grow` only. */
  size: number;
  /** The lowest makes room first, and of several the oldest; undefined: this one does not. */
  rank(): number | undefined;
  /** Gives the place up for another caller. */
  drop(): void;
}

/** How many times as much a known caller may have as a stranger before it makes room. */
const KNOWN_WEIGHT = 8;

interface Holding<P> {
  readonly places: Set<P>;
  size: number;
}

/** Which place is to make room. */
interface Choice {
  /** Only a place of this holder. */
  readonly of?: string;
  /** Only a place of a lower rank. */
  readonly below?: number;
  /** Only a place of a stranger. */
  readonly isStranger?: boolean;
}

/** A pool in which those who have most make room for others, strangers first. */
export class Room<P extends Place> {
  readonly #holdings = new Map<string, Holding<P>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(holder: string): number {
    return this.#holdings.get(holder)?.size ?? 0;
  }

  /** Oldest first. */
  placesOf(holder: string): Iterable<P> {
    return this.#holdings.get(holder)?.places ?? [];
  }

  add(place: P): void {
    const { name } = place.holder;
    const holding = this.#holdings.get(name) ?? { places: new Set(), size: 0 };
    this.#holdings.set(name, holding);
    if (holding.places.has(place)) return;
    holding.places.add(place);
    holding.size += place.size;
    this.#size += place.size;
  }

  remove(place: P): void {
    const { name } = place.holder;
    const holding = this.#holdings.get(name);
    if (!holding?.places.delete(place)) return;
    holding.size -= place.size;
    this.#size -= place.size;
    if (holding.places.size === 0) this.#holdings.delete(name);
  }

  /** Of a place in the pool. */
  grow(place: P, by: number): void {
    const holding = this.#holdings.get(place.holder.name);
    if (!holding?.places.has(place)) return;
    place.size += by;
    holding.size += by;
    this.#size += by;
  }

  /** Drops the place of the holder with the most that is first to make room. @returns whether there was one */
  makeRoom(choice: Choice = {}): boolean {
    const victim = this.#victim(choice);
    if (!victim) return false;
    this.remove(victim);
    victim.drop();
    return true;
  }

  #victim({ of, below = Number.POSITIVE_INFINITY, isStranger = false }: Choice): P | undefined {
    if (of !== undefined) return lowest(this.placesOf(of), below);
    let [victim, most] = [undefined as P | undefined, 0];
    for (const { places, size } of this.#holdings.values()) {
      const [first] = places;
      const isKnown = first?.holder.isKnown ?? false;
      const weight = isKnown ? size / KNOWN_WEIGHT : size;
      if (weight <= most || (isStranger && isKnown)) continue;
      const found = lowest(places, below);
      if (found) [victim, most] = [found, weight];
    }
    return victim;
  }
}

function lowest<P extends Place>(places: Iterable<P>, below: number): P | undefined {
  let [found, least] = [undefined as P | undefined, below];
  for (const place of places) {
    const rank = place.rank();
    if (rank !== undefined && rank < least) [found, least] = [place, rank];
  }
  return found;
}

/** What happens to a place whose holder makes no progress when others need it; without it, they are refused. */
export type Progress = Pick<Place, 'rank' | 'drop'>;

const ALWAYS_PROGRESSING: Progress = { rank: () => undefined, drop: () => {} };

/** A pool with few places: who comes when there is none left is refused. */
export class Slots {
  readonly shares: Shares;
  readonly #places = new Room<Place>();
  #strangers = 0;

  constructor(shares: Shares) {
    this.shares = shares;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Why there is no place for the holder: it has all of its own, or others have all; undefined: there is one. */
  fullFor({ name, isKnown }: Holder): 'one' | 'all' | undefined {
    const { all, strangers, stranger, known } = this.shares;
    if (this.#places.sizeOf(name) >= (isKnown ? known : stranger)) return 'one';
    return this.size >= all || (!isKnown && this.#strangers >= strangers) ? 'all' : undefined;
  }

  /** Takes a place until the returned function is called, or says why there is none. */
  enter(holder: Holder, progress: Progress = ALWAYS_PROGRESSING): (() => void) | 'one' | 'all' {
    const { isKnown } = holder;
    const full = this.fullFor(holder);
    if (full === 'one') return full;
    if (full === 'all' && !this.#places.makeRoom({ isStranger: !isKnown })) return full;
    const { rank, drop } = progress;
    return this.#add(
      { holder, size: 1, rank: () => rank.call(progress), drop: () => drop.call(progress) },
      isKnown,
    );
  }

  #add(place: Place, isKnown: boolean): () => void {
    let isOver = false;
    const leave = () => {
      if (!isOver && !isKnown) this.#strangers--;
      isOver = true;
      this.#places.remove(place);
    };
    const { drop } = place;
    place.drop = () => {
      leave();
      drop();
    };
    this.#places.add(place);
    if (!isKnown) this.#strangers++;
    return leave;
  }
}

interface Size {
  readonly isLarge?: boolean;
}

const makeLanes = () => [new RoundRobin<() => void>(), new RoundRobin<() => void>()] as const;

/**
 * Work that is done piece by piece: of callers that the service knows before that of strangers, small pieces before
 * large ones, and callers in turn.
 */
export class Line {
  readonly #places: Slots;
  /** Those of small and of large pieces. */
  readonly #known = makeLanes();
  readonly #strangers = makeLanes();
  #isBusy = false;

  constructor(shares: Shares) {
    this.#places = new Slots(shares);
  }

  /** As that of `Slots`. */
  fullFor(holder: Holder): 'one' | 'all' | undefined {
    return this.#places.fullFor(holder);
  }

  /** Does the work when its turn has come. Call it only if there is a place. */
  async enter<T>(holder: Holder, work: () => Promise<T>, size: Size = {}): Promise<T> {
    const leave = this.#places.enter(holder);
    try {
      return await this.inTurn(holder, work, size);
    } finally {
      if (typeof leave === 'function') leave();
    }
  }

  /** The same without a limit. */
  async inTurn<T>({ name, isKnown }: Holder, work: () => Promise<T>, { isLarge }: Size = {}): Promise<T> {
    const [small, large] = isKnown ? this.#known : this.#strangers;
    if (this.#isBusy) await new Promise<void>((begin) => (isLarge ? large : small).add(name, begin));
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      const next = [...this.#known, ...this.#strangers].find(({ isEmpty }) => !isEmpty)?.take();
      if (next) next();
      else this.#isBusy = false;
    }
  }
}

/** Pieces of work that begin in one turn of the event loop, and the milliseconds after which no more of them do. */
const PER_TURN = 16;
const TURN = 5;
/** Turns in a row that strangers wait for newcomers. */
const MAX_HELD = 64;

/**
 * Turns of the event loop: each begins a few pieces of work, as many as its time allows for known callers, and then as
 * many for strangers. Callers take turns. A piece should take a few milliseconds.
 *
 * A turn accepts one connection (libuv). So strangers also wait while connections come: whoever comes behind a
 * thousand others does not wait for all their work.
 */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #known = new RoundRobin<() => void>();
  readonly #strangers = new RoundRobin<() => void>();
  #isArmed = false;
  #hasNewcomer = false;
  /** Turns in a row in which strangers began nothing. */
  #held = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** A connection was accepted. */
  noteNewcomer(): void {
    this.#hasNewcomer = true;
  }

  /** Resolves when the holder may do another piece. */
  async next(holder: Holder): Promise<void> {
    await new Promise<void>((begin) => this.add(holder, begin));
  }

  add({ name, isKnown }: Holder, begin: () => void): void {
    (isKnown ? this.#known : this.#strangers).add(name, begin);
    if (!this.#isArmed) this.#arm();
  }

  #arm(): void {
    this.#isArmed = true;
    this.#beginSome(this.#known, () => false);
    this.#beginSome(this.#strangers, () => this.#isHeld());
    setImmediate(() => {
      this.#isArmed = false;
      if (!this.#known.isEmpty || !this.#strangers.isEmpty) this.#arm();
    });
  }

  #isHeld(): boolean {
    const isHeld = this.#hasNewcomer && this.#held < MAX_HELD;
    this.#hasNewcomer = false;
    this.#held = isHeld ? this.#held + 1 : 0;
    return isHeld;
  }

  /** One by one, because what a piece does when its promises resolve counts for its time too. */
  #beginSome(waiting: RoundRobin<() => void>, isHeld: () => boolean): void {
    let end: number | undefined;
    for (let n = 0; n < PER_TURN; n++)
      setImmediate(() => {
        const now = this.#clock.monotonic();
        end ??= isHeld() ? now : now + TURN;
        if (now < end) waiting.take()?.();
      });
  }
}

/**
 * Look-ups per minute. For players, half of what Mojang allows a server; the other half is for making skins. A page of
 * twenty heads shows all of them, with a key or without, because pictures are for everyone. For textures, no limit is
 * known; they may take at most a tenth of all requests. Joins have shares of their own: see `joinShares`.
 */
export const LOOKUPS = {
  players: { all: 27, strangers: 22, stranger: 20, known: 20 },
  textures: { all: 120, strangers: 90, stranger: 40, known: 40 },
  /** For players of Bedrock Edition, whom another service knows. */
  bedrock: { all: 27, strangers: 22, stranger: 20, known: 20 },
  /** For users who want a player name: whether it is that of a Minecraft account. */
  claims: { all: 9, strangers: 0, stranger: 0, known: 3 },
  /** For game servers that look up players through the service. Each server is one caller. */
  servers: { all: 27, strangers: 18, stranger: 9, known: 27 },
} as const satisfies Record<string, Shares>;

/** Joins of players per minute: the game has no known limit for them. */
export const JOINS_PER_MINUTE = 300;

/** Of the joins in a minute, all strangers together have two thirds, and one a tenth. */
export function joinShares(all: number): Shares {
  return { all, strangers: Math.ceil((all * 2) / 3), stranger: Math.ceil(all / 10), known: all };
}

/** Milliseconds without look-ups after a failed one, unless the game names a longer time. */
const REST = 30_000;
/** With more callers than this, those without counts are forgotten. */
const MAX_LOOKING_UP = 1_000;

/** Limits look-ups at Mojang's services, which strangers share with callers that the service knows. */
export class LookupBudget {
  readonly #clock: Clock;
  readonly #shares: Shares;
  readonly #rest: number;
  readonly #all = new MinuteTally();
  readonly #strangers = new MinuteTally();
  readonly #callers = new EvictingMap<MinuteTally>(MAX_LOOKING_UP);
  /** Monotonic. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  /** `rest`: 0 if a failed look-up delays no other one, apart from the pace of requests to the game. */
  constructor(clock: Clock, shares: Shares, rest = REST) {
    this.#clock = clock;
    this.#shares = shares;
    this.#rest = rest;
  }

  /**
   * @throws GameError `rate_limited` at once if the limits are reached, so that no other request waits @returns the
   * result of `ask`
   */
  during<T>(holder: Holder, ask: () => Promise<T>): Promise<T> {
    this.#spend(holder);
    return this.#ask(ask);
  }

  /** Whether another look-up of the holder would exceed the limits. */
  isSpent(holder: Holder): boolean {
    const now = this.#clock.now();
    return this.#limitsOf(holder, now).some(([tally, limit]) => tally.roomAt(limit, now) > now);
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#rest === 0) return await ask();
    try {
      return await ask();
    } catch (error) {
      if (error instanceof GameError && (error.kind === 'unreachable' || error.kind === 'rate_limited')) {
        this.#restsUntil = this.#clock.monotonic() + Math.max(this.#rest, error.retryAfter ?? 0);
      }
      throw error;
    }
  }

  #spend(holder: Holder): void {
    if (this.isSpent(holder) || this.#clock.monotonic() < this.#restsUntil) {
      throw new GameError('rate_limited', 'Too many look-ups of players; try again in a minute.');
    }
    const now = this.#clock.now();
    for (const [tally] of this.#limitsOf(holder, now)) tally.spend(now);
  }

  #limitsOf({ name, isKnown }: Holder, now: number): (readonly [tally: MinuteTally, limit: number])[] {
    const { all, strangers, stranger, known } = this.#shares;
    const own = this.#callers.ensure(
      name,
      () => new MinuteTally(),
      (tally) => tally.isIdle(now),
    );
    if (isKnown)
      return [
        [this.#all, all],
        [own, known],
      ];
    return [
      [this.#all, all],
      [this.#strangers, strangers],
      [own, stranger],
    ];
  }
}
