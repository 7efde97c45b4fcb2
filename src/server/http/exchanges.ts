import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Holder, Turns } from '../pools.ts';

/** Pipelined requests that may wait on one connection; with more, it is closed. */
const MAX_WAITING = 32;
/** Requests of one stranger that may wait over all connections: a turn of the event loop reads all that have come. */
const MAX_OF_STRANGER = 256;
/** Answers in a row with status 429 that end a connection. */
const MAX_REFUSED = 100;
const TOO_MANY_REQUESTS = 429;

interface ExchangesOptions {
  readonly handle: RequestListener;
  /** Closes a connection with too many requests at once. */
  readonly onFlood: (socket: Socket) => void;
  /** Whose request comes over a connection. */
  readonly holderOf: (socket: Socket) => Holder;
  readonly turns: Pick<Turns, 'add'>;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly holder: string;
}

/** The exchanges of a connection: the one under way, and those that wait for it. */
interface Line {
  readonly exchanges: Exchange[];
  /** Answers with status 429 since the last other one. */
  refused: number;
}

/**
 * Handles the requests of each connection one after the other, even if they arrive at once. The next one starts when
 * the previous answer has been read, so that no answers are made for a client that does not read them.
 */
export class Exchanges {
  readonly #options: ExchangesOptions;
  readonly #lines = new WeakMap<Socket, Line>();
  /** The numbers of exchanges by holder. */
  readonly #counts = new Map<string, number>();

  constructor(options: ExchangesOptions) {
    this.#options = options;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const line = this.#lines.get(socket) ?? this.#open(socket);
    const { name, isKnown } = this.#options.holderOf(socket);
    const ofHolder = this.#counts.get(name) ?? 0;
    if (line.exchanges.length > MAX_WAITING || (!isKnown && ofHolder >= MAX_OF_STRANGER)) {
      this.#options.onFlood(socket);
      return;
    }
    line.exchanges.push({ request, response, holder: name });
    this.#counts.set(name, ofHolder + 1);
    if (line.exchanges.length === 1) this.#begin(line, socket);
  }

  #open(socket: Socket): Line {
    const line: Line = { exchanges: [], refused: 0 };
    this.#lines.set(socket, line);
    socket.once('close', () => {
      while (line.exchanges.length > 0) this.#leave(line);
    });
    return line;
  }

  /** Counts the first exchange no more. */
  #leave(line: Line): void {
    const first = line.exchanges.shift();
    if (!first) return;
    const left = this.#counts.get(first.holder)! - 1;
    if (left > 0) this.#counts.set(first.holder, left);
    else this.#counts.delete(first.holder);
  }

  #begin(line: Line, socket: Socket): void {
    const { holderOf, turns } = this.#options;
    turns.add(holderOf(socket), () => this.#run(line, socket));
  }

  #run(line: Line, socket: Socket): void {
    const first = line.exchanges[0];
    if (!first || !socket.writable) return;
    const { request, response } = first;
    response.once('close', () => {
      this.#leave(line);
      line.refused = response.statusCode === TOO_MANY_REQUESTS ? line.refused + 1 : 0;
      if (line.refused >= MAX_REFUSED) socket.destroySoon();
      else if (line.exchanges.length > 0) this.#begin(line, socket);
    });
    this.#options.handle(request as never, response as never);
  }

  /** Whether part of an answer has been written. */
  isAnswering(socket: Socket): boolean {
    return this.#lines.get(socket)?.exchanges[0]?.response.headersSent === true;
  }
}
