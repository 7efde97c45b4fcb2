import type { LockEntry } from '../lockfile/entries.ts';
import type { OwnKey } from '../model/own-key.ts';
import { EMBEDDED, GAME, type SignedBy, serviceIdentity, UNPROVED } from '../model/signer.ts';
import { damageOf, type KnownKeys, signedBy } from '../proof/entry-judge.ts';

/** The service that makes new skins. */
export interface Asked {
  /** Its address, or `embedded`. */
  readonly name: string;
  /** Fingerprint of its published key; undefined if it publishes none or was not asked. */
  readonly key: string | undefined;
}

/**
 * What a known entry's signer means for it. `current`: keep it; `outdated`: the service in use makes it again;
 * `unknown_signer`: keep it because its signer is unknown.
 */
export type Standing = 'current' | 'outdated' | 'unknown_signer';

/**
 * The embedded service never makes a skin again because of its signature, so that two people's machines leave
 * each other's entries alone. A remote service replaces skins signed by an embedded service or by another
 * service's own key. Skins signed by the game are always kept.
 */
export function standingOf({ signer, key }: SignedBy, { name, key: askedKey }: Asked): Standing {
  if (name === EMBEDDED || signer === GAME) return 'current';
  if (signer === UNPROVED) return 'unknown_signer';
  const hasTheirKey = key !== undefined && key === askedKey;
  return hasTheirKey || isSameService(signer, name) ? 'current' : 'outdated';
}

function isSameService(one: string, other: string): boolean {
  return one === other || serviceIdentity(one) === serviceIdentity(other);
}

export interface SignerRuleOptions {
  readonly name: string;
  /** Asks the service for its own key, if that matters. */
  readonly signingKey: (() => Promise<Pick<OwnKey, 'fingerprint'> | undefined>) | undefined;
  /** Keep every entry, whoever signed it. */
  readonly keepSignatures: boolean;
  readonly keys: KnownKeys;
}

/** An entry as the plan sees it. */
export interface Judged {
  readonly standing: Standing;
  readonly signedBy: SignedBy;
}

/** Applies the rule to the entries that a plan meets. */
export class SignerRule {
  readonly #options: SignerRuleOptions;
  #askedKey: Promise<Pick<OwnKey, 'fingerprint'> | undefined> | undefined;

  constructor(options: SignerRuleOptions) {
    this.#options = options;
  }

  /** Whether an entry can be outdated because of its signer. If not, no entry needs to be read. */
  get applies(): boolean {
    const { name, keepSignatures } = this.#options;
    return name !== EMBEDDED && !keepSignatures;
  }

  /** The problem with an entry, as a sentence, found before anything is written from it. */
  damageOf(entry: LockEntry): string | undefined {
    return damageOf(entry, this.#options.keys);
  }

  signedBy(entry: LockEntry): SignedBy {
    return signedBy(entry, this.#options.keys);
  }

  /** The standing of an entry if its signer is enough to tell; undefined: the entry may have to be made again. */
  keeps(signedBy: SignedBy): Exclude<Standing, 'outdated'> | undefined {
    const standing = standingOf(signedBy, { name: this.#options.name, key: undefined });
    return standing === 'outdated' ? undefined : standing;
  }

  /** Asks the service for its key only if an entry depends on it. */
  async judge(entry: LockEntry): Promise<Judged> {
    const signedBy = this.signedBy(entry);
    const standing = this.keeps(signedBy) ?? 'outdated';
    if (standing !== 'outdated' || signedBy.key === undefined) return { standing, signedBy };
    const { name, signingKey } = this.#options;
    this.#askedKey ??= signingKey?.() ?? Promise.resolve(undefined);
    const key = (await this.#askedKey)?.fingerprint;
    return { standing: standingOf(signedBy, { name, key }), signedBy };
  }
}
