import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';

test('The clock does not advance while a task keeps yielding, however long that takes', async () => {
  const clock = new VirtualClock();
  const sleeping = clock.sleep(10);
  const working = async () => {
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    const at = clock.monotonic();
    await sleeping;
    return at;
  };
  expect(await clock.until(working())).toBe(0);
});
