import { Refusal } from '../refusals/refusal.ts';
import type { Caller } from './caller.ts';

/** Any origin. */
const ANY = '*';

/** The origins whose web pages may generate skins without an API key. */
export class WebPages {
  readonly #allowed: ReadonlySet<string>;
  readonly #ownAddresses: () => readonly string[];

  /** @param ownAddresses addresses of this service: its own pages are always allowed */
  constructor(allowed: readonly string[], ownAddresses: () => readonly string[]) {
    this.#allowed = new Set(allowed);
    this.#ownAddresses = ownAddresses;
  }

  /**
   * Any page that a person opens can send requests from that person's address, and so use up the person's limits.
   * @throws Refusal `insufficient_grants` for a caller without a key that comes from a page of another origin
   */
  verifyMayGenerate(caller: Caller): void {
    if (caller.kind !== 'anonymous' || caller.page === undefined) return;
    const { page } = caller;
    if (this.#allowed.has(ANY) || this.#allowed.has(page) || this.#isOwn(page)) return;
    throw new Refusal(
      'insufficient_grants',
      'Web pages of this origin need an API key to have skins generated here.',
    );
  }

  #isOwn(page: string): boolean {
    return this.#ownAddresses().some((address) => new URL(address).origin === page);
  }
}
