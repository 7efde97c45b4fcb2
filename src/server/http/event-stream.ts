import { Readable } from 'node:stream';
import { type Clock, sleepOrWake } from '../../base/clock.ts';
import type { HttpRequest } from './route.ts';
import { EVENT_STREAM } from './route.ts';

/** Bytes that may wait for a slow reader. Beyond that, the stream is cut and the reader must reconnect. */
const MAX_BACKLOG = 1024 * 1024;
/** Milliseconds between heartbeats, because proxies and readers close silent connections. */
const HEARTBEAT = 15_000;
/** A stream lives for a quarter of an hour, then its reader reconnects. */
const HEARTBEATS = 60;
/** Milliseconds after which a reader reconnects if its connection was cut. */
const RECONNECT = 1_000;

/** Milliseconds for a reader to read the last events of a stream that is being ended. */
const LAST_WORDS = 500;

export const EVENT_STREAM_HEADERS = {
  'Content-Type': EVENT_STREAM,
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  // The stream is the connection's last answer: when either ends, so does the other.
  Connection: 'close',
} as const;

interface EventStreamOptions {
  /** A line for people who read the raw stream. */
  readonly greeting: string;
  /** The stream is the last answer on its connection. */
  readonly request: Pick<HttpRequest, 'signal' | 'hangUp' | 'holdUnread'>;
  readonly clock: Clock;
}

/** One server-sent events answer (WHATWG HTML, 9.2). */
export class EventStream {
  readonly body = new Readable({ read() {} });
  readonly #request: EventStreamOptions['request'];
  readonly #clock: Clock;
  #isEnded = false;
  #lastId = 0;

  constructor({ greeting, request, clock }: EventStreamOptions) {
    this.#request = request;
    this.#clock = clock;
    this.#write(`: ${greeting}\nretry: ${RECONNECT}\n\n`);
  }

  /** Calls back when either side has closed the connection. */
  whenGone(callback: () => void): void {
    const { signal } = this.#request;
    if (signal.aborted) callback();
    else signal.addEventListener('abort', callback, { once: true });
  }

  /** `data` is sent as JSON: one line. */
  send(event: string, data: unknown): void {
    this.#write(`id: ${++this.#lastId}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Ends the stream after the reader has received everything. A reader that stops reading is cut off. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isEnded = true;
    this.body.push(null);
    await sleepOrWake(this.#clock, LAST_WORDS, this.#request.signal);
    this.#request.hangUp();
  }

  /** Sends heartbeats until the reader is gone or the stream reaches its maximum age. */
  async beat(): Promise<void> {
    for (let beats = 0; beats < HEARTBEATS && !this.#isOver; beats++) {
      await sleepOrWake(this.#clock, HEARTBEAT, this.#request.signal);
      this.#write(':\n\n');
    }
    await this.end();
  }

  get #isOver(): boolean {
    return this.#isEnded || this.body.destroyed || this.#request.signal.aborted;
  }

  #write(text: string): void {
    if (this.#isOver) return;
    this.body.push(text);
    this.#request.holdUnread(this.body.readableLength);
    if (this.body.readableLength > MAX_BACKLOG) this.body.destroy();
  }
}
