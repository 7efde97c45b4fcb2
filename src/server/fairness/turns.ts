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
