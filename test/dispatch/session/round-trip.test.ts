import { expect, test } from 'vitest';
import { RoundTrip } from '../../../src/dispatch/session.ts';

test('The estimated duration of a request starts at the first one and follows later ones slowly', () => {
  const roundTrip = new RoundTrip();
  const seen = [100, 200, 200].map((ms) => {
    roundTrip.took(ms);
    return Math.round(roundTrip.ms);
  });
  expect([new RoundTrip().ms, ...seen]).toEqual([0, 100, 130, 151]);
});
