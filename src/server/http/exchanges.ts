import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { RoundRobin } from '../fairness.ts';
import type { Holder } from '../pools.ts';

/** Pipelined requests that may wait on one connection; with more, it is closed. */
const MAX_WAITING = 32;
/** Strangers' requests that begin when they come, if few come in one turn of the event loop. */
const AT_ONCE = 4;
/** Those that begin later in one turn, and the milliseconds after which no more of them do. */
const PER_TURN = 16;
const TURN = 5;
/** Answers in a row with status 429 that end a connection. */
const MAX_REFUSED = 100;
const TOO_MANY_REQUESTS = 429;

interface ExchangesOptions {
  readonly handle: RequestListener;
  /** Closes a connection with too many requests at once. */
  readonly onFlood: (socket: Socket) => void;
  /** Whose request comes over a connection. */
  readonly holderOf: (socket: Socket) => Holder;
  readonly clock: Pick<Clock, 'monotonic'>;
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** The exchanges of a connection: the one under way, and those that wait for it. */
interface Line {
  readonly exchanges: Exchange[];
  /** Answers with status 429 since the last other one. */
  refused: number;
}

/**
 * Handles the requests of each connection one after the other, even if they arrive at once. The next one starts when
 * the previous answer has been read, so that no answers are made for a client that does not read them. Strangers'
 * addresses take turns.
 */
export class Exchanges {
  readonly #options: ExchangesOptions;
  readonly #lines = new WeakMap<Socket, Line>();
  readonly #strangers = new RoundRobin<() => void>();
  #atOnce = AT_ONCE;
  #isArmed = false;

  constructor(options: ExchangesOptions) {
    this.#options = options;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const line = this.#lines.get(socket) ?? { exchanges: [], refused: 0 };
    if (line.exchanges.length > MAX_WAITING) {
      this.#options.onFlood(socket);
      return;
    }
    line.exchanges.push([request, response]);
    this.#lines.set(socket, line);
    if (line.exchanges.length === 1) this.#begin(line, socket);
  }

  #begin(line: Line, socket: Socket): void {
    const { name, isKnown } = this.#options.holderOf(socket);
    if (isKnown) this.#run(line, socket);
    else this.#inTurn(name, () => this.#run(line, socket));
  }

  #inTurn(name: string, run: () => void): void {
    if (this.#atOnce > 0 && this.#strangers.isEmpty) {
      this.#atOnce--;
      run();
    } else this.#strangers.add(name, run);
    if (!this.#isArmed) this.#arm();
  }

  /** Begins those that wait in the next turn of the event loop, as many as its time allows. */
  #arm(): void {
    this.#isArmed = true;
    let end: number | undefined;
    for (let n = 1; n <= PER_TURN; n++) {
      setImmediate(() => {
        const now = this.#options.clock.monotonic();
        end ??= now + TURN;
        if (n === 1 || now < end) this.#strangers.take()?.();
        if (n === PER_TURN) this.#endTurn();
      });
    }
  }

  #endTurn(): void {
    this.#isArmed = false;
    this.#atOnce = AT_ONCE;
    if (!this.#strangers.isEmpty) this.#arm();
  }

  #run(line: Line, socket: Socket): void {
    const [request, response] = line.exchanges[0]!;
    if (!socket.writable) return;
    response.once('close', () => {
      line.exchanges.shift();
      line.refused = response.statusCode === TOO_MANY_REQUESTS ? line.refused + 1 : 0;
      if (line.refused >= MAX_REFUSED) socket.destroySoon();
      // After the requests that other connections have sent meanwhile.
      else if (line.exchanges.length > 0) setImmediate(() => socket.writable && this.#begin(line, socket));
    });
    this.#options.handle(request as never, response as never);
  }

  /** Whether part of an answer has been written. */
  isAnswering(socket: Socket): boolean {
    return this.#lines.get(socket)?.exchanges[0]?.[1].headersSent === true;
  }
}
