import { expect, test } from 'vitest';
import { PoolWaits } from '../../../../../src/server/store/postgres/pool.ts';

test('The wait for connections is measured from the first waiting request until none waits any more', () => {
  const pool = { waitingCount: 0 };
  let now = 0;
  const waits = new PoolWaits(pool, () => now);
  now = 60_000;
  expect(waits.milliseconds).toBe(0);
  waits.look(); // the first comes
  pool.waitingCount = 2;
  now += 4_000;
  waits.look(); // one has got its connection
  pool.waitingCount = 1;
  now += 3_000;
  expect(waits.milliseconds).toBe(7_000);
  pool.waitingCount = 0;
  waits.look();
  pool.waitingCount = 1;
  now += 10;
  expect(waits.milliseconds).toBe(10);
});
