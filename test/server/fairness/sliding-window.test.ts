import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  emptyAt,
  HOUR,
  MINUTE,
  roomAt,
  type Spent,
  spendOne,
  stillSpent,
  totalOf,
  type WindowShape,
} from '../../../src/server/fairness.ts';

const START = Date.UTC(2026, 0, 1, 12, 30, 30, 123);

/** Asks after each of these pauses; when it was let through. */
function passed(pauses: readonly number[], shape: WindowShape, limit: number): number[] {
  let spent: Spent = [];
  let now = START;
  const passes: number[] = [];
  for (const pause of pauses) {
    now += pause;
    spent = stillSpent(spent, shape, now);
    if (roomAt(spent, shape, limit, now) > now) continue;
    spent = spendOne(spent, shape, now);
    passes.push(now);
  }
  return passes;
}

const shapes = fc.constantFrom(MINUTE, HOUR);
const limits = fc.integer({ min: 1, max: 8 });
/** Bursts, and pauses of about the length of a step and of the window. */
const pausesOf = ({ span, step }: WindowShape) =>
  fc.array(fc.oneof(fc.constant(0), fc.nat(3), fc.nat(2 * step), fc.nat(span)), { maxLength: 60 });
const stories = shapes.chain((shape) =>
  fc.record({ shape: fc.constant(shape), pauses: pausesOf(shape), limit: limits }),
);

describe('A sliding window', () => {
  test('lets no more than the limit pass in any time of its length, wherever that begins', () => {
    fc.assert(
      fc.property(stories, ({ shape, pauses, limit }) => {
        const passes = passed(pauses, shape, limit);
        for (const [index, first] of passes.entries())
          expect((passes[index + limit] ?? Number.POSITIVE_INFINITY) - first).toBeGreaterThan(shape.span);
      }),
    );
  });

  test('counts units noted up to one window in the future, and none from a clock further ahead', () => {
    const now = 1_000 * MINUTE.step;
    const ahead = now / MINUTE.step + MINUTE.span / MINUTE.step;
    const spent = [
      [ahead, 1],
      [ahead + 1, 1],
    ] as const;
    expect(stillSpent(spent, MINUTE, now)).toEqual([[ahead, 1]]);
  });

  test('says to the millisecond when one more passes', () => {
    fc.assert(
      fc.property(stories, ({ shape, pauses, limit }) => {
        let spent: Spent = [];
        let now = START;
        for (const pause of pauses) {
          now += pause;
          const isOpenAt = (at: number) => totalOf(stillSpent(spent, shape, at)) < limit;
          const at = roomAt(stillSpent(spent, shape, now), shape, limit, now);
          expect(isOpenAt(at)).toBe(true);
          if (at > now) expect(isOpenAt(at - 1)).toBe(false);
          else spent = spendOne(stillSpent(spent, shape, now), shape, now);
        }
      }),
    );
  });

  test('frees spent units at the latest one step after the window', () => {
    fc.assert(
      fc.property(shapes, fc.nat(10_000_000), (shape, offset) => {
        const now = START + offset;
        const free = roomAt(spendOne([], shape, now), shape, 1, now);
        expect(free).toBeGreaterThan(now + shape.span);
        expect(free).toBeLessThanOrEqual(now + shape.span + shape.step);
      }),
    );
  });

  test.each([MINUTE, HOUR])('keeps no more counts than it has steps: %j', (shape) => {
    let spent: Spent = [];
    for (let now = START; now < START + 3 * shape.span; now += shape.step / 2)
      spent = spendOne(stillSpent(spent, shape, now), shape, now);
    expect(spent.length).toBeLessThanOrEqual(shape.span / shape.step + 2);
  });

  test.each([MINUTE, HOUR])('opens in time even if a clock ran ahead and was set back: %j', (shape) => {
    const ahead = spendOne([], shape, START + 10 * shape.span);
    expect(stillSpent(ahead, shape, START)).toEqual([]);
    const slightly = spendOne([], shape, START + 2_000);
    expect(stillSpent(slightly, shape, START)).toEqual(slightly);
  });

  test('is open at once when nothing counts, and after a lowered limit when enough is free again', () => {
    expect(roomAt([], MINUTE, 1, START)).toBe(START);
    let spent = spendOne(spendOne([], MINUTE, 10_000), MINUTE, 20_000);
    spent = spendOne(spent, MINUTE, 30_000);
    expect([3, 2, 1].map((limit) => roomAt(spent, MINUTE, limit, 30_000))).toEqual([71_000, 81_000, 91_000]);
    expect(roomAt(spent, MINUTE, 4, 30_000)).toBe(30_000);
    expect(emptyAt(spent, MINUTE, 30_000)).toBe(91_000);
  });
});
