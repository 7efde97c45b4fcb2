import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as HttpsAgent, request as requestTls } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Clock } from '../../clock.ts';

/** How far a request came. */
export type Stage = 'name' | 'connection' | 'tls' | 'answer';

/** An answer, whatever it is. No redirect was followed. */
export interface Answer {
  readonly url: URL;
  readonly status: number;
  /** Headers; undefined where they are missing. */
  readonly date: string | undefined;
  readonly location: string | undefined;
  /** The beginning of the body. */
  readonly text: string;
  /** When it was asked and when the head of the answer was there: milliseconds since the epoch. */
  readonly askedAt: number;
  readonly answeredAt: number;
  /** Milliseconds that each stage took which there was, in their order. */
  readonly times: ReadonlyMap<Stage, number>;
}

/** No answer came. `code` is Node's own, or `not in time`. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  readonly stage: Stage;
  readonly code: string;
  readonly url: URL;

  constructor(url: URL, { stage, code, cause }: { stage: Stage; code: string; cause: unknown }) {
    super(`${url.origin}: ${stage}: ${code}`, { cause });
    this.url = url;
    this.stage = stage;
    this.code = code;
  }
}

export interface ProbeOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** Milliseconds that all of it may take. */
  readonly limit: number;
}

const MAX_TEXT = 64 * 1024;

/**
 * One GET without a key over a connection of its own, seen stage by stage, as the client itself does not show it.
 * @throws ProbeError; the signal's reason when aborted
 */
export async function probe(address: string, options: ProbeOptions): Promise<Answer> {
  const url = new URL(address);
  const late = AbortSignal.timeout(options.limit);
  const stages = new Stages(url, options.clock);
  const askedAt = options.clock.now();
  try {
    const response = await ask(url, stages, { ...options, signal: AbortSignal.any([options.signal, late]) });
    const answeredAt = options.clock.now();
    stages.end();
    const { statusCode: status = 0, headers } = response;
    const { date, location } = headers;
    const text = await readStart(response);
    return { url, status, date, location, text, askedAt, answeredAt, times: stages.times };
  } catch (cause) {
    if (options.signal.aborted) throw options.signal.reason;
    const code = late.aborted ? 'not in time' : String((cause as NodeJS.ErrnoException).code);
    throw new ProbeError(url, { stage: stages.now, code, cause });
  }
}

/** Which stage a request is in, and how long each took. */
class Stages {
  now: Stage;
  readonly times = new Map<Stage, number>();
  readonly #isTls: boolean;
  readonly #clock: Clock;
  #since: number;

  constructor({ hostname, protocol }: URL, clock: Clock) {
    this.now = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? 'name' : 'connection';
    this.#isTls = protocol === 'https:';
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  watch(socket: Socket): void {
    socket.once('lookup', (error) => {
      if (!error) this.#enter('connection');
    });
    socket.once('connect', () => this.#enter(this.#isTls ? 'tls' : 'answer'));
    socket.once('secureConnect', () => this.#enter('answer'));
  }

  end(): void {
    this.#enter(this.now);
  }

  #enter(next: Stage): void {
    const now = this.#clock.monotonic();
    this.times.set(this.now, now - this.#since);
    this.now = next;
    this.#since = now;
  }
}

async function ask(url: URL, stages: Stages, { signal, userAgent }: ProbeOptions): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:';
  const headers = { accept: 'application/json', 'user-agent': userAgent };
  // An agent of its own: no kept connection, and no proxy of the environment, which the client has not either.
  const agent = isTls ? new HttpsAgent() : new HttpAgent();
  const options: RequestOptions = { signal, headers, agent };
  return await new Promise((resolve, reject) => {
    const sent = isTls ? requestTls(url, options, resolve) : request(url, options, resolve);
    sent.on('socket', (socket) => stages.watch(socket));
    sent.on('error', reject);
    sent.end();
  });
}

async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_TEXT) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
