import type { OutputStream } from '../terminal/io.ts';
import { jsonDocument } from '../text/json.ts';

/**
 * Writes one JSON array in the order of the items' positions, although items may arrive in any order. Only items that
 * are ahead of their turn are buffered.
 */
export class JsonList {
  readonly #out: Pick<OutputStream, 'write'>;
  readonly #ahead = new Map<number, unknown>();
  #next = 0;
  #written = 0;
  #isEnded = false;

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

  /** Writes the items still waiting for a missing position, and closes the array. */
  end(): void {
    this.#isEnded = true;
    for (const [, item] of [...this.#ahead].sort(([a], [b]) => a - b)) this.#write(item);
    this.#ahead.clear();
    this.#out.write(this.#written === 0 ? '[]\n' : '\n]\n');
  }

  /** Ends the list after an error: what was printed becomes a whole document. Prints nothing if nothing was printed. */
  endEarly(): void {
    if (!this.#isEnded && this.#written + this.#ahead.size > 0) this.end();
  }

  #write(item: unknown): void {
    const text = jsonDocument(item).trimEnd().replaceAll('\n', '\n  ');
    this.#out.write(`${this.#written++ === 0 ? '[' : ','}\n  ${text}`);
  }
}
