import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ProgressView, progressLine, progressSentence } from '../../../../src/cli/batch/progress.ts';
import { count, span } from '../../../../src/cli/text/text.ts';

const RUNS = { numRuns: 500, seed: 20_251_121 };

function view(some: Partial<ProgressView> = {}): ProgressView {
  return {
    sources: 0,
    allRead: true,
    known: 0,
    repeated: 0,
    wanted: 0,
    made: 0,
    resumed: 0,
    existing: 0,
    unchanged: 0,
    given: 0,
    failed: 0,
    unproved: 0,
    queued: 0,
    submitted: 0,
    finished: 0,
    rate: undefined,
    leastSeconds: 0,
    remark: undefined,
    ...some,
  };
}

describe('A number', () => {
  test.each([
    [0, '0'],
    [7, '7'],
    [999, '999'],
    [1_000, '1,000'],
    [12_345, '12,345'],
    [100_000, '100,000'],
    [1_234_567, '1,234,567'],
  ])('%i is written as %s', (number, text) => {
    expect(count(number)).toBe(text);
  });
});

describe('A span of time', () => {
  test.each([
    [0, 'a moment'],
    [0.9, 'a moment'],
    [1, '1 s'],
    [59.6, '60 s'],
    [89, '89 s'],
    [90, '2 min'],
    [600, '10 min'],
    [5_000, '83 min'],
    [5_400, '1 h 30 min'],
    [7_200, '2 h 0 min'],
    [90_000, '25 h 0 min'],
  ])('of %d s is %s', (seconds, text) => {
    expect(span(seconds)).toBe(text);
  });

  test('never shows sixty minutes next to the hours', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5_400, max: 1_000_000 }), (seconds) => {
        expect(span(seconds)).toMatch(/^\d+ h [1-5]?\d min$/);
      }),
      RUNS,
    );
  });
});

describe('The progress line', () => {
  const empty = '░'.repeat(20);

  test('has a bar that fills with what is finished', () => {
    const line = (finished: number) => progressLine(view({ sources: 200, finished }), 80);
    expect(line(0)).toBe(`${empty} 0 of 200`);
    expect(line(9)).toBe(`${empty} 9 of 200`);
    expect(line(10)).toBe(`█${'░'.repeat(19)} 10 of 200`);
    expect(line(199)).toBe(`${'█'.repeat(19)}░ 199 of 200`);
    expect(line(200)).toBe(`${'█'.repeat(20)} 200 of 200`);
  });

  test('has an empty bar while the total is unknown', () => {
    const line = progressLine(view({ sources: 1_200, finished: 1_100, allRead: false }), 80);
    expect(line).toBe(`${empty} 1,100 of 1,200 so far`);
    expect(progressLine(view(), 80)).toBe(`${empty} 0 of 0`);
  });

  test('says what failed, what is in the queue, how fast it goes and how long it takes', () => {
    const all = view({ sources: 2_000, finished: 1_000, failed: 3, queued: 5, rate: 2.5 });
    expect(progressLine(all, 200)).toBe(
      `${'█'.repeat(10)}${'░'.repeat(10)} 1,000 of 2,000 · 3 failed · 5 in the queue · 2.5 a second · 7 min left`,
    );
  });

  test.each([
    [0.25, '15 a minute'],
    [1, '1.0 a second'],
    [9.5, '9.5 a second'],
    [120.4, '120 a second'],
  ])('shows a rate of %d as %s', (rate, text) => {
    expect(progressLine(view({ sources: 10, allRead: false, rate }), 80)).toContain(` · ${text}`);
  });

  test("shows at least the time that the service's limits require", () => {
    const some = { sources: 120, finished: 60, rate: 3.3 };
    expect(progressLine(view(some), 200)).toContain('18 s left');
    expect(progressLine(view({ ...some, leastSeconds: 57 }), 200)).toContain('57 s left');
  });

  test('shows no remaining time when it is unknown or nothing is left', () => {
    const unknown = [
      view({ sources: 10, finished: 5 }),
      view({ sources: 10, finished: 5, rate: 0 }),
      view({ sources: 10, finished: 5, rate: 1, allRead: false }),
      view({ sources: 10, finished: 10, rate: 1 }),
    ];
    for (const one of unknown) expect(progressLine(one, 200)).not.toContain('left');
  });

  test('ends with the last remark, shortened and on one line', () => {
    const remark = `Too fast.\nWaiting \u001b[31m5 s. ${'x'.repeat(100)}`;
    const line = progressLine(view({ sources: 1, remark }), 200);
    expect(line).toMatch(/^░{20} 0 of 1 · Too fast\. Waiting 5 s\. x+$/);
    expect(line.split(' · ').at(-1)).toHaveLength(60);
  });

  test('is never wider than the terminal', () => {
    const anyView = fc.record({
      sources: fc.integer({ min: 0, max: 1_000_000 }),
      failed: fc.nat(1_000),
      queued: fc.nat(40),
      rate: fc.option(fc.double({ min: 0.001, max: 1_000, noNaN: true }), { nil: undefined }),
      remark: fc.option(fc.string({ maxLength: 200 }), { nil: undefined }),
      allRead: fc.boolean(),
    });
    fc.assert(
      fc.property(anyView, fc.integer({ min: 20, max: 200 }), (some, columns) => {
        const finished = Math.floor(some.sources / 2);
        const whole = progressLine(view({ ...some, finished }), 10_000);
        const line = progressLine(view({ ...some, finished }), columns);
        expect(line.length).toBeLessThanOrEqual(columns);
        expect(line).toBe(whole.length <= columns ? whole : `${whole.slice(0, columns - 1)}…`);
      }),
      RUNS,
    );
  });
});

describe('The progress sentence', () => {
  test('says the same as the line in words, without the bar', () => {
    const some = view({ sources: 2_000, finished: 1_000, queued: 5, rate: 0.5, remark: 'Too fast.' });
    expect(progressSentence(some)).toBe(
      '1,000 of 2,000 · 5 in the queue · 30 a minute · 33 min left. Too fast.',
    );
  });
});
