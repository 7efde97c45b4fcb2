import { describe, expect, test } from 'vitest';
import { KnownAddresses } from '../../../../src/server/pools.ts';
import { anonymousCaller, type Caller } from '../../../../src/server/service/callers.ts';
import { Plans } from '../../../../src/server/service/plans.ts';
import { Fetches, type Target, withinFetchLimits } from '../../../../src/server/service/sources/fetches.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';

const plans = new Plans();
const NOW = 1_700_000_000_000;

function stranger(number: number): Caller {
  return anonymousCaller({ address: `192.0.2.${number}`, origin: undefined }, plans);
}

function user(number: number): Caller {
  const plan = plans.named('free');
  const name = `user ${number}`;
  return { kind: 'user', owner: `user:${number}`, plan, id: name, name, isOperator: false };
}

/** Begins fetches of the callers, one each, until one is refused. @returns how many began, and why no more did */
function fill(
  fetches: Fetches,
  callers: (number: number) => Caller,
  target: Target = 'url',
): [begun: number, end: string] {
  for (let begun = 0; ; begun++) {
    const { kind } = fetches.enter(callers(begun), target, NOW);
    if (kind !== 'entered') return [begun, kind];
  }
}

describe('Simultaneous fetches', () => {
  test('of one caller are few, of an address without a key fewer', () => {
    const fetches = new Fetches(new KnownAddresses(() => 0));
    expect(fill(fetches, () => stranger(1))).toEqual([6, 'busy']);
    expect(fill(fetches, () => user(1))).toEqual([8, 'busy']);
    expect(fetches.enter(stranger(2), 'url', NOW).kind).toBe('entered');
  });

  test('of all addresses without a key leave half of the room to users', () => {
    const fetches = new Fetches(new KnownAddresses(() => 0));
    expect(fill(fetches, stranger)).toEqual([32, 'crowded']);
    expect(fill(fetches, user)).toEqual([32, 'crowded']);
  });

  test('of users may take all of the room', () => {
    const fetches = new Fetches(new KnownAddresses(() => 0));
    expect(fill(fetches, user)).toEqual([64, 'crowded']);
    expect(fetches.enter(stranger(1), 'url', NOW).kind).toBe('crowded');
  });

  test("from callers' addresses and fetches from Mojang do not take each other's places", () => {
    const fetches = new Fetches(new KnownAddresses(() => 0));
    expect(fill(fetches, user, 'url')).toEqual([64, 'crowded']);
    expect(fill(fetches, (number) => stranger(number), 'game')).toEqual([32, 'crowded']);
    expect(fill(fetches, (number) => user(number + 100), 'game')).toEqual([32, 'crowded']);
  });

  test('make room when they end', () => {
    const fetches = new Fetches(new KnownAddresses(() => 0));
    const first = fetches.enter(stranger(0), 'url', NOW);
    expect(fill(fetches, (number) => stranger(number + 1))).toEqual([31, 'crowded']);
    if (first.kind === 'entered') first.leave();
    expect(fetches.enter(stranger(99), 'url', NOW).kind).toBe('entered');
  });
});

test.each([
  ['is answered', async () => 'picture'],
  ['fails', async () => await Promise.reject(new Error('no answer'))],
])('A fetch that %s leaves its place to the next', async (_, ask) => {
  const fetches = new Fetches(new KnownAddresses(() => 0));
  const clock = new MovableClock();
  const context = { clock, fetches } as unknown as Parameters<typeof withinFetchLimits>[0];
  const request = { caller: user(1), via: 'queue', target: 'url' } as const;
  for (let fetched = 0; fetched < 8; fetched++)
    await withinFetchLimits(context, request, ask).catch(() => {});
  expect(fetches.enter(user(1), 'url', clock.now()).kind).toBe('entered');
});

test('A caller may start a limited number of fetches in a minute, even if each has ended', () => {
  const fetches = new Fetches(new KnownAddresses(() => 0));
  const { perMinute } = plans.anonymous;
  for (let number = 0; number < perMinute; number++) {
    const entered = fetches.enter(stranger(1), 'url', NOW);
    if (entered.kind === 'entered') entered.leave();
  }
  const { kind, ...refused } = fetches.enter(stranger(1), 'url', NOW);
  expect([kind, 'at' in refused && refused.at > NOW + 59_000]).toEqual(['too_fast', true]);
  expect(fetches.enter(stranger(1), 'url', NOW + 61_000).kind).toBe('entered');
});
