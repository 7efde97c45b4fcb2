import { expect, test } from 'vitest';
import { stepAfter } from '../../../src/server/callbacks.ts';

const again = (wait: number) => ({ kind: 'again', wait });
const TROUBLE = [{ status: 500 }, { status: 404 }, { status: 301 }, { status: 199 }, { error: 'no way' }];

test.each([200, 201, 204, 299])('A delivery that is answered with %i is not tried again', (status) => {
  for (const attempts of [1, 6]) expect(stepAfter({ status }, attempts)).toEqual({ kind: 'done' });
});

test.each(TROUBLE)(
  'A delivery that ends with %j is tried again five times, with growing waits',
  (outcome) => {
    const steps = [1, 2, 3, 4, 5, 6, 7].map((attempts) => stepAfter(outcome, attempts));
    const waits = [5_000, 30_000, 120_000, 600_000, 3_600_000].map(again);
    expect(steps).toEqual([...waits, { kind: 'given_up' }, { kind: 'given_up' }]);
  },
);

test('A delivery to a receiver that is gone is given up at once', () => {
  expect(stepAfter({ status: 410 }, 1)).toEqual({ kind: 'given_up' });
});
