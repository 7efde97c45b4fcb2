import { isIP } from 'node:net';
import { Refusal } from '../refusal.ts';
import type { Caller } from './caller.ts';

/** Any origin. */
const ANY = '*';

/** What a page may do without an API key if the operator allows it. */
const ACTS = {
  generate: 'generate skins',
  follow: "see their visitors' jobs",
  report: 'report skins',
} as const;

/** The origins whose web pages may act without an API key. */
export class WebPages {
  readonly #allowed: ReadonlySet<string>;
  readonly #ownAddresses: () => readonly string[];

  /** @param ownAddresses addresses of this service: its own pages are always allowed */
  constructor(allowed: readonly string[], ownAddresses: () => readonly string[]) {
    this.#allowed = new Set(allowed);
    this.#ownAddresses = ownAddresses;
  }

  /**
   * Any page that a person opens can send requests from that person's address, and so use up the person's limits, act
   * for the person, and see what was made from there.
   * @throws Refusal `insufficient_grants` for a caller without a key that comes from a page of another origin
   */
  verifyMay(act: keyof typeof ACTS, caller: Caller): void {
    if (this.isTrusted(caller)) return;
    const message = `Web pages of this origin need an API key to ${ACTS[act]} here.`;
    throw new Refusal('insufficient_grants', message);
  }

  /** Whether the caller has a key, or is not a page of another origin. */
  isTrusted(caller: Caller): boolean {
    return caller.kind !== 'anonymous' || caller.page === undefined || this.#isAllowed(caller.page);
  }

  /**
   * Whether a page at this address belongs to this service or may act like it. A name alone does not prove that,
   * because its owner can point it anywhere. A certificate, an IP address or one of our own names does.
   */
  isProvedName({ protocol, hostname, origin }: URL): boolean {
    const isFixed = hostname === 'localhost' || isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0;
    return protocol === 'https:' || isFixed || this.#isOwnName(hostname) || this.#isAllowed(origin);
  }

  #isAllowed(page: string): boolean {
    return this.#allowed.has(ANY) || this.#allowed.has(page) || this.#isOwn(page);
  }

  #isOwn(page: string): boolean {
    return this.#ownAddresses().some((address) => new URL(address).origin === page);
  }

  #isOwnName(name: string): boolean {
    return this.#ownAddresses().some((address) => new URL(address).hostname === name);
  }
}
