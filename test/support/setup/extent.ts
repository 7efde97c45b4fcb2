import { type TestAPI, test } from 'vitest';
import { isWhole } from './whole-run.ts';

/** How many of `all` samples a property is tried with: a third of them in `npm test`. */
export function samples(all: number): number {
  return isWhole ? all : Math.ceil(all / 3);
}

/** The rows of a table that are tried; in `npm test` each `step`th, from the one at `first` on. */
export function sampled<Row>(rows: readonly Row[], step: number, first = 0): readonly Row[] {
  return isWhole ? rows : rows.filter((_, place) => place % step === first % step);
}

/** Declares nothing. */
const nothing = Object.assign(() => {}, { each: () => () => {} }) as unknown as TestAPI;

/** `test` for what only a run of everything tries. A comment names the test that notices the same kind of fault otherwise. */
export const testWhole: TestAPI = isWhole ? test : nothing;
