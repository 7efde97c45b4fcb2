/**
 * A caller's usage in a sliding window, counted in steps. A step counts as long as its last moment does, so no
 * window of that length, wherever it begins, exceeds the limit; usage is released at most one step later than
 * necessary.
 */
export type Spent = readonly (readonly [step: number, used: number])[];

/** Milliseconds: the length of the window, and of its steps. */
export interface WindowShape {
  readonly span: number;
  readonly step: number;
}

export const MINUTE: WindowShape = { span: 60_000, step: 1_000 };
export const HOUR: WindowShape = { span: 3_600_000, step: 60_000 };

/**
 * The usage that still counts at `now`. Usage more than a window ahead was counted by a wrong clock that has been set
 * back since, and would lock out its caller until then.
 */
export function stillSpent(spent: Spent, shape: WindowShape, now: number): Spent {
  return spent.filter(([step]) => freedAt(step, shape) > now && step * shape.step <= now + shape.span);
}

export function totalOf(spent: Spent): number {
  return spent.reduce((total, [, used]) => total + used, 0);
}

/** One more, spent at `now`. */
export function spendOne(spent: Spent, { step: length }: WindowShape, now: number): Spent {
  const step = Math.floor(now / length);
  const used = spent.find(([known]) => known === step)?.[1] ?? 0;
  return [...spent.filter(([known]) => known !== step), [step, used + 1]];
}

/** When one more fits under the limit, in milliseconds since the epoch; `now`: at once. */
export function roomAt(spent: Spent, shape: WindowShape, limit: number, now: number): number {
  let used = totalOf(spent);
  let at = now;
  for (const [step, count] of spent.toSorted(([a], [b]) => a - b)) {
    if (used < limit) return at;
    used -= count;
    at = freedAt(step, shape);
  }
  return at;
}

/** When none of the usage counts any more. */
export function emptyAt(spent: Spent, shape: WindowShape, now: number): number {
  return Math.max(now, ...spent.map(([step]) => freedAt(step, shape)));
}

function freedAt(step: number, shape: WindowShape): number {
  return (step + 1) * shape.step + shape.span;
}

/** What was spent within the last minute. */
export class MinuteTally {
  #spent: Spent = [];

  isIdle(now: number): boolean {
    this.#spent = stillSpent(this.#spent, MINUTE, now);
    return this.#spent.length === 0;
  }

  /** When one more fits under the limit, in milliseconds since the epoch; `now`: at once. */
  roomAt(limit: number, now: number): number {
    return this.isIdle(now) ? now : roomAt(this.#spent, MINUTE, limit, now);
  }

  spend(now: number): void {
    this.#spent = spendOne(this.#spent, MINUTE, now);
  }
}

/** How much a caller may still spend at once, as of `at` (monotonic milliseconds). It refills over time. */
export interface Allowance {
  left: number;
  at: number;
}

/** Refills the allowance up to `at`, by `perMinute` each minute and to no more than that. */
export function refill(allowance: Allowance, perMinute: number, at: number): void {
  const back = ((at - allowance.at) * perMinute) / MINUTE.span;
  allowance.left = Math.min(perMinute, allowance.left + back);
  allowance.at = at;
}

/** Milliseconds until `cost` can be spent; 0: now. */
export function untilAffordable({ left }: Allowance, cost: number, perMinute: number): number {
  return Math.max(0, Math.ceil(((cost - left) * MINUTE.span) / perMinute));
}

/** Whether the allowance has refilled completely. */
export function isWhole(allowance: Allowance, at: number): boolean {
  return at - allowance.at >= MINUTE.span;
}

/**
 * Entries created on demand. Idle ones are removed when there are more than `many` entries, then again when the number
 * has doubled; otherwise, every new entry might scan all others.
 */
export class EvictingMap<Entry> {
  readonly #entries = new Map<string, Entry>();
  readonly #many: number;
  #most: number;

