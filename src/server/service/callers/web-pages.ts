import { isIP } from 'node:net';
import { Refusal } from '../refusal.ts';
import type { Caller } from './caller.ts';

/** Any origin. */
const ANY = '*';

/** What a page may do without an API key if the operator allows it. */
const ACTS = {
  generate: 'have skins generated',
  follow: 'see the jobs of their visitors',
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
   * Any page that a person opens can send requests from that person's address, and so use up the person's limits, speak
   * for the person, and see what was made from there.
   * @throws Refusal `insufficient_grants` for a caller without a key that comes from a page of another origin
   */
  verifyMay(act: keyof typeof ACTS, caller: Caller): void {
    if (this.isTrusted(caller)) return;
    const message = `Web pages of this origin need an API key to ${ACTS[act]} here.`;
    throw new Refusal('insufficient_grants', message);
  }

  /** Whether the caller is more than an address from which a page of another origin sends requests. */
  isTrusted(caller: Caller): boolean {
    return caller.kind !== 'anonymous' || caller.page === undefined || this.#isAllowed(caller.page);
  }

  /**
   * Whether a page at this address is one of this service, or may act like one. Its origin alone does not prove that:
   * who owns a name can have it lead anywhere, but for a certificate, an address without a name and our own names.
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
