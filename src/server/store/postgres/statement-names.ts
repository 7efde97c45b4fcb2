import { createHash } from 'node:crypto';

/** Maximum number of statements with names on each connection; the service uses about a hundred. */
const MAX_NAMES = 500;
/** Characters: longer ones have lists of varying lengths. */
const LONGEST_NAMED = 4_000;

/** Short names of statements, which each connection prepares when it first runs one. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #generation = 0;

  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES || text.length > LONGEST_NAMED) return undefined;
    const name = createHash('sha256').update(`${this.#generation} ${text}`).digest('base64url').slice(0, 22);
    this.#names.set(text, name);
    return name;
  }

  /**
   * Gives all statements new names, so that the connections prepare them anew; unless that was done since this statement
   * had this name.
   */
  renew(text: string, name: string): void {
    if (this.#names.get(text) !== name) return;
    this.#names.clear();
    this.#generation++;
  }
}
