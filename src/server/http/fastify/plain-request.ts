import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { HttpRequest } from '../request.ts';
import { streamParts } from './stream-parts.ts';

/** Fastify's request as routes see it. Make it while the connection is open: a closed one has no address. */
export class PlainRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HttpRequest['headers'];
  readonly params: unknown;
  readonly query: unknown;
  readonly address: string;
  readonly #request: FastifyRequest;
  #signal: AbortSignal | undefined;

  /** `params`: values of the placeholders in the route's address. */
  constructor(request: FastifyRequest, params: unknown = request.params) {
    this.#request = request;
    this.method = request.method;
    this.url = request.url;
    this.headers = request.headers;
    this.params = params;
    this.query = request.query;
    this.address = request.ip;
  }

  get body(): unknown {
    return this.#request.body;
  }

  get host(): string {
    return this.#request.host;
  }

  get parts(): HttpRequest['parts'] {
    return this.#request.isMultipart() ? (limits) => streamParts(this.#request, limits) : undefined;
  }

  /** Few routes ask for it, so it is made when they do. */
  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#request.raw);
    return this.#signal;
  }

  hangUp(): void {
    this.#request.raw.socket.destroy();
  }

  report(fault: unknown, message: string): void {
    this.#request.log.error({ err: fault }, message);
  }
}

/** Aborted when the connection is closed. */
function signalOf({ socket }: IncomingMessage): AbortSignal {
  const closed = new AbortController();
  if (socket.destroyed) closed.abort();
  else socket.once('close', () => closed.abort());
  return closed.signal;
}
