import { Agent, request } from 'undici';
import type { ClusterNode } from './cluster.ts';

/** Milliseconds between attempts to connect. */
const PAUSE = 50;
/** The beginning of a line of an event's data. */
const DATA = 'data: ';

interface ToldJob {
  readonly id: string;
  readonly status: string;
}

interface SubscriberOptions {
  readonly node: ClusterNode;
  readonly key: string;
}

/** Follows a user's jobs on one node, and connects again whenever the stream has ended. */
export class Subscriber {
  readonly #options: SubscriberOptions;
  readonly #agent = new Agent();
  readonly #pending = new Set<string>();
  #isOpen = false;
  #isStopped = false;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  /** Whether it knows which jobs are pending. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Jobs that the stream has reported, but not their ends. */
  get pending(): ReadonlySet<string> {
    return this.#pending;
  }

  /** Until it is stopped. */
  async follow(): Promise<void> {
    while (!this.#isStopped) {
      await this.#read().catch(() => {}); // the node or its database is gone
      this.#isOpen = false;
      this.#pending.clear();
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#agent.destroy();
  }

  async #read(): Promise<void> {
    const { node, key } = this.#options;
    if (node.url === undefined) return;
    const headers = { authorization: `Bearer ${key}` };
    const address = `${node.url}/v2/queue/events`;
    const { statusCode, body } = await request(address, { headers, dispatcher: this.#agent, bodyTimeout: 0 });
    if (statusCode !== 200) return await body.dump();
    let rest = '';
    for await (const chunk of body.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith(DATA)) this.#hear(JSON.parse(line.slice(DATA.length)));
    }
  }

  #hear({ jobs, job }: { readonly jobs?: readonly ToldJob[]; readonly job?: ToldJob }): void {
    if (jobs) this.#isOpen = true;
    for (const { id, status } of job ? [job] : (jobs ?? [])) {
      if (status === 'waiting' || status === 'processing') this.#pending.add(id);
      else this.#pending.delete(id);
    }
  }
}
