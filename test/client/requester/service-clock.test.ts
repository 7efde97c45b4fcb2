import { describe, expect, test } from 'vitest';
import { ServiceClock } from '../../../src/client/requester.ts';

const START = Date.UTC(2026, 0, 1, 12);

/** The service's clock is so far ahead; its header leaves out what is below a second. */
function clocks(ahead: number) {
  let time = START;
  const ours = { now: () => time };
  const seen = new ServiceClock(ours);
  const header = () => new Date(Math.floor((time + ahead) / 1_000) * 1_000).toUTCString();
  return {
    seen,
    ours,
    header,
    forward: (ms: number) => {
      time += ms;
    },
    truth: () => time + ahead,
  };
}

describe("The service's clock", () => {
  test('is assumed to equal ours until an answer shows it', () => {
    const { seen, ours } = clocks(60_000);
    expect([seen.now(), seen.earliest()]).toEqual([ours.now(), ours.now()]);
  });

  test.each([0, 2_000, 30_000, 600_000, -3_600_000])(
    'is known to a second by a Date header (%i ms ahead)',
    (ahead) => {
      const { seen, header, forward, truth } = clocks(ahead);
      forward(437);
      seen.sawDate(header(), START + 400);
      expect(Math.abs(seen.now() - truth())).toBeLessThanOrEqual(1_000);
      expect(seen.earliest()).toBeLessThanOrEqual(truth());
    },
  );

  test('is known better with each answer', () => {
    const { seen, ours, header, forward, truth } = clocks(30_000);
    for (let n = 0; n < 20; n++) {
      forward(370);
      seen.sawDate(header(), ours.now());
    }
    expect(Math.abs(seen.now() - truth())).toBeLessThanOrEqual(150);
    seen.sawMoment(truth() - 5, ours.now() - 10);
    expect(Math.abs(seen.now() - truth())).toBeLessThanOrEqual(10);
  });

  test('is learned again after one of the clocks was set', () => {
    const { seen, ours, forward } = clocks(0);
    seen.sawDate(new Date(ours.now() + 3_600_000).toUTCString(), ours.now());
    forward(1_000);
    seen.sawDate(new Date(ours.now()).toUTCString(), ours.now());
    expect(Math.abs(seen.now() - ours.now())).toBeLessThanOrEqual(1_000);
  });

  test.each([undefined, '', 'yesterday', ['a', 'b']])('is not learned from the header %j', (header) => {
    const { seen, ours } = clocks(60_000);
    seen.sawDate(header, ours.now());
    expect(seen.now()).toBe(ours.now());
  });

  test('is not learned from a time in seconds, or on another day', () => {
    const { seen, ours } = clocks(60_000);
    seen.sawMoment(ours.now() / 1_000, ours.now());
    seen.sawMoment(ours.now() + 25 * 3_600_000, ours.now());
    seen.sawMoment(undefined, ours.now());
    expect(seen.now()).toBe(ours.now());
  });

  test('is taken from the header rather than from a job', () => {
    const { seen, ours, header, truth } = clocks(60_000);
    seen.sawDate(header(), ours.now());
    seen.sawMoment(ours.now() - 3_600_000, ours.now() - 10);
    expect(Math.abs(seen.now() - truth())).toBeLessThanOrEqual(1_000);
  });
});
