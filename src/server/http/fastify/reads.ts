import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Answer } from '../route.ts';
import { isStream } from '../route.ts';
import type { Endpoints, Mounted } from '../routing/endpoints.ts';
import type { Found } from '../routing/router.ts';
import { pathOf } from './api.ts';
import type { Connections } from './connections.ts';
import { verifyHead } from './network-limits.ts';
import { PlainRead } from './plain-read.ts';
import type { Watch } from './request-watch.ts';
import type { WriteWhole } from './write-answer.ts';

export interface ReadsOptions {
  readonly endpoints: Endpoints;
  readonly connections: Connections;
  readonly log: FastifyBaseLogger;
  readonly watch: Watch;
  readonly write: WriteWhole;
  readonly errorAnswer: (error: unknown, read: PlainRead) => Answer;
  /** Whether the request is answered from another address than the one it names. */
  readonly isRewritten: (request: IncomingMessage) => boolean;
}

/**
 * Answers most requests, which are GETs of the API with complete answers, without the framework: it has no body to
 * parse then, and takes as long as all the rest. Leaves to the framework the requests that the framework would refuse.
 */
export class Reads {
  readonly #options: ReadsOptions;
  #isClosing = false;

  constructor(options: ReadsOptions) {
    this.#options = options;
  }

  /** From now on the framework gets all requests: it tells their connections that they will be closed. */
  close(): void {
    this.#isClosing = true;
  }

  /** Answers a request, unless it is one for the framework. @returns whether it does */
  take(raw: IncomingMessage, response: ServerResponse): boolean {
    const found = this.#isClosing ? undefined : this.#find(raw);
    if (!found) return false;
    const read = new PlainRead(raw, found, this.#options.log);
    this.#options.watch(read, response);
    void this.#answer(read, response);
    return true;
  }

  #find(raw: IncomingMessage): Found<Mounted> | undefined {
    const { endpoints, isRewritten } = this.#options;
    const { method = '', url = '' } = raw;
    if ((method !== 'GET' && method !== 'HEAD') || hasBody(raw) || isRewritten(raw)) return undefined;
    try {
      const found = endpoints.find(method, pathOf(url));
      return found && !isStream(found.target.route) ? found : undefined;
    } catch {
      return undefined; // the framework refuses it, too
    }
  }

  async #answer(read: PlainRead, response: ServerResponse): Promise<void> {
    const { write, errorAnswer } = this.#options;
    const isTagged = read.visit.found.target.route.method === 'GET';
    try {
      write(response, read, await this.#ask(read), { isTagged });
    } catch (error) {
      write(response, read, errorAnswer(error, read));
    }
  }

  /** @throws Refusal, and whatever else goes wrong */
  async #ask(read: PlainRead): Promise<Answer> {
    verifyHead(read);
    const { visit } = read;
    const { endpoint } = visit.found.target;
    visit.admission = await endpoint.admit(read);
    const { caller } = visit.admission;
    if (caller.kind === 'user') this.#options.connections.recognize(read.raw.socket, caller.owner);
    return await endpoint.answer(read, visit.admission);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
