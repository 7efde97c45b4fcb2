import type { Line } from '../files/lines.ts';

/** Reads lines one at a time, with lookahead. */
export class LineReader {
  readonly #lines: AsyncIterator<Line>;
  readonly #returned: Line[] = [];

  constructor(lines: AsyncIterable<Line>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Undefined at the end. */
  async next(): Promise<Line | undefined> {
    const returned = this.#returned.pop();
    if (returned !== undefined) return returned;
    const { done, value } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  /** Pushed back to be read again, in this order. */
  putBack(lines: readonly Line[]): void {
    this.#returned.push(...lines.toReversed());
  }

  async close(): Promise<void> {
    await this.#lines.return?.();
  }
}
