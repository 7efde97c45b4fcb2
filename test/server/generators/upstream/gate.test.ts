import { describe, expect, test } from 'vitest';
import { Gate } from '../../../../src/server/generators/upstream/gate.ts';
import { MovableClock } from '../../movable-clock.ts';

function gate() {
  const clock = new MovableClock();
  const said: string[] = [];
  let wakes = 0;
  const wake = () => void wakes++;
  const it = new Gate({ clock, random: () => 1, wake, warn: (text) => void said.push(text), name: 'It' });
  return { it, clock, said, wakes: () => wakes };
}

const TROUBLE = new Error('nothing listens there');

describe('Trouble', () => {
  test('is waited out for longer each time, what fails together once', () => {
    const { it, clock } = gate();
    const waits = [1, 2, 3].map(() => {
      it.trouble(TROUBLE);
      it.trouble(TROUBLE);
      const wait = it.wait();
      clock.forward(wait);
      return wait;
    });
    expect(waits).toEqual([250, 500, 1_000]);
    it.passed();
    it.trouble(TROUBLE);
    expect(it.wait()).toBe(250);
  });

  test('of five seconds without a break counts as down, which is said once, and so is its end', () => {
    const { it, clock, said, wakes } = gate();
    it.trouble(TROUBLE);
    clock.forward(4_999);
    it.trouble(TROUBLE);
    expect([it.isDown, said]).toEqual([false, []]);
    clock.forward(1);
    it.trouble(TROUBLE);
    clock.forward(60_000);
    it.trouble(TROUBLE);
    expect([it.isDown, said.length, said[0]]).toEqual([true, 1, expect.stringContaining('nothing listens')]);
    it.passed();
    expect([it.isDown, it.wait(), wakes(), said.length]).toEqual([false, 0, 1, 2]);
  });

  test('with breaks never does', () => {
    const { it, clock } = gate();
    for (let n = 0; n < 20; n++) {
      it.trouble(TROUBLE);
      clock.forward(1_000);
      it.passed();
    }
    expect(it.isDown).toBe(false);
  });

  test('leaves nothing open while the service is down, also when the next try is due', () => {
    const { it, clock } = gate();
    it.down(TROUBLE);
    clock.forward(60_000);
    expect([it.tryAgainIn(), it.wait()]).toEqual([0, 1]);
  });

  test('with the key is down at once, and the next try a minute away', () => {
    const { it } = gate();
    it.keyRefused(TROUBLE);
    expect([it.isDown, it.wait()]).toEqual([true, 60_000]);
  });
});

describe('Limits', () => {
  test.each([
    ['as long as the service says', 7_000, 7_000],
    ['a quarter of an hour at the most', 3 * 3_600_000, 15 * 60_000],
    ['half a second where it does not say', undefined, 500],
  ])('are waited for: %s', (_, wait, expected) => {
    const { it } = gate();
    it.tooFast(wait);
    expect([it.wait(), it.isDown]).toEqual([expected, false]);
  });

  test('that come again without anything accepted between are waited for longer', () => {
    const { it, clock } = gate();
    const waits = Array.from({ length: 4 }, () => {
      it.full();
      it.full();
      const wait = it.wait();
      clock.forward(wait);
      return Math.round(wait);
    });
    expect(waits).toEqual([300, 450, 675, 1_013]);
    it.accepted(undefined);
    it.full();
    expect(it.wait()).toBe(300);
  });

  test('are said once in ten minutes', () => {
    const { it, clock, said } = gate();
    for (let n = 0; n < 11; n++) {
      it.tooFast(1_000);
      clock.forward(60_000);
      it.accepted(undefined);
    }
    expect(said).toHaveLength(2);
  });

  test('that come with an acceptance hold for the next', () => {
    const { it } = gate();
    const none = { limit: 1, remaining: 1 };
    it.accepted({
      next: { absolute: 0, relative: 1_200 },
      delay: { millis: 0 },
      limit: { ...none, minute: none },
    });
    expect(it.wait()).toBe(1_200);
  });
});

test('A job that is put off waits as long as the gate is shut', () => {
  const { it, clock } = gate();
  it.tooFast(9_000);
  expect(it.postponed().until).toBe(clock.now() + 9_000);
});
