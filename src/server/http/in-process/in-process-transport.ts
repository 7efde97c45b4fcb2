import { Readable } from 'node:stream';
import type { Transport, TransportAnswer, TransportRequest } from '../../../client/transport.ts';
import { RequestLimiter, type RequestLimits } from '../../service/limits/request-limiter.ts';
import { Refusal } from '../../service/refusal.ts';
import { Endpoint, type EndpointOptions } from '../endpoint/endpoint.ts';
import { errorAnswer, type RequestLog } from '../endpoint/error-answer.ts';
import { verifyUrlLength } from '../limits.ts';
import { Endpoints, type Mounted } from '../routing/endpoints.ts';
import type { Found } from '../routing/router.ts';
import { transportAnswer } from './answer-body.ts';
import { cutOff, InProcessRequest } from './in-process-request.ts';
import { TakenContent } from './taken-content.ts';

export interface InProcessOptions extends Omit<EndpointOptions, 'requestLimiter'> {
  readonly limits: RequestLimits;
  readonly log: RequestLog;
}

/**
 * The service for callers in its own process: a transport that needs no network. Routes are answered as over the
 * network, without what only matters there: entity tags, names of requests, and headers for browsers and proxies.
 */
export class InProcessTransport implements Transport {
  readonly #options: InProcessOptions;
  readonly #endpoints: Endpoints;
  /** The requests under way, with promises of their ends. */
  readonly #open = new Map<AbortController, Promise<void>>();
  #isClosed = false;

  constructor(options: InProcessOptions) {
    this.#options = options;
    const requestLimiter = new RequestLimiter(options.limits, options.context.clock);
    this.#endpoints = new Endpoints((route) => new Endpoint(route, { ...options, requestLimiter }));
  }

  async send(sent: TransportRequest): Promise<TransportAnswer> {
    const { signal } = sent;
    signal.throwIfAborted();
    if (this.#isClosed) throw cutOff();
    const gone = new AbortController();
    const leave = () => gone.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const answered = this.#answer(sent, gone);
    const over = answered.then(async (answer) => await untilRead(answer, gone));
    this.#open.set(gone, over);
    void over.then(() => {
      signal.removeEventListener('abort', leave);
      this.#open.delete(gone);
    });
    return await unlessAborted(answered, gone.signal);
  }

  get openRequests(): number {
    return this.#open.size;
  }

  /** Takes no more requests; resolves when those under way have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#open.values());
  }

  /** Ends the requests under way for their callers; what they have begun goes on. */
  cutOff(): void {
    for (const gone of this.#open.keys()) gone.abort(cutOff());
  }

  /** Whatever goes wrong becomes an answer. */
  async #answer(sent: TransportRequest, gone: AbortController): Promise<TransportAnswer> {
    const { context, log } = this.#options;
    const isHead = sent.method === 'HEAD';
    const content = new TakenContent(isHead || sent.method === 'GET' ? undefined : sent.content);
    try {
      const { target, params } = this.#find(sent);
      const request = new InProcessRequest(sent, { content, params, gone, log });
      const admission = await target.endpoint.admit(request);
      request.readBody(target.route.bodyLimit);
      return transportAnswer(await target.endpoint.answer(request, admission), isHead);
    } catch (error) {
      return transportAnswer(errorAnswer(error, { url: sent.path, log, context }), isHead);
    }
  }

  /** @throws Refusal */
  #find({ method, path }: TransportRequest): Found<Mounted> {
    verifyUrlLength(path);
    const found = this.#endpoints.find(method, path.split(/[?#]/, 1)[0] ?? '');
    if (!found) throw new Refusal('not_found');
    return found;
  }
}

/** Resolves when a stream has ended, or its reader is gone; all other answers are complete. */
async function untilRead({ body }: TransportAnswer, gone: AbortController): Promise<void> {
  const stream = 'bytes' in body ? body.bytes : undefined;
  if (!(stream instanceof Readable)) return;
  stream.on('error', () => {}); // its reader gets the error
  const cut = () => stream.destroy(gone.signal.reason);
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  if (gone.signal.aborted) cut();
  else gone.signal.addEventListener('abort', cut, { once: true });
  if (!stream.closed) await closed;
  gone.abort();
}

/** @throws the signal's reason when aborted first */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
