import fc from 'fast-check';

/** The first code point that is half a character, and how many such there are. */
const HALVES = 0xd800;
const COUNT_OF_HALVES = 0x800;
const LAST = 0x10_ffff;

/**
 * Any character, also one that nobody assigned, as the unit of strings. fast-check's own unit `binary` draws the same
 * ones, from a table that takes a second and 85 MB of every worker.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(LAST - COUNT_OF_HALVES).map(characterAt, placeOf);

function characterAt(place: number): string {
  return String.fromCodePoint(place < HALVES ? place : place + COUNT_OF_HALVES);
}

/** By it fast-check also draws its words that programs trip over, like `__proto__`. */
function placeOf(character: unknown): number {
  const point =
    typeof character === 'string' && character.isWellFormed() ? character.codePointAt(0) : undefined;
  if (point === undefined || character !== String.fromCodePoint(point)) throw new Error('Not one character');
  return point < HALVES ? point : point - COUNT_OF_HALVES;
}
