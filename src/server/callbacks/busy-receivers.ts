import type { Busy } from '../store/callbacks.ts';

/** Maximum number of simultaneous deliveries: in total, to one host, and of one user. */
const MAX = 16;
const MAX_PER_HOST = 2;
const MAX_PER_USER = 6;

interface Receiver {
  readonly host: string;
  readonly userId: string;
}

/** The deliveries in progress, so that neither a slow receiver nor one with many names holds up the others. */
export class BusyReceivers {
  readonly #under = new Set<Receiver>();

  get isFull(): boolean {
    return this.#under.size >= MAX;
  }

  /** Counts a delivery until the returned function is called. */
  begin(receiver: Receiver): () => void {
    this.#under.add(receiver);
    return () => void this.#under.delete(receiver);
  }

  atLimit(): Busy {
    const under = [...this.#under];
    return {
      hosts: atLeast(
        MAX_PER_HOST,
        under.map(({ host }) => host),
      ),
      users: atLeast(
        MAX_PER_USER,
        under.map(({ userId }) => userId),
      ),
    };
  }
}

/** Names that occur `limit` times or more. */
function atLeast(limit: number, names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= limit).map(([name]) => name);
}
