import type { EntrySigner } from './entry-signer.ts';

/** A number for each signer fits into a byte. */
const MOST_SIGNERS = 255;

/** Who signed the entries of a lockfile, as far as they have been read: few signers sign thousands of them. */
export class SignerColumn {
  readonly signers: EntrySigner[];
  /** For each entry the position of its signer, from 1; 0: not known. */
  readonly numbers: Uint8Array;
  isChanged = false;

  constructor(numbers: Uint8Array, signers: readonly EntrySigner[]) {
    this.numbers = numbers;
    this.signers = [...signers];
  }

  at(entry: number): EntrySigner | undefined {
    return this.signers[(this.numbers[entry] ?? 0) - 1];
  }

  /** Remembers it, unless there are too many different ones. */
  set(entry: number, signer: EntrySigner): void {
    const known = this.signers.findIndex((one) => isSame(one, signer)) + 1;
    if (known === 0 && this.signers.length === MOST_SIGNERS) return;
    this.numbers[entry] = known || this.signers.push(signer);
    this.isChanged = true;
  }
}

function isSame(one: EntrySigner, other: EntrySigner): boolean {
  return one.signer === other.signer && one.service === other.service && one.key === other.key;
}
