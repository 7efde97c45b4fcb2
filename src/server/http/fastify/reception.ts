import type { Clock } from '../../../base/clock.ts';
import { RoundRobin } from './round-robin.ts';

/** Connections that are taken in per turn of the event loop while no new ones come. */
const MAX_PER_TURN = 4;
/** Milliseconds for which new connections may hold up the next waiting one. */
const MAX_DELAY = 1;

/**
 * Spreads a burst of connections over turns of the event loop. Node accepts one in a turn, in the order in which they
 * came; setting one up for HTTP and reading its first requests takes several times as long. So all are accepted before
 * most of that begins, addresses take turns, and those with few connections go first: a caller waits neither for the
 * setting up of a thousand connections that came before, nor for fifty addresses with many.
 */
export class Reception {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #first = new RoundRobin<() => void>();
  readonly #others = new RoundRobin<() => void>();
  /** Whether connections came in this turn, and in this one or the one before. */
  #came = false;
  #isBusy = false;
  #lastTaken = Number.NEGATIVE_INFINITY;
  #isScheduled = false;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Calls `takeIn` now, or in a later turn. `hasFew`: whether the address has few connections. */
  add(takeIn: () => void, { address, hasFew }: { address: string; hasFew: boolean }): void {
    if (!this.#isBusy && this.#isEmpty) this.#takeIn(takeIn);
    else (hasFew ? this.#first : this.#others).add(address, takeIn);
    this.#came = true;
    this.#isBusy = true;
    this.#schedule();
  }

  get #isEmpty(): boolean {
    return this.#first.isEmpty && this.#others.isEmpty;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isScheduled = false;
    this.#isBusy = this.#came;
    this.#came = false;
    for (let left = this.#mostNow(); left > 0; left--)
      this.#takeIn(this.#first.take() ?? this.#others.take());
    if (this.#isBusy || !this.#isEmpty) this.#schedule();
  }

  #mostNow(): number {
    if (!this.#isBusy) return MAX_PER_TURN;
    return this.#clock.monotonic() - this.#lastTaken >= MAX_DELAY ? 1 : 0;
  }

  #takeIn(takeIn: (() => void) | undefined): void {
    if (!takeIn) return;
    this.#lastTaken = this.#clock.monotonic();
    takeIn();
  }
}
