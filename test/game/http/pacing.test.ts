import { describe, expect, test } from 'vitest';
import { GAME_PACE, type GameService, Pacing, type PacingOptions } from '../../../src/game/http.ts';
import { SteppedClock } from '../../support/game/stepped-clock.ts';
import { gameErrorOf } from '../../support/game/told.ts';

const rules = { session: { burst: 2, interval: 1000 } };

/** A pacing, and at which second each request to the session server had its turn. */
function paced(options: Partial<PacingOptions> = {}) {
  const clock = new SteppedClock();
  const pacing = new Pacing({ clock, rules, ...options });
  const turns: number[] = [];
  const ask = async (signal?: AbortSignal) => {
    await pacing.turn('session', signal);
    turns.push(clock.monotonic() / 1000);
  };
  const askMany = (count: number) => Array.from({ length: count }, () => ask());
  return { clock, pacing, turns, ask, askMany };
}

describe('Pacing', () => {
  test('lets a burst through, then one in each interval, and fills up again', async () => {
    const { clock, turns, askMany } = paced();
    const all = askMany(4);
    await clock.forward(9_000);
    all.push(...askMany(3));
    await clock.forward(5_000);
    await Promise.all(all);
    expect(turns).toEqual([0, 0, 1, 2, 9, 9, 10]);
  });

  test('paces one service apart from another', async () => {
    const { clock, pacing, askMany } = paced();
    await Promise.all(askMany(2));
    await pacing.turn('textures');
    expect(clock.monotonic()).toBe(0);
  });

  test('refuses callers who would wait too long at once, and says for how long', async () => {
    const { clock, turns, askMany, ask } = paced({ maxWait: 2_500 });
    const all = askMany(4);
    const error = await gameErrorOf(ask());
    expect([error.kind, error.status, error.retryAfter]).toEqual(['rate_limited', undefined, 3_000]);
    await clock.forward(3_000);
    await Promise.all(all);
    expect(turns).toEqual([0, 0, 1, 2]);
  });

  test('refuses callers beyond the maximum of waiting ones', async () => {
    const { clock, askMany, ask } = paced({ maxWaiting: 2 });
    const all = askMany(4);
    expect((await gameErrorOf(ask())).kind).toBe('rate_limited');
    await clock.forward(2_000);
    await Promise.all(all);
    const next = ask(); // waits, now that nobody else does
    await clock.forward(1_000);
    await next;
  });

  test('sends nothing during a hold, even for waiting callers, and then one request after the other', async () => {
    const { clock, pacing, turns, askMany } = paced();
    const all = askMany(4);
    await clock.forward(500);
    pacing.hold('session', 10_000);
    all.push(...askMany(1));
    await clock.forward(20_000);
    await Promise.all(all);
    expect(turns).toEqual([0, 0, 10.5, 11.5, 12.5]);
  });

  test('does not shorten a hold by a shorter one', async () => {
    const { clock, pacing, turns, ask } = paced();
    pacing.hold('session', 5_000);
    pacing.hold('session', 1_000);
    const asked = ask();
    await clock.forward(9_000);
    await asked;
    expect(turns).toEqual([5]);
  });

  test('gives the place of a caller who left to the next', async () => {
    const { clock, turns, ask, askMany } = paced();
    const leaving = new AbortController();
    const all = askMany(2);
    const left = ask(leaving.signal);
    leaving.abort(new Error('went away'));
    await expect(left).rejects.toThrow('went away');
    all.push(ask());
    await clock.forward(5_000);
    await Promise.all(all);
    expect(turns).toEqual([0, 0, 1]);
    await expect(ask(AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before');
  });

  test.each([
    ['session', 120_000, 200],
    ['session', 600_000, 600],
    ['names', 120_000, 200],
    ['account', 600_000, 168],
  ] as const)(
    'sends the %s service, in any %d ms, no more requests than it bears: %d',
    (service, span, most) => {
      const { burst, interval } = GAME_PACE[service as GameService];
      expect(burst + span / interval).toBeLessThan(most + 1);
    },
  );
});
