import type { Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';
import { RoundRobin } from '../../fairness/turns.ts';
import type { Reading } from './reading.ts';

/** Requests that may be parsed in one turn of the event loop before the connections of strangers take turns. */
const MAX_PARSED = 128;
/** Connections that are read again in each turn. */
const MAX_RESUMED = 8;
/** Milliseconds for which new connections may hold up the next of them. */
const MAX_DELAY = 5;

export interface Stranger {
  readonly socket: Socket;
  readonly address: string;
}

/**
 * Spreads the parsing of requests over turns of the event loop. Node reads in one turn from every connection that has
 * sent something: a thousand connections with eight requests each would delay everybody else until all of those are
 * parsed. After the first hundred, nothing more is read from strangers; a few connections go on in each turn, one of
 * each address after the other. While new connections come, of which Node accepts one in a turn, those go first.
 */
export class ReadingTurns {
  readonly #reading: Reading;
  readonly #strangers: () => Iterable<Stranger>;
  readonly #waiting = new RoundRobin<Socket>();
  readonly #paused = new Set<Socket>();
  readonly #clock: Pick<Clock, 'monotonic'>;
  #parsed = 0;
  #isAccepting = false;
  #lastResume = Number.NEGATIVE_INFINITY;
  #isScheduled = false;

  constructor(reading: Reading, strangers: () => Iterable<Stranger>, clock: Pick<Clock, 'monotonic'>) {
    this.#reading = reading;
    this.#strangers = strangers;
    this.#clock = clock;
  }

  /** Call with each new connection: more of them may be waiting. */
  connected(): void {
    this.#isAccepting = true;
    this.#schedule();
  }

  /** Call with each request that has been parsed. */
  parsed(): void {
    this.#schedule();
    if (++this.#parsed < MAX_PARSED) return;
    this.#parsed = 0;
    this.#pauseStrangers();
  }

  #pauseStrangers(): void {
    for (const { socket, address } of this.#strangers()) {
      if (this.#paused.has(socket)) continue;
      this.#paused.add(socket);
      this.#waiting.add(address, socket);
      this.#reading.pause(socket, 'turn');
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    const count = this.#isAccepting ? this.#duringBurst() : MAX_RESUMED;
    this.#isScheduled = false;
    if (!this.#isAccepting) this.#parsed = 0;
    this.#isAccepting = false;
    for (let n = 0; n < count; n++) this.#resumeNext();
    if (!this.#waiting.isEmpty) this.#schedule();
  }

  #duringBurst(): number {
    return this.#clock.monotonic() - this.#lastResume < MAX_DELAY ? 0 : 1;
  }

  #resumeNext(): void {
    const socket = this.#waiting.take();
    if (!socket) return;
    this.#lastResume = this.#clock.monotonic();
    this.#paused.delete(socket);
    this.#reading.resume(socket, 'turn');
  }
}
