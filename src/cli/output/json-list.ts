import type { OutputStream } from '../io.ts';
import { jsonDocument } from './json.ts';

/**
 * One JSON array, written as its items come: in the order of their positions, which they need not come in.
 * Only what is ahead of its turn is kept.
 */
export class JsonList {
  readonly #out: Pick<OutputStream, 'write'>;
  readonly #ahead = new Map<number, unknown>();
  #next = 0;
  #written = 0;

  constructor(out: Pick<OutputStream, 'write'>) {
    this.#out = out;
  }

  add(item: unknown, position: number): void {
    this.#ahead.set(position, item);
    for (; this.#ahead.has(this.#next); this.#next++) {
      this.#write(this.#ahead.get(this.#next));
      this.#ahead.delete(this.#next);
    }
  }

  /** Writes what still waits for a position that never came, and closes the array. */
  end(): void {
    for (const [, item] of [...this.#ahead].sort(([a], [b]) => a - b)) this.#write(item);
    this.#ahead.clear();
    this.#out.write(this.#written === 0 ? '[]\n' : '\n]\n');
  }

  #write(item: unknown): void {
    const text = jsonDocument(item).trimEnd().replaceAll('\n', '\n  ');
    this.#out.write(`${this.#written++ === 0 ? '[' : ','}\n  ${text}`);
  }
}
