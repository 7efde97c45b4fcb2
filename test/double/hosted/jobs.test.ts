import { describe, expect, test } from 'vitest';
import { etaOf, notBefore } from '../../../src/double/hosted/jobs.ts';

const SECOND = 1000;
/** A multiple of every step, in milliseconds. */
const START = 1_800_000_000 * SECOND;

describe('A job may start', () => {
  test('at once when nothing is pending and the last one is a minute old', () => {
    expect(notBefore({ pending: 0, lastJob: undefined }, { limit: 60 }, START)).toBeUndefined();
    expect(notBefore({ pending: 0, lastJob: START - 60_000 }, { limit: 60 }, START)).toBeUndefined();
  });

  test('at 60 a minute in the next full second after the last one, however many are pending', () => {
    const lastJob = START + 100;
    for (const pending of [0, 1, 4])
      expect(notBefore({ pending, lastJob }, { limit: 60 }, START + 200)).toBe(START + SECOND);
  });

  test('later for each pending job, by the distance that 20 jobs a minute allow', () => {
    const lastJob = START + 1_000;
    const starts = [0, 1, 2, 3].map((pending) =>
      notBefore({ pending, lastJob }, { limit: 20 }, START + 1_200),
    );
    expect(starts).toEqual([1, 3, 5, 7].map((second) => START + second * SECOND));
  });

  test('in a shorter window in steps of a sixtieth of it', () => {
    const rule = { limit: 60, window: 6_000 };
    expect(notBefore({ pending: 1, lastJob: START + 10 }, rule, START + 20)).toBe(START + 100);
  });
});

test('An eta has steps of 10 ms, and is absent if unknown', () => {
  expect([etaOf(START, 1_234), etaOf(START, 0), etaOf(START, Number.POSITIVE_INFINITY)]).toEqual([
    START + 1_230,
    undefined,
    undefined,
  ]);
});
