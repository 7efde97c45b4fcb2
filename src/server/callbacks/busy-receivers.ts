import type { Busy } from '../store/callbacks.ts';

/** Deliveries under way at one time: in all, to one host, and of one API key. */
const MAX = 16;
const MAX_PER_HOST = 2;
const MAX_PER_KEY = 6;

interface Receiver {
  readonly host: string;
  readonly keyId: string;
}

/** Which deliveries are under way, so that no slow receiver, nor one with many names, keeps the others waiting. */
export class BusyReceivers {
  readonly #under = new Set<Receiver>();

  get isFull(): boolean {
    return this.#under.size >= MAX;
  }

  /** Counts a delivery, until the function that is answered is called. */
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
      keys: atLeast(
        MAX_PER_KEY,
        under.map(({ keyId }) => keyId),
      ),
    };
  }
}

/** Those that are there `limit` times or more. */
function atLeast(limit: number, names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= limit).map(([name]) => name);
}
