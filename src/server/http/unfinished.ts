import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { Allowances } from '../fairness.ts';
import { type Holder, type Place, Room } from '../pools.ts';
import { hasBody } from './network-head.ts';

/** Memory of each chunk of a body besides its content, in bytes. */
const PIECE = 512;
/** Largest size of a small chunk, in bytes. Network packets and clients' buffers hold more. */
const SMALL = 256;
/** Small chunks allowed per body. Clients send a few, for the headers of a form's parts. */
const MAX_SMALL_PIECES = 1_000;
/** Small chunks that a sender may send at once, and again each minute. */
const SMALL_PIECES_PER_MINUTE = 20_000;
const MANY_SENDERS = 1_000;

interface UnfinishedBodiesOptions {
  /** Maximum bytes of all bodies together. */
  readonly most: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly onDropped: () => void;
  /** Called after a connection was closed because it sent a body in too many small chunks. */
  readonly onFlood: (socket: Socket) => void;
}

interface Body {
  readonly message: CountedMessage;
  /** The sender whose small chunks are counted together; undefined: only those of this connection. */
  readonly sender: string | undefined;
  /** The unauthenticated sender whose memory it takes; undefined: a user's body, or one that is over. */
  place: Place | undefined;
  smallPieces: number;
}

/** A request whose body is counted without being read. */
export class CountedMessage extends IncomingMessage {
  onChunk: ((bytes: number) => void) | undefined;
  onEnd: (() => void) | undefined;

  /** Node calls this with each chunk of the body, and with null at its end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.onEnd?.();
    else this.onChunk?.(chunk.length);
    // Drops what was read along with the chunk that closed the connection.
    return this.socket.destroyed && chunk !== null ? false : super.push(chunk, encoding);
  }
}

/**
 * The incomplete request bodies. Pieces cost more memory than bytes: a body in single bytes takes hundreds of times
 * its size. So each body and each sender may send few small chunks; with more, the connection is closed. If the bodies
 * of unauthenticated senders take too much memory together, the largest body of the sender with the most bytes is cut
 * off, so that nobody else is affected.
 */
export class UnfinishedBodies {
  readonly #options: UnfinishedBodiesOptions;
  readonly #bodies = new Map<IncomingMessage, Body>();
  readonly #held = new Room<Place>();
  readonly #allowances = new Allowances(SMALL_PIECES_PER_MINUTE, MANY_SENDERS);

  constructor(options: UnfinishedBodiesOptions) {
    this.#options = options;
  }

  /** Counts the body of a request from its first byte, before the caller is known. */
  follow(
    message: IncomingMessage,
    response: ServerResponse,
    { sender, holder }: Pick<Body, 'sender'> & { readonly holder: string },
  ): void {
    if (!(message instanceof CountedMessage) || !hasBody(message)) return;
    const body: Body = { message, sender, place: undefined, smallPieces: 0 };
    this.#bodies.set(message, body);
    this.#holdFor(body, holder);
    message.onChunk = (bytes) => this.#add(body, bytes);
    const forget = () => this.#forget(body);
    message.onEnd = forget;
    message.once('close', forget);
    response.once('close', forget);
    // Runs before Node drops the rest of an unread body, whose chunks would not be counted.
    response.prependOnceListener('finish', () => {
      if (!message.complete) message.resume();
    });
  }

  /** Call when the caller is known: an unauthenticated sender, or undefined for a user, whose plan sets the limits. */
  attribute(message: IncomingMessage, stranger: string | undefined): void {
    const body = this.#bodies.get(message);
    if (body?.place) this.#holdFor(body, stranger);
  }

  #holdFor(body: Body, name: string | undefined): void {
    const size = body.place?.size ?? 0;
    if (body.place) this.#held.remove(body.place);
    body.place =
      name === undefined ? undefined : heldBytes({ name, isKnown: false }, () => this.#cut(body), size);
    if (body.place) this.#held.add(body.place);
  }

  #forget(body: Body): void {
    this.#holdFor(body, undefined);
    this.#bodies.delete(body.message);
  }

  #add(body: Body, bytes: number): void {
    if (body.message.socket.destroyed) return; // came with the chunk that closed the connection
    if (bytes < SMALL && !this.#mayBeSmall(body)) return;
    if (!body.place) return;
    this.#held.grow(body.place, bytes + PIECE);
    if (this.#held.size > this.#options.most) this.#held.makeRoom();
  }

  /** Counts a small chunk. Beyond the limit, closes the connection, or all of the sender's with a body. */
  #mayBeSmall(body: Body): boolean {
    if (++body.smallPieces > MAX_SMALL_PIECES) this.#flooded(body);
    else if (!this.#isAffordable(body.sender)) {
      const others = [...this.#bodies.values()].filter(({ sender }) => sender === body.sender);
      for (const one of new Set([body, ...others])) this.#flooded(one);
    }
    return !body.message.socket.destroyed;
  }

  #isAffordable(sender: string | undefined): boolean {
    if (sender === undefined) return true;
    return --this.#allowances.of(sender, this.#options.clock.monotonic()).left >= 0;
  }

  #flooded(body: Body): void {
    this.#cut(body);
    this.#options.onFlood(body.message.socket);
  }

  #cut(body: Body): void {
    this.#forget(body);
    this.#options.onDropped();
    body.message.socket.destroy();
  }
}

/** Bytes in memory. The largest of its holder makes room first. */
function heldBytes(holder: Holder, drop: () => void, size = 0): Place {
  const place: Place = { holder, size, rank: () => -place.size, drop };
  return place;
}

interface UnreadAnswersOptions {
  /** Maximum bytes of all answers together. */
  readonly most: number;
  readonly onDropped: () => void;
}

/**
 * What was written and not read yet. If it takes too much memory together, the connection with the largest answer of
 * the caller with the most bytes is closed.
 */
export class UnreadAnswers {
  readonly #options: UnreadAnswersOptions;
  readonly #held = new Room<Place>();
  readonly #places = new WeakMap<ServerResponse, Place>();

  constructor(options: UnreadAnswersOptions) {
    this.#options = options;
  }

  /** Counts what is left of an answer that has been handed to Node, until the system has all of it. */
  follow(response: ServerResponse, holder: Holder): void {
    if (response.writableLength > 0) this.hold(response, holder, response.writableLength);
  }

  /** Counts so many bytes for an answer, until it says something else or ends. */
  hold(response: ServerResponse, holder: Holder, bytes: number): void {
    if (response.closed) return;
    const place = this.#places.get(response) ?? this.#open(response, holder);
    this.#held.grow(place, bytes - place.size);
    if (this.#held.size > this.#options.most) this.#held.makeRoom();
  }

  #open(response: ServerResponse, holder: Holder): Place {
    const { socket } = response;
    const place = heldBytes(holder, () => {
      this.#options.onDropped();
      socket?.destroy();
    });
    const forget = () => this.#held.remove(place);
    response.once('finish', forget).once('close', forget);
    this.#places.set(response, place);
    this.#held.add(place);
    return place;
  }
}
