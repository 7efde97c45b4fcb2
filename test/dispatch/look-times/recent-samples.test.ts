import { describe, expect, test } from 'vitest';
import { RecentSamples } from '../../../src/dispatch/look-times.ts';

function samplesOf(samples: readonly number[]): RecentSamples {
  const recent = new RecentSamples();
  for (const sample of samples) recent.add(sample);
  return recent;
}

describe('Samples', () => {
  test('say nothing when there are none', () => {
    const { count, least, median, high, spread } = samplesOf([]);
    expect([count, least, median, high, spread]).toEqual([0, undefined, undefined, undefined, 0]);
  });

  test('give the least, the median, and a value above most of them', () => {
    const { count, least, median, high, spread } = samplesOf([5, 1, 4, 2, 3]);
    expect([count, least, median, high, spread]).toEqual([5, 1, 3, 5, 4]);
  });

  test('no longer count towards the median after sixteen newer ones', () => {
    const { least, high } = samplesOf([900, 1, ...Array.from({ length: 16 }, () => 100)]);
    expect([least, high]).toEqual([100, 100]);
  });

  test('are forgotten when forty-eight newer ones are there', () => {
    const recent = samplesOf([1, ...Array.from({ length: 48 }, () => 100)]);
    expect([recent.count, recent.leastOfAll]).toEqual([48, 100]);
  });
});

describe('The probability that a sample is at most a value', () => {
  test('counts only samples above the least', () => {
    expect(samplesOf([100, 200, 300, 400]).probability(300, 150)).toBe(0.5);
    expect(samplesOf([100, 200, 300]).probability(90, 0)).toBe(0);
  });

  test('leaves room beyond all samples, the less the more there are', () => {
    expect([100, 125, 150].map((value) => samplesOf([100]).probability(value, 0))).toEqual([0.5, 0.75, 1]);
    expect(samplesOf([100, 100, 100, 100]).probability(125, 0)).toBe(1);
  });

  test('grows over half of the least when no sample is above it', () => {
    expect(samplesOf([100]).probability(300, 200)).toBe(1);
    expect(samplesOf([100, 100]).probability(250, 200)).toBe(0.5);
    expect(samplesOf([0]).probability(0, 0)).toBe(0);
  });
});
