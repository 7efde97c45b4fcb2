import { describe, expect, test } from 'vitest';
import { RecentSamples } from '../../src/dispatch/recent-samples.ts';

function samplesOf(samples: readonly number[]): RecentSamples {
  const recent = new RecentSamples();
  for (const sample of samples) recent.add(sample);
  return recent;
}

describe('Samples', () => {
  test('of which there are none tell nothing', () => {
    const { count, least, median, high, spread } = samplesOf([]);
    expect([count, least, median, high, spread]).toEqual([0, undefined, undefined, undefined, 0]);
  });

  test('tell the least, the middle, and what most are below', () => {
    const { count, least, median, high, spread } = samplesOf([5, 1, 4, 2, 3]);
    expect([count, least, median, high, spread]).toEqual([5, 1, 3, 5, 4]);
  });

  test('no longer tell what is usual when sixteen newer ones are there', () => {
    const { least, high } = samplesOf([900, 1, ...Array.from({ length: 16 }, () => 100)]);
    expect([least, high]).toEqual([100, 100]);
  });

  test('are forgotten when forty-eight newer ones are there', () => {
    const recent = samplesOf([1, ...Array.from({ length: 48 }, () => 100)]);
    expect([recent.count, recent.meanExcess(100, 0)]).toEqual([48, 0]);
  });
});

describe('The mean excess of a value', () => {
  test('counts only samples above the least', () => {
    expect(samplesOf([100, 200, 300]).meanExcess(300, 150)).toBe(50);
    expect(samplesOf([100, 200]).meanExcess(300, 100)).toBe(100);
  });

  test('is half of what is beyond all samples', () => {
    expect(samplesOf([100]).meanExcess(300, 200)).toBe(50);
    expect(samplesOf([100]).meanExcess(100, 200)).toBe(0);
  });
});
