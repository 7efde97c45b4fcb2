import type { SignedBy } from '../model/signer.ts';

/** Known skins to make again, because another signer than the service in use has signed them. */
export interface OutdatedSkins {
  readonly signedBy: SignedBy;
  readonly sources: number;
}

/** Counts known skins that are outdated because of their signer, and those whose signer is unknown. */
export class SignerCounts {
  readonly #outdated = new Map<string, OutdatedSkins>();
  unknownSigner = 0;

  get list(): readonly OutdatedSkins[] {
    return [...this.#outdated.values()];
  }

  /** Undefined if the signer is not the reason. */
  outdated(signedBy: SignedBy | undefined): void {
    if (!signedBy) return;
    const id = JSON.stringify([signedBy.signer, signedBy.key]);
    const before = this.#outdated.get(id)?.sources ?? 0;
    this.#outdated.set(id, { signedBy, sources: before + 1 });
  }
}
