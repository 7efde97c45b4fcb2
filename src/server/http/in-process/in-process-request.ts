import { parse } from 'node:querystring';
import type { TransportRequest } from '../../../client/transport.ts';
import type { RequestLog } from '../endpoint/error-answer.ts';
import { BODY_LIMIT } from '../limits.ts';
import type { HttpRequest } from '../request.ts';
import type { TakenContent } from './taken-content.ts';

/** The caller is on this machine. */
const ADDRESS = '127.0.0.1';

export interface InProcessRequestOptions {
  readonly content: TakenContent;
  /** Values of the path's placeholders. */
  readonly params: Readonly<Record<string, string>>;
  /** Aborted when the caller is gone. */
  readonly gone: AbortController;
  readonly log: RequestLog;
}

/** A request inside the process, as routes see it. */
export class InProcessRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HttpRequest['headers'];
  readonly params: unknown;
  readonly query: unknown;
  readonly address = ADDRESS;
  readonly host = ADDRESS;
  readonly #options: InProcessRequestOptions;
  #body: unknown;

  constructor({ method, path, headers }: TransportRequest, options: InProcessRequestOptions) {
    this.method = method;
    this.url = path;
    this.headers = { ...headers };
    this.params = options.params;
    this.query = parse(queryOf(path), undefined, undefined, { maxKeys: 0 });
    this.#options = options;
  }

  get body(): unknown {
    return this.#body;
  }

  get parts(): HttpRequest['parts'] {
    return this.#options.content.parts;
  }

  get signal(): AbortSignal {
    return this.#options.gone.signal;
  }

  /** Reads a JSON body. `limit`: bytes of its text. @throws Refusal with status 413 */
  readBody(limit = BODY_LIMIT): void {
    this.#body = this.#options.content.json(limit);
  }

  hangUp(): void {
    this.#options.gone.abort(cutOff());
  }

  report(fault: unknown, message: string): void {
    this.#options.log.error({ err: fault }, message);
  }
}

/** Why a request has no answer, or none to its end, though the caller still waits: as the network says it. */
export function cutOff(): Error {
  return Object.assign(new Error('The service has ended the request.'), { code: 'ECONNRESET' });
}

function queryOf(path: string): string {
  const start = path.indexOf('?');
  return start === -1 ? '' : path.slice(start + 1);
}
