import { describe, expect, test } from 'vitest';
import { SlotLimit } from '../../../src/dispatch/limits.ts';

const PROBE = 10_000;

describe('The limit of jobs', () => {
  test('is the requested number, but at least one, until the queue refuses', () => {
    expect([new SlotLimit(5).at(0), new SlotLimit(0).at(0), new SlotLimit(-3).at(0)]).toEqual([5, 1, 1]);
  });

  test('is the number that fitted once the queue has refused', () => {
    const limit = new SlotLimit(100);
    limit.refused(5, 1_000);
    expect([limit.at(1_000), limit.at(1_000 + PROBE - 1), limit.announced]).toEqual([5, 5, 100]);
  });

  test('is raised by one to try after ten seconds, then half as often each time', () => {
    const limit = new SlotLimit(100);
    limit.refused(5, 0);
    expect(limit.at(PROBE)).toBe(6);
    limit.refused(5, PROBE);
    expect([limit.at(3 * PROBE - 1), limit.at(3 * PROBE)]).toEqual([5, 6]);
    for (let now = 3 * PROBE, n = 0; n < 20; n++, now += 600_000) limit.refused(5, now);
    expect(limit.at(3 * PROBE + 20 * 600_000)).toBe(6);
  });

  test('rises if more jobs fit, never above the given limit', () => {
    const limit = new SlotLimit(7);
    limit.refused(5, 0);
    limit.fitted(6, 100);
    expect([limit.at(100), limit.at(100 + PROBE - 1), limit.at(100 + PROBE)]).toEqual([6, 6, 7]);
    limit.fitted(9, 200 + PROBE);
    expect(limit.at(1_000_000)).toBe(7);
  });

  test('is at least one, whatever the service says or refuses', () => {
    const limit = new SlotLimit(5);
    limit.announced = 0;
    expect(limit.at(0)).toBe(1);
    const refused = new SlotLimit(5);
    refused.refused(0, 0);
    expect(refused.at(0)).toBe(1);
  });

  test('is raised to try at the same time if the same number fits', () => {
    const limit = new SlotLimit(7);
    limit.refused(5, 0);
    limit.fitted(5, 5_000);
    expect([limit.at(PROBE - 1), limit.at(PROBE)]).toEqual([5, 6]);
  });

  test('is raised to try again soon after more jobs have fitted', () => {
    const limit = new SlotLimit(9);
    limit.refused(5, 0);
    limit.refused(5, PROBE);
    limit.fitted(6, 3 * PROBE);
    limit.refused(6, 4 * PROBE);
    expect([limit.at(6 * PROBE - 1), limit.at(6 * PROBE)]).toEqual([6, 7]);
  });

  test('falls when fewer fit than before', () => {
    const limit = new SlotLimit(5);
    limit.refused(4, 0);
    limit.refused(2, 100);
    expect([limit.at(100), limit.at(100 + PROBE)]).toEqual([2, 3]);
  });

  test('lets no more through at once than usual, until more have fitted', () => {
    const limit = new SlotLimit(100);
    expect(limit.burst).toBe(5);
    limit.fitted(12, 0);
    expect(limit.burst).toBe(12);
  });
});
