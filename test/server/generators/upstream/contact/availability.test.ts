import { describe, expect, test } from 'vitest';
import { Pace } from '../../../../../src/dispatch/limits.ts';
import { Outage } from '../../../../../src/dispatch/outage.ts';
import { Availability } from '../../../../../src/server/generators/upstream/contact.ts';
import { refusal } from '../../../../support/client/failures.ts';
import { MovableClock } from '../../../../support/server/movable-clock.ts';

/** An availability with the session's parts that it reads. */
function openAvailability() {
  const clock = new MovableClock();
  const said: string[] = [];
  const told = { wakes: 0, downs: 0 };
  const random = () => 1;
  const never = { firstContact: Number.POSITIVE_INFINITY, outage: Number.POSITIVE_INFINITY };
  const makeOutage = () =>
    new Outage({
      clock,
      random,
      patience: never,
      onPause: (message) => it.failed(message),
      onPassed: () => it.passed(),
    });
  const session = {
    clock,
    random,
    now: () => clock.monotonic(),
    pace: new Pace(random),
    outage: makeOutage(),
    intake: makeOutage(),
  };
  const it: Availability = new Availability({
    session,
    wake: () => void told.wakes++,
    warn: (text) => void said.push(text),
    name: 'It',
    onDown: () => void told.downs++,
  });
  return { it, session, clock, said, told };
}

const TROUBLE = new Error('connection refused');

describe('Trouble', () => {
  test('of five seconds without a break counts as down, and its start and end are logged once', () => {
    const { it, session, clock, said, told } = openAvailability();
    session.outage.failed(TROUBLE);
    clock.forward(4_999);
    session.outage.failed(TROUBLE);
    expect([it.isDown, said]).toEqual([false, []]);
    clock.forward(1);
    session.outage.failed(TROUBLE);
    clock.forward(60_000);
    session.outage.failed(TROUBLE);
    expect([it.isDown, said.length, said[0], told.downs]).toEqual([
      true,
      1,
      expect.stringContaining('connection refused'),
      1,
    ]);
    session.outage.passed();
    expect([it.isDown, it.wait(), told.wakes, said.length]).toEqual([false, 0, 1, 2]);
  });

  test('with breaks never counts as down', () => {
    const { it, session, clock } = openAvailability();
    for (let n = 0; n < 20; n++) {
      session.outage.failed(TROUBLE);
      clock.forward(1_000);
      session.outage.passed();
    }
    expect(it.isDown).toBe(false);
  });

  test('leaves no slots while the service is down, even when the next attempt is due', () => {
    const { it, session, clock } = openAvailability();
    it.unreachable(TROUBLE);
    clock.forward(60_000);
    expect([session.outage.openAt <= session.now(), it.wait()]).toEqual([true, 1]);
  });

  test('with the key counts as down at once, with the next attempt after a minute', () => {
    const { it } = openAvailability();
    it.keyRefused(TROUBLE);
    expect([it.isDown, it.wait()]).toEqual([true, 60_000]);
  });
});

describe('Limits', () => {
  test('make jobs wait as long as the pace requires', () => {
    const { it, session } = openAvailability();
    const now = { monotonic: session.now(), epoch: session.clock.now() };
    session.pace.refused({ retryAfter: 7_000 }, now, session.pace.sent(now.monotonic));
    expect([it.wait(), it.isDown]).toEqual([7_020, false]);
    expect(it.postponed().until).toBe(session.clock.now() + 7_020);
  });

  test('are logged once in ten minutes', () => {
    const { it, clock, said } = openAvailability();
    for (let n = 0; n < 11; n++) {
      it.limited();
      clock.forward(60_000);
    }
    expect(said).toHaveLength(2);
  });

  test('of slots make jobs wait until a slot is free', () => {
    const { it, said } = openAvailability();
    it.full();
    expect([it.wait() > 0, said.length]).toEqual([true, 1]);
    it.roomSeen();
    expect(it.wait()).toBe(0);
  });

  test('that end soon still postpone a job for a quarter of a second', () => {
    const { it, clock } = openAvailability();
    expect(it.postponed().until).toBe(clock.now() + 250);
  });
});

describe('A service that accepts nothing', () => {
  const CLOSED = refusal(503, 'service_unavailable');

  test('has its message logged once, and its recovery too', () => {
    const { it, session, clock, said, told } = openAvailability();
    for (let n = 0; n < 3; n++) {
      session.intake.failed(CLOSED);
      session.outage.passed(); // the list is answered
      clock.forward(60_000);
    }
    expect([said.length, said[0], it.isDown]).toEqual([1, expect.stringContaining(CLOSED.message), false]);
    session.intake.passed();
    expect([said.length, told.wakes]).toEqual([2, 1]);
  });

  test('is waited for as long as it asks for', () => {
    const { it, session } = openAvailability();
    session.intake.failed(refusal(503, 'service_unavailable', 7_000));
    expect(it.wait()).toBe(7_000);
  });
});
