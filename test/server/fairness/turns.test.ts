import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextTurn, turnAfter } from '../../../src/server/fairness.ts';

/** Serves owners of these priorities, who all have jobs waiting at all times, from one clock. */
function serve(priorities: readonly number[], claims: number): number[] {
  const turns = priorities.map(() => 0);
  const served = priorities.map(() => 0);
  let clock = 0;
  for (let n = 0; n < claims; n++) {
    const owner = turns.indexOf(Math.min(...turns));
    clock = Math.max(clock, turns[owner]!);
    served[owner]!++;
    turns[owner] = nextTurn(clock, turnAfter(turns[owner]!, priorities[owner]!));
  }
  return served;
}

test('With any number of owners and priorities, each is served within one turn of its share', () => {
  const priorities = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(priorities, fc.integer({ min: 1, max: 500 }), (all, claims) => {
      const served = serve(all, claims);
      const perPriority = served.map((count, owner) => count / all[owner]!);
      for (const [owner, one] of perPriority.entries())
        for (const [other, another] of perPriority.entries())
          expect(one - another).toBeLessThan(1 / all[owner]! + 1 / all[other]! + 1e-9);
    }),
  );
});

test('An owner that returns starts at the current turn, and one that is ahead keeps its turn', () => {
  expect(nextTurn(7, 3)).toBe(7);
  expect(nextTurn(7, 7.5)).toBe(7.5);
});
