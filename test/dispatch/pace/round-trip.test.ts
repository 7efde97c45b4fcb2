import { expect, test } from 'vitest';
import { RoundTrip } from '../../../src/dispatch/pace.ts';

test('The duration of a request is the first one, then follows the later ones slowly', () => {
  const roundTrip = new RoundTrip();
  const seen = [100, 200, 200].map((ms) => {
    roundTrip.took(ms);
    return Math.round(roundTrip.ms);
  });
  expect([new RoundTrip().ms, ...seen]).toEqual([0, 100, 130, 151]);
});