  constructor(many: number) {
    this.#many = many;
    this.#most = many;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** The entry of `key`, created by `make` if there is none. May first remove entries for which `isIdle` is true. */
  ensure(key: string, make: () => Entry, isIdle: (entry: Entry) => boolean): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= this.#most) this.#evict(isIdle);
    const made = make();
    this.#entries.set(key, made);
    return made;
  }

  #evict(isIdle: (entry: Entry) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (isIdle(entry)) this.#entries.delete(key);
    }
    this.#most = Math.max(this.#many, 2 * this.#entries.size);
  }
}

/** What each of many holders may still spend at once. Above `many`, those with a full allowance are forgotten. */
export class Allowances {
  readonly #perMinute: number;
  readonly #allowances: EvictingMap<Allowance>;

  constructor(perMinute: number, many: number) {
    this.#perMinute = perMinute;
    this.#allowances = new EvictingMap(many);
  }

  /** What the holder may spend at `at` (monotonic milliseconds). */
  of(holder: string, at: number): Allowance {
    const made = () => ({ left: this.#perMinute, at });
    const allowance = this.#allowances.ensure(holder, made, (other) => isWhole(other, at));
    refill(allowance, this.#perMinute, at);
    return allowance;
  }
}

/** Items in order of arrival, but taking groups in turn. */
export class RoundRobin<T> {
  readonly #groups = new Map<string, T[]>();
  #size = 0;

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /** The items of all groups. */
  get size(): number {
    return this.#size;
  }

  countOf(group: string): number {
    return this.#groups.get(group)?.length ?? 0;
  }

  add(group: string, item: T): void {
    const there = this.#groups.get(group);
    if (there) there.push(item);
    else this.#groups.set(group, [item]);
    this.#size++;
  }

  take(): T | undefined {
    const [first] = this.#groups;
    if (!first) return undefined;
    const [group, items] = first;
    const item = items.shift();
    this.#groups.delete(group);
    if (items.length > 0) this.#groups.set(group, items);
    this.#size--;
    return item;
  }
}

/**
 * The order of jobs: start-time fair queueing. The queue has a virtual clock that advances with the work, not with
 * time. A job gets its turn when it is accepted, and the lowest turn goes first.
 *
 * An owner's next turn lies 1/priority after the last. So of two owners who always have jobs waiting, the one with
 * twice the priority gets two turns for each of the other's, and no one starves: at most a few jobs of any other owner
 * overtake a given turn. A turn is never before the clock: an owner who was idle starts where the others are, without
 * saved-up credit.
 *
 * The clock is at the highest turn ever taken. When no job waits, no owner is ahead of another, and the clock may
 * advance to the last turn given.
 */

/** The turn of an owner's next job, given the queue's clock and the owner's last next one. */
export function nextTurn(clock: number, remembered: number): number {
  return Math.max(clock, remembered);
}

/** The earliest turn of the owner's job after that. */
export function turnAfter(turn: number, priority: number): number {
  return turn + 1 / priority;
}

export interface ConcurrencyLimits {
  /** Maximum simultaneous tasks. */
  readonly atOnce: number;
  /** Maximum waiting tasks, per caller and in all. */
  readonly waitingOfOne: number;
  readonly waiting: number;
}

/** Limits simultaneous tasks. Waiting callers take turns, one task each. */
export class ConcurrencyQueue {
  readonly #limits: ConcurrencyLimits;
  readonly #waiting = new RoundRobin<() => void>();
  #underWay = 0;

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  /** Why the caller may not add another task; undefined: there is room. */
  fullFor(caller: string): 'one' | 'all' | undefined {
    if (this.#waiting.countOf(caller) >= this.#limits.waitingOfOne) return 'one';
    return this.#waiting.size >= this.#limits.waiting ? 'all' : undefined;
  }

  /** Runs the task when its turn has come, however many wait. */
  async during<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (this.#underWay < this.#limits.atOnce) this.#underWay++;
    else await new Promise<void>((begin) => this.#waiting.add(caller, begin));
    try {
      return await work();
    } finally {
      this.#beginNext();
    }
  }

  #beginNext(): void {
    const begin = this.#waiting.take();
    if (begin) begin();
    else this.#underWay--;
  }
}
