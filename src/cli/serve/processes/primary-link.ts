import type { JobNews, MetricsSnapshot, Siblings } from '../../../server/server.ts';
import type { Listening, Part, ToPrimary, ToServing } from './messages.ts';

/** The parts of `process` that talk to the process which started this one. */
export interface Channel {
  on(event: 'message', listener: (message: ToServing) => void): unknown;
  send?(message: ToPrimary, handle?: undefined, options?: undefined, sent?: () => void): unknown;
  readonly channel?: { unref(): void } | null | undefined;
}

/** The link of a process that serves to the primary one, which passes on what it tells the others. */
export class PrimaryLink implements Siblings {
  readonly #channel: Channel;
  readonly #part: Part;
  readonly #stop = new AbortController();
  readonly #collecting = new Map<number, (all: readonly MetricsSnapshot[]) => void>();
  #onNews: (news: JobNews) => void = () => {};
  #readMetrics: () => Promise<MetricsSnapshot> = async () => [];
  #collected = 0;

  private constructor(channel: Channel, part: Part) {
    this.#channel = channel;
    this.#part = part;
  }

  /** Waits until the primary process says which part this one has. */
  static async open(channel: Channel): Promise<PrimaryLink> {
    return await new Promise((resolve) => {
      let link: PrimaryLink | undefined;
      channel.on('message', (message) => {
        if (link) void link.#receive(message);
        else if (message.kind === 'begin') {
          link = new PrimaryLink(channel, message);
          resolve(link);
        }
      });
      send(channel, { kind: 'started' });
    });
  }

  get index(): number {
    return this.#part.index;
  }

  get count(): number {
    return this.#part.count;
  }

  get port(): number | undefined {
    return this.#part.port;
  }

  /** Aborts when the primary process wants this one to finish its work and end. */
  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  listening({ url, key }: Listening): void {
    send(this.#channel, { kind: 'listening', url, key });
  }

  /** From now on the link does not keep the process alive. */
  release(): void {
    this.#channel.channel?.unref();
  }

  tell(news: JobNews): void {
    send(this.#channel, { kind: 'news', news });
  }

  onNews(listener: (news: JobNews) => void): void {
    this.#onNews = listener;
  }

  onMetricsWanted(read: () => Promise<MetricsSnapshot>): void {
    this.#readMetrics = read;
  }

  async collectMetrics(): Promise<readonly MetricsSnapshot[]> {
    const id = this.#collected++;
    return await new Promise((resolve) => {
      this.#collecting.set(id, resolve);
      send(this.#channel, { kind: 'collectMetrics', id });
    });
  }

  async #receive(message: ToServing): Promise<void> {
    if (message.kind === 'stop') this.#stop.abort();
    else if (message.kind === 'news') this.#onNews(message.news);
    else if (message.kind === 'sendMetrics') {
      const metrics = await this.#readMetrics().catch(() => []); // a store that cannot be read: what was known before
      send(this.#channel, { kind: 'metrics', id: message.id, metrics });
    } else if (message.kind === 'allMetrics') {
      this.#collecting.get(message.id)?.(message.all);
      this.#collecting.delete(message.id);
    }
  }
}

/** Without the primary process this one ends at once, so that nobody has to hear that it is gone. */
function send(channel: Channel, message: ToPrimary): void {
  channel.send?.(message, undefined, undefined, () => {});
}
