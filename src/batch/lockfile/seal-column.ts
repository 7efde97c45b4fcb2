import type { Seal } from './seal.ts';

/** A number for each seal fits into a byte. */
const MOST_SEALS = 255;

/** Who signed the entries of a lockfile, as far as they have been read: few signers sign thousands of them. */
export class SealColumn {
  readonly seals: Seal[];
  /** For each entry the position of its seal, from 1; 0: not known. */
  readonly numbers: Uint8Array;
  isChanged = false;

  constructor(numbers: Uint8Array, seals: readonly Seal[]) {
    this.numbers = numbers;
    this.seals = [...seals];
  }

  at(entry: number): Seal | undefined {
    return this.seals[(this.numbers[entry] ?? 0) - 1];
  }

  /** Remembers it, unless there are too many different ones. */
  set(entry: number, seal: Seal): void {
    const known = this.seals.findIndex((one) => isSame(one, seal)) + 1;
    if (known === 0 && this.seals.length === MOST_SEALS) return;
    this.numbers[entry] = known || this.seals.push(seal);
    this.isChanged = true;
  }
}

function isSame(one: Seal, other: Seal): boolean {
  return one.signer === other.signer && one.service === other.service && one.key === other.key;
}
