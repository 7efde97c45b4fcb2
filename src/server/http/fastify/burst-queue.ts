import type { Clock } from '../../../base/clock.ts';

/** Requests that may begin in one turn of the event loop. */
const MAX_PER_TURN = 8;
/** Milliseconds for which new connections may hold up the next waiting request. */
const MAX_DELAY = 5;

/**
 * Spreads a burst of requests over turns of the event loop. Node accepts one connection in a turn, so a caller that
 * connects after a thousand others would otherwise wait until all of their requests are handled: connections are
 * accepted first, and urgent requests do not wait.
 */
export class BurstQueue {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #waiting: (() => void)[] = [];
  #begun = 0;
  #isAccepting = false;
  #lastBegin = Number.NEGATIVE_INFINITY;
  #isScheduled = false;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Call with each new connection: more of them may be waiting. */
  connected(): void {
    this.#isAccepting = true;
    this.#schedule();
  }

  /** Calls `begin` now, or in a later turn, in the order of the calls. */
  add(begin: () => void, { isUrgent }: { isUrgent: boolean }): void {
    if (isUrgent) begin();
    else if (this.#waiting.length === 0 && this.#begun < MAX_PER_TURN && this.#mayBegin()) this.#begin(begin);
    else this.#waiting.push(begin);
    this.#schedule();
  }

  #mayBegin(): boolean {
    return !this.#isAccepting || this.#clock.monotonic() - this.#lastBegin >= MAX_DELAY;
  }

  #begin(begin: () => void): void {
    this.#begun++;
    this.#lastBegin = this.#clock.monotonic();
    begin();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    const mayBegin = this.#mayBegin();
    const isAccepting = this.#isAccepting;
    this.#isScheduled = false;
    this.#isAccepting = false;
    this.#begun = 0;
    if (this.#waiting.length === 0) return;
    const count = mayBegin ? (isAccepting ? 1 : MAX_PER_TURN) : 0;
    // Each in a callback of its own, after which Node runs what it left to do.
    for (let n = 0; n < count; n++) setImmediate(() => this.#beginNext());
    this.#schedule();
  }

  #beginNext(): void {
    const next = this.#waiting.shift();
    if (next) this.#begin(next);
  }
}
