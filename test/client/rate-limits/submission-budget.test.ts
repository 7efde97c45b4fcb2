import { describe, expect, test } from 'vitest';
import { type LimitWindow, SubmissionBudget } from '../../../src/client/rate-limits.ts';

const MINUTE = 60_000;
const minute = (remaining: number, more: Partial<LimitWindow> = {}): LimitWindow => ({
  span: MINUTE,
  limit: 20,
  remaining,
  endsIn: 10_000,
  ...more,
});

/** A submission that was sent, answered and told of windows at one moment. */
function told(budget: SubmissionBudget, windows: readonly LimitWindow[], now = 0): void {
  const sent = budget.sent(now);
  budget.recordWindows(windows, { sent, now });
  budget.answered(sent, now);
}

describe('Submissions that are left', () => {
  test('are unlimited while no window is known', () => {
    const budget = new SubmissionBudget();
    told(budget, []);
    expect([budget.left(0), budget.openAt(0)]).toEqual([Number.POSITIVE_INFINITY, undefined]);
  });

  test('are what remains, one less with each that is sent', () => {
    const budget = new SubmissionBudget();
    told(budget, [minute(3)]);
    expect(budget.left(0)).toBe(3);
    for (let n = 0; n < 3; n++) budget.sent(1);
    expect(budget.left(1)).toBe(0);
    expect(budget.openAt(1)).toBeGreaterThanOrEqual(10_000);
  });

  test('are reduced by those in flight when the answer was made', () => {
    const budget = new SubmissionBudget();
    const [first] = [budget.sent(0), budget.sent(0), budget.sent(0)];
    budget.recordWindows([minute(5)], { sent: first!, now: 10 });
    expect(budget.left(10)).toBe(3);
  });

  test('are not reported by an answer to an earlier submission', () => {
    const budget = new SubmissionBudget();
    const [early, late] = [budget.sent(0), budget.sent(5)];
    budget.recordWindows([minute(2)], { sent: late!, now: 10 });
    budget.answered(late!, 10);
    const left = budget.left(10);
    budget.recordWindows([minute(19)], { sent: early!, now: 11 });
    expect(budget.left(11)).toBe(left);
  });

  test('are as many as the window takes once it has ended, except for those under way', () => {
    const budget = new SubmissionBudget();
    told(budget, [minute(1)]);
    budget.sent(1);
    expect(budget.left(9_000)).toBe(0);
    expect(budget.left(10_100)).toBe(19);
    expect(budget.left(10_100 + 5 * MINUTE)).toBe(19);
  });

  test('are the fewest of all windows, and open when the last of those ends', () => {
    const budget = new SubmissionBudget();
    told(budget, [minute(0), minute(0, { span: 60 * MINUTE, endsIn: 600_000 })]);
    expect(budget.left(0)).toBe(0);
    expect(budget.openAt(0)).toBeGreaterThanOrEqual(600_000);
  });

  test('are probed with one submission at a time if the end of the window is unknown', () => {
    const budget = new SubmissionBudget();
    told(budget, [minute(0, { endsIn: undefined })]);
    expect(budget.left(0)).toBe(1);
    const probe = budget.sent(1);
    expect(budget.left(1)).toBe(0);
    budget.answered(probe, 2);
    expect(budget.left(2)).toBe(1);
  });
});

describe('A number of further submissions', () => {
  test('has been sent as soon as the windows allow it', () => {
    const budget = new SubmissionBudget();
    expect(budget.reach(1_000, 5)).toBe(5);
    told(budget, [minute(3)]);
    const end = budget.reach(4, 0);
    expect([budget.reach(0, 0), budget.reach(3, 0)]).toEqual([0, 0]);
    expect(end).toBeGreaterThanOrEqual(10_000);
    expect([budget.reach(23, 0), budget.reach(24, 0), budget.reach(43, 0)]).toEqual([
      end,
      end + MINUTE,
      end + MINUTE,
    ]);
  });
});
