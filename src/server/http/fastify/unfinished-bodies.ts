import type { IncomingMessage, ServerResponse } from 'node:http';
import { CountedMessage } from './counted-message.ts';

/** Bytes that each piece of a body takes besides its content: a body may come in single bytes. */
const PIECE = 256;

export interface UnfinishedBodiesOptions {
  /** Bytes of all of them together. */
  readonly most: number;
  readonly onDropped: () => void;
}

interface Body {
  readonly caller: string;
  bytes: number;
  readonly cut: () => void;
}

/**
 * The request bodies of strangers that have arrived in part. When they take too much memory, the largest body of the
 * caller with the most bytes is cut off, so that no one else is affected.
 */
export class UnfinishedBodies {
  readonly #options: UnfinishedBodiesOptions;
  readonly #bodies = new Set<Body>();
  #bytes = 0;

  constructor(options: UnfinishedBodiesOptions) {
    this.#options = options;
  }

  /**
   * Counts the body of a request until it is complete or the request is over. After the answer Node drops the rest of a
   * body and emits nothing more for the message, not even `close`.
   */
  follow(message: IncomingMessage, response: ServerResponse, caller: string): void {
    if (message.complete || message.socket.destroyed || !(message instanceof CountedMessage)) return;
    const body = { caller, bytes: 0, cut: () => message.socket.destroy() };
    const end = () => this.#forget(body);
    this.#bodies.add(body);
    message.count = { add: (bytes) => this.#add(body, bytes + PIECE), end };
    response.once('close', end);
    this.#add(body, message.readableLength);
  }

  #add(body: Body, bytes: number): void {
    if (!this.#bodies.has(body)) return; // it was cut off, and the rest of what came with it is parsed
    body.bytes += bytes;
    this.#bytes += bytes;
    if (this.#bytes > this.#options.most) this.#cutLargest();
  }

  #forget(body: Body): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes;
  }

  #cutLargest(): void {
    const caller = this.#heaviest();
    const own = [...this.#bodies].filter((body) => body.caller === caller);
    const largest = own.reduce((most, body) => (body.bytes > most.bytes ? body : most));
    this.#forget(largest);
    this.#options.onDropped();
    largest.cut();
  }

  #heaviest(): string {
    const sums = new Map<string, number>();
    for (const { caller, bytes } of this.#bodies) sums.set(caller, (sums.get(caller) ?? 0) + bytes);
    return [...sums].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
  }
}
