import { RoundRobin } from './round-robin.ts';

export interface LineLimits {
  /** Pieces of work at the same time. */
  readonly atOnce: number;
  /** Pieces that may wait: of one caller, and of all. */
  readonly waitingOfOne: number;
  readonly waiting: number;
}

/** Limits how many pieces of work run at the same time; the callers who wait take turns, one piece each. */
export class Line {
  readonly #limits: LineLimits;
  readonly #waiting = new RoundRobin<() => void>();
  #underWay = 0;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  /** Why the caller should not add to the line; undefined: there is room. */
  fullFor(caller: string): 'one' | 'all' | undefined {
    if (this.#waiting.countOf(caller) >= this.#limits.waitingOfOne) return 'one';
    return this.#waiting.size >= this.#limits.waiting ? 'all' : undefined;
  }

  /** Does the work when its turn has come, however many wait. */
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
