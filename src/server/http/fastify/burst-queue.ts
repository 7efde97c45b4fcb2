import type { Clock } from '../../../base/clock.ts';
import { RoundRobin } from '../../fairness/turns.ts';

/** Requests that may begin in one turn of the event loop. */
const MAX_PER_TURN = 8;
/** Milliseconds for which new connections may hold up the next waiting request. */
const MAX_DELAY = 5;
/** Requests with a key that begin before one without. */
const KEYED_PER_OTHER = 3;

/** `urgent`: it never waits. `keyed`: it has a key that nobody has checked yet, and goes before most `other` ones. */
export type Rank = 'urgent' | 'keyed' | 'other';

/**
 * Spreads a burst of requests over turns of the event loop. Node accepts one connection in a turn, so a caller that
 * connects after a thousand others would otherwise wait until all of their requests are handled: connections are
 * accepted first, and urgent requests do not wait. Addresses take turns, so that none waits for all requests of another.
 */
export class BurstQueue {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #keyed = new RoundRobin<() => void>();
  readonly #others = new RoundRobin<() => void>();
  #begun = 0;
  #keyedInARow = 0;
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

  /** Calls `begin` now, or in a later turn: those of one address and rank in the order of the calls. */
  add(begin: () => void, { rank, address }: { rank: Rank; address: string }): void {
    const isFree = this.#isEmpty && this.#begun < MAX_PER_TURN && this.#mayBegin();
    if (rank === 'urgent') begin();
    else if (isFree) this.#begin(begin);
    else (rank === 'keyed' ? this.#keyed : this.#others).add(address, begin);
    this.#schedule();
  }

  get #isEmpty(): boolean {
    return this.#keyed.isEmpty && this.#others.isEmpty;
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
    if (this.#isEmpty) return;
    const count = mayBegin ? (isAccepting ? 1 : MAX_PER_TURN) : 0;
    // Each in a callback of its own, after which Node runs what it left to do.
    for (let n = 0; n < count; n++) setImmediate(() => this.#beginNext());
    this.#schedule();
  }

  #beginNext(): void {
    const next = this.#next();
    if (next) this.#begin(next);
  }

  #next(): (() => void) | undefined {
    const isKeyed = this.#others.isEmpty || (this.#keyedInARow < KEYED_PER_OTHER && !this.#keyed.isEmpty);
    this.#keyedInARow = isKeyed ? this.#keyedInARow + 1 : 0;
    return isKeyed ? this.#keyed.take() : this.#others.take();
  }
}
