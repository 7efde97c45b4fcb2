import { InvalidImageError } from '../picture.ts';

type Predictor = (left: number, above: number, corner: number) => number;

/** PNG specification section 9.2: how each filter type predicts a byte from its neighbours. */
const predictors: readonly Predictor[] = [
  () => 0,
  (left) => left,
  (_left, above) => above,
  (left, above) => (left + above) >> 1,
  paeth,
];

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const toLeft = Math.abs(guess - left);
  const toAbove = Math.abs(guess - above);
  const toCorner = Math.abs(guess - corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/**
 * Undoes the filter of one row in place. `filter` is the row's filter type, `above` the row before it in the
 * same pass, unfiltered (all zero for the first), and `step` the bytes from a sample to the same sample of the
 * pixel on its left: at least 1.
 */
export function unfilterRow(filter: number, row: Uint8Array, above: Uint8Array, step: number): void {
  const predict = predictors[filter];
  if (predict === undefined) {
    throw new InvalidImageError(
      'pixel_data',
      `The pixel data is damaged: a row names filter type ${filter}, which does not exist.`,
    );
  }
  if (filter === 0) return;
  for (let at = 0; at < row.length; at++) {
    const left = at < step ? 0 : row[at - step]!;
    const corner = at < step ? 0 : above[at - step]!;
    row[at] = row[at]! + predict(left, above[at]!, corner);
  }
}
