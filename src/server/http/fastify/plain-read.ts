import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { HttpRequest } from '../request.ts';
import type { Mounted } from '../routing/endpoints.ts';
import type { Found } from '../routing/router.ts';
import type { Visit } from './api.ts';
import { LABEL_OF_ID } from './log.ts';
import { requestId } from './network-limits.ts';
import { parseQuery } from './parse-query.ts';
import { signalOf } from './plain-request.ts';

/** A request without a body as Node has it. Make it while the connection is open: a closed one has no address. */
export class PlainRead implements HttpRequest {
  readonly id: string;
  readonly raw: IncomingMessage;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly params: unknown;
  readonly query: unknown;
  readonly ip: string;
  readonly body = undefined;
  readonly parts = undefined;
  readonly visit: Visit;
  readonly #appLog: FastifyBaseLogger;
  #log: FastifyBaseLogger | undefined;
  #signal: AbortSignal | undefined;

  constructor(raw: IncomingMessage, found: Found<Mounted>, appLog: FastifyBaseLogger) {
    this.id = requestId(raw);
    this.raw = raw;
    this.method = raw.method ?? '';
    this.url = raw.url ?? '';
    this.headers = raw.headers;
    this.params = found.params;
    this.query = parseQuery(queryOf(this.url));
    this.ip = raw.socket.remoteAddress ?? '';
    this.visit = { found, request: this };
    this.#appLog = appLog;
  }

  get address(): string {
    return this.ip;
  }

  get host(): string {
    return this.headers.host ?? '';
  }

  /** With the name of the request in each line. Most requests log nothing. */
  get log(): FastifyBaseLogger {
    this.#log ??= this.#appLog.child({ [LABEL_OF_ID]: this.id });
    return this.#log;
  }

  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.raw);
    return this.#signal;
  }

  hangUp(): void {
    this.raw.socket.destroy();
  }

  report(fault: unknown, message: string): void {
    this.log.error({ err: fault }, message);
  }
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}
