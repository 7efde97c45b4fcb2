import { describe, expect, test } from 'vitest';
import { Gate } from '../../../../src/server/generators/upstream/gate.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';

function gate() {
  const clock = new MovableClock();
  const said: string[] = [];
  let wakes = 0;
  const wake = () => void wakes++;
  const it = new Gate({ clock, random: () => 1, wake, warn: (text) => void said.push(text), name: 'It' });
  return { it, clock, said, wakes: () => wakes };
}

const TROUBLE = new Error('connection refused');

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
    expect([it.isDown, said.length, said[0]]).toEqual([
      true,
      1,
      expect.stringContaining('connection refused'),
    ]);
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
    ['a quarter of an hour at most', 3 * 3_600_000, 15 * 60_000],
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
    it.accepted();
    it.full();
    expect(it.wait()).toBe(300);
  });

  test('are said once in ten minutes', () => {
    const { it, clock, said } = gate();
    for (let n = 0; n < 11; n++) {
      it.tooFast(1_000);
      clock.forward(60_000);
      it.accepted();
    }
    expect(said).toHaveLength(2);
  });
});

const minute = (remaining: number) => ({ span: 60_000, limit: 20, remaining, endsIn: 9_000 });

describe('The budget of a window', () => {
  const told = (remaining: number) => {
    const made = gate();
    const sent = made.it.enter();
    made.it.answered(sent!, [minute(remaining)]);
    return made;
  };

  test('is never exceeded by a burst, and what is not sent goes back to it', () => {
    const { it } = told(3);
    const entered = Array.from({ length: 5 }, () => it.enter());
    expect(entered.map((sent) => sent !== undefined)).toEqual([true, true, true, false, false]);
    it.withdraw(entered[0]!);
    expect([it.wait(), it.enter() !== undefined]).toEqual([0, true]);
  });

  test('that is used up is waited for until the window ends, and said', () => {
    const { it, clock, said } = told(0);
    expect([it.wait(), it.enter(), said.length]).toEqual([9_020, undefined, 1]);
    clock.forward(9_020);
    expect([it.wait(), it.enter() !== undefined]).toEqual([0, true]);
  });

  test('that is not told does not limit anything', () => {
    const { it } = gate();
    for (let n = 0; n < 50; n++) it.answered(it.enter()!, []);
    expect([it.wait(), it.enter() !== undefined]).toEqual([0, true]);
  });
});

describe('A service that accepts nothing', () => {
  const CLOSED = new Error('Skin generation is switched off.');

  test('is asked ever more rarely, whatever else it answers, and one submission at a time', () => {
    const { it, clock } = gate();
    const waits = Array.from({ length: 6 }, () => {
      const sent = it.enter();
      const second = it.enter();
      if (second) it.withdraw(second);
      it.answered(sent!);
      it.closed(CLOSED);
      it.passed(); // the list is answered
      const wait = it.wait();
      clock.forward(wait);
      return wait;
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
    const sent = it.enter();
    expect(it.enter()).toBeUndefined();
    it.answered(sent!);
    it.accepted();
    expect([it.enter(), it.enter()]).not.toContain(undefined);
  });

  test('is waited for as long as it asks for', () => {
    const { it } = gate();
    it.closed(CLOSED, 7_000);
    expect(it.wait()).toBe(7_000);
  });

  test('is quoted once, and its end is said', () => {
    const { it, clock, said, wakes } = gate();
    for (let n = 0; n < 3; n++) {
      it.closed(CLOSED);
      clock.forward(60_000);
    }
    expect([said.length, said[0]]).toEqual([1, expect.stringContaining(CLOSED.message)]);
    it.accepted();
    expect([said.length, wakes()]).toEqual([2, 1]);
  });
});

test('A job that is put off waits as long as the gate is shut', () => {
  const { it, clock } = gate();
  it.tooFast(9_000);
  expect(it.postponed().until).toBe(clock.now() + 9_000);
});
