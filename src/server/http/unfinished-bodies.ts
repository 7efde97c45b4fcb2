import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { type Allowance, EvictingMap, isWhole, refill } from '../fairness/rate-limits.ts';
import { hasBody } from './request.ts';

/** Memory of each piece of a body besides its content, in bytes. */
const PIECE = 512;
/** Largest size of a small piece, in bytes. Network packets and clients' buffers hold more. */
const SMALL = 256;
/** Small pieces allowed per body. Clients send a few, for the headers of a form's parts. */
const MAX_SMALL_PIECES = 1_000;
/** Small pieces that a sender may send at once, and again each minute. */
const SMALL_PIECES_PER_MINUTE = 20_000;
const MANY_SENDERS = 1_000;

export interface UnfinishedBodiesOptions {
  /** Maximum bytes of all bodies together. */
  readonly most: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly onDropped: () => void;
  /** Called after a connection was closed because it sent a body in too many small pieces. */
  readonly onFlood: (socket: Socket) => void;
}

interface Body {
  readonly message: CountedMessage;
  /** The sender whose small pieces are counted together; undefined: only those of this connection. */
  readonly sender: string | undefined;
  /** The unauthenticated sender whose memory it takes; undefined: a user's body, or one that is over. */
  holder: string | undefined;
  bytes: number;
  smallPieces: number;
}

/** A request whose body is counted without being read. */
export class CountedMessage extends IncomingMessage {
  onPiece: ((bytes: number) => void) | undefined;
  onEnd: (() => void) | undefined;

  /** Node calls this with each piece of the body, and with null at its end. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) this.onEnd?.();
    else this.onPiece?.(piece.length);
    // Drops what was read along with the piece that closed the connection.
    return this.socket.destroyed && piece !== null ? false : super.push(piece, encoding);
  }
}

/**
 * The incomplete request bodies. Pieces cost more memory than bytes: a body in single bytes takes hundreds of times
 * its size. So each body and each sender may send few small pieces; with more, the connection is closed. If the bodies
 * of unauthenticated senders take too much memory together, the largest body of the sender with the most bytes is cut
 * off, so that nobody else is affected.
 */
export class UnfinishedBodies {
  readonly #options: UnfinishedBodiesOptions;
  readonly #bodies = new Map<IncomingMessage, Body>();
  readonly #allowances = new EvictingMap<Allowance>(MANY_SENDERS);
  #bytes = 0;

  constructor(options: UnfinishedBodiesOptions) {
    this.#options = options;
  }

  /** Counts the body of a request from its first byte, before the caller is known. */
  follow(
    message: IncomingMessage,
    response: ServerResponse,
    { sender, holder }: Pick<Body, 'sender' | 'holder'>,
  ): void {
    if (!(message instanceof CountedMessage) || !hasBody(message)) return;
    const body: Body = { message, sender, holder, bytes: 0, smallPieces: 0 };
    this.#bodies.set(message, body);
    message.onPiece = (bytes) => this.#add(body, bytes);
    const forget = () => this.#forget(body);
    message.onEnd = forget;
    message.once('close', forget);
    response.once('close', forget);
    // Runs before Node drops the rest of an unread body, whose pieces would not be counted.
    response.prependOnceListener('finish', () => {
      if (!message.complete) message.resume();
    });
  }

  /** Call when the caller is known: an unauthenticated sender, or undefined for a user, whose plan sets the limits. */
  attribute(message: IncomingMessage, stranger: string | undefined): void {
    const body = this.#bodies.get(message);
    if (body?.holder !== undefined) this.#holdFor(body, stranger);
  }

  #holdFor(body: Body, holder: string | undefined): void {
    if (body.holder !== undefined && holder === undefined) this.#bytes -= body.bytes;
    body.holder = holder;
  }

  #forget(body: Body): void {
    this.#holdFor(body, undefined);
    this.#bodies.delete(body.message);
  }

  #add(body: Body, bytes: number): void {
    if (body.message.socket.destroyed) return; // came with the piece that closed the connection
    if (bytes < SMALL && !this.#mayBeSmall(body)) return;
    if (body.holder === undefined) return;
    body.bytes += bytes + PIECE;
    this.#bytes += bytes + PIECE;
    if (this.#bytes > this.#options.most) this.#cut(this.#largest());
  }

  /** Counts a small piece. Beyond the limit, closes the connection, or all of the sender's with a body. */
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
    const at = this.#options.clock.monotonic();
    const made = () => ({ left: SMALL_PIECES_PER_MINUTE, at });
    const allowance = this.#allowances.ensure(sender, made, (one) => isWhole(one, at));
    refill(allowance, SMALL_PIECES_PER_MINUTE, at);
    return --allowance.left >= 0;
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

  #largest(): Body {
    const held = [...this.#bodies.values()].filter(({ holder }) => holder !== undefined);
    const sums = new Map<string, number>();
    for (const { holder, bytes } of held) sums.set(holder!, (sums.get(holder!) ?? 0) + bytes);
    const [heaviest] = [...sums].reduce((most, one) => (one[1] > most[1] ? one : most));
    const own = held.filter(({ holder }) => holder === heaviest);
    return own.reduce((most, body) => (body.bytes > most.bytes ? body : most));
  }
}
