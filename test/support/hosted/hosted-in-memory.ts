import type { Dispatcher } from 'undici';
import type { Fault } from '../../../src/double/faults.ts';
import { HostedApi } from '../../../src/double/hosted/api.ts';
import { type HostedOptions, latencyOf } from '../../../src/double/hosted/options.ts';
import { type Reply, refusalCode } from '../../../src/double/replies.ts';
import { type DoubleRequest, type RequestKind, routeOf } from '../../../src/double/requests.ts';
import type { VirtualClock } from '../scripted/virtual-clock.ts';
import { usualKey } from './hosted-service.ts';
import { type HostedRecords, Recorder } from './recorder.ts';

/** The request that undici gets. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | null;
  readonly signal?: AbortSignal;
}

/** A received request; `at`: by the test's monotonic clock. */
export interface SeenRequest {
  readonly kind: RequestKind;
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Error code of the answer, if it is a refusal. */
  refusal?: string | undefined;
}

/** Runs between a request and its answer. `process` handles the request and returns the answer. */
export type Disturb = (request: DoubleRequest, process: () => Promise<Reply>) => Promise<Reply>;

const USUAL_LATENCY = 5;
const URL_IN_MEMORY = 'http://hosted.example';

/** The imitation of the hosted service without a network: requests come by calls, on a clock of the test's own. */
export class HostedInMemory {
  readonly url = URL_IN_MEMORY;
  readonly seen: SeenRequest[] = [];
  disturb: Disturb = async (_, process) => await process();
  readonly #clock: VirtualClock;
  readonly #api: HostedApi;
  readonly #options: HostedOptions;
  readonly records: HostedRecords;

  private constructor(clock: VirtualClock, options: HostedOptions) {
    const recorder = new Recorder();
    this.#clock = clock;
    this.#api = new HostedApi(URL_IN_MEMORY, { ...options, recorder });
    this.records = recorder;
    this.#options = options;
  }

  static async open(clock: VirtualClock, options: HostedOptions = {}): Promise<HostedInMemory> {
    const all = { latency: USUAL_LATENCY, clock, signingKey: await usualKey(), ...options };
    return new HostedInMemory(clock, all);
  }

  get key(): string {
    return this.#api.key;
  }

  /** The user revokes the key and makes another one, whose list has none of the earlier jobs. */
  replaceKey(): void {
    this.#api.key = this.key.split('').reverse().join('');
    this.#api.intake.book.hideEarlier(this.#api.now());
  }

  /** What a client sends its requests through. */
  get dispatcher(): Dispatcher {
    const request = async ({ method, path, headers, body, signal }: Sent) => {
      const { kind } = routeOf(method, new URL(path, URL_IN_MEMORY).pathname);
      const pass = async () => await this.#clock.sleep(latencyOf(this.#options, kind), signal);
      await pass();
      const sent = { method, path, headers, body: Buffer.from(body ?? '') };
      // A broken connection is noticed as late as an answer.
      const answer = Promise.race([this.#answer(sent), aborted(signal)]);
      const { status, headers: told, body: bytes } = await answer.finally(pass);
      return { statusCode: status, headers: told, body: chunks(bytes) };
    };
    return { request } as unknown as Dispatcher;
  }

  /** Requests that were answered with an error. */
  get refusals(): readonly SeenRequest[] {
    return this.seen.filter(({ kind, refusal }) => refusal !== undefined && kind !== 'root');
  }

  /** When each request of a kind came in. */
  times(kind: RequestKind): number[] {
    return this.seen.filter((request) => request.kind === kind).map(({ at }) => at);
  }

  /** An answer that refuses, in the service's own words. */
  refuse(request: DoubleRequest, fault: Fault): Reply {
    return this.#api.refuse(
      request,
      fault.kind === 'rate-limit' ? 'rate_limit' : 'service_unavailable',
      fault,
    );
  }

  /** Another program of the same user takes a slot. With a key of its own its job is in no list that the caller sees. */
  occupy(milliseconds: number, { key = 'same' }: { key?: 'same' | 'other' } = {}): void {
    this.#api.intake.occupy(milliseconds, key === 'same' ? 'other program' : 'other key', this.#api.now());
  }

  async #answer({ path, ...sent }: Pick<DoubleRequest, 'method' | 'headers' | 'body'> & { path: string }) {
    const { pathname, searchParams: query } = new URL(path, URL_IN_MEMORY);
    const route = routeOf(sent.method, pathname);
    const request: DoubleRequest = { ...sent, ...route, number: this.seen.length + 1, address: path, query };
    const seen: SeenRequest = {
      kind: route.kind,
      at: this.#clock.monotonic(),
      headers: sent.headers as Record<string, string>,
    };
    this.seen.push(seen);
    const never = new AbortController().signal;
    const process = async () => await this.#clock.standStill(this.#api.answer(request, never));
    const answer = await this.disturb(request, process);
    seen.refusal = refusalCode(answer);
    return answer;
  }
}

/** A connection that ends before its answer, as undici reports it. */
export function cutOff(): Error {
  return Object.assign(new Error('cut'), { code: 'ECONNRESET' });
}

/** No connection at all. */
export function noConnection(): Error {
  return Object.assign(new Error('nobody there'), { code: 'ECONNREFUSED' });
}

/** The request took longer than it may. */
export function timedOut(): Error {
  return new DOMException('too late', 'TimeoutError');
}

/** Rejects when the client gives up. */
async function aborted(signal: AbortSignal | undefined): Promise<never> {
  return await new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function* chunks(bytes: Reply['body']): AsyncGenerator<Uint8Array> {
  if (Buffer.isBuffer(bytes)) yield bytes;
  else yield* bytes;
}
