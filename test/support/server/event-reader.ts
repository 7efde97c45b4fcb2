import type { Dispatcher } from 'undici';
import type { Body } from './answer-body.ts';
import { poll } from './poll.ts';

export interface HeardEvent {
  readonly id: number;
  readonly type: string;
  readonly data: Body;
}

export const statusOf = ({ data }: HeardEvent) => data.job?.status;
export const idOf = ({ data }: HeardEvent) => data.job?.id;

/** Reads a stream of events as it comes. */
export class EventReader {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  /** Everything so far. */
  text = '';
  /** How the stream ended, once it has. */
  end: 'complete' | 'cut' | undefined;
  readonly #release: () => Promise<void>;

  constructor({ statusCode, headers, body }: Dispatcher.ResponseData, release: () => Promise<void>) {
    this.status = statusCode;
    this.headers = headers;
    this.#release = release;
    void this.#read(body);
  }

  get events(): HeardEvent[] {
    return this.text.split('\n\n').slice(0, -1).flatMap(readEvent);
  }

  /** The first `count` events, as soon as they are there. */
  async first(count: number): Promise<HeardEvent[]> {
    const events = await poll(
      () => this.events,
      (heard) => heard.length >= count,
    );
    return events.slice(0, count);
  }

  async close(): Promise<void> {
    await this.#release();
  }

  async #read(body: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const chunk of body) this.text += chunk.toString('utf8');
      this.end = 'complete';
    } catch {
      this.end = 'cut';
    }
  }
}

/** Strictly as this service writes them; a block without an event is none. */
function readEvent(block: string): HeardEvent[] {
  const match = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block);
  if (!match) return [];
  const [, id, type = '', data = ''] = match;
  return [{ id: Number(id), type, data: JSON.parse(data) as Body }];
}
