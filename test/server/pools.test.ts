import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  type Holder,
  JOINS_PER_MINUTE,
  joinShares,
  KNOWN_FOR,
  KnownAddresses,
  Line,
  LOOKUPS,
  LookupBudget,
  type Place,
  Remembered,
  Room,
  SHARES,
  type Shares,
  Slots,
  Turns,
} from '../../src/server/pools.ts';
import { anonymousCaller } from '../../src/server/service/callers.ts';
import { Plans } from '../../src/server/service/plans.ts';
import { MovableClock } from '../support/server/movable-clock.ts';

const stranger = (number: number): Holder => ({ name: `192.0.2.${number}`, isKnown: false });
const user = (number: number): Holder => ({ name: `user:${number}`, isKnown: true });

/** Takes what one holder gets, from the first holder on until the whole pool has no more. @returns how much each got */
function fill(take: (holder: Holder) => string | undefined, holders: (number: number) => Holder): number[] {
  const taken: number[] = [];
  for (let number = 0; ; number++) {
    let count = 0;
    let refused: string | undefined;
    while (refused === undefined) {
      refused = take(holders(number));
      if (refused === undefined) count++;
    }
    if (count > 0) taken.push(count);
    if (refused === 'all') return taken;
  }
}

describe.each(Object.entries(SHARES))('The pool of %s', (_, shares) => {
  const open = () => {
    const slots = new Slots(shares);
    const take = (holder: Holder) => {
      const entered = slots.enter(holder);
      return typeof entered === 'string' ? entered : undefined;
    };
    return { slots, take };
  };

  test('has places for a known caller when strangers use all of theirs', () => {
    const { take } = open();
    const taken = fill(take, stranger);
    expect([Math.max(...taken), taken.length > 1]).toEqual([shares.stranger, true]);
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(shares.strangers);
    const ofKnown = Array.from({ length: shares.known }, () => take(user(1)));
    expect(ofKnown).toEqual(ofKnown.map(() => undefined));
  });

  test('has a place for another stranger when one uses all of its own', () => {
    const { take } = open();
    while (take(stranger(1)) === undefined);
    expect([take(stranger(1)), take(stranger(2))]).toEqual(['one', undefined]);
  });
});

const PER_MINUTE = { ...LOOKUPS, joins: joinShares(JOINS_PER_MINUTE) };

describe.each(Object.entries(PER_MINUTE))('The look-ups of %s', (_, shares) => {
  const open = () => {
    const budget = new LookupBudget(new MovableClock(), shares);
    return async (holder: Holder) => {
      try {
        return await budget.during(holder, async () => true);
      } catch {
        return false;
      }
    };
  };

  test('are left for a game server and a key holder when strangers have used all of theirs', async () => {
    const take = open();
    for (let number = 0; number < shares.all; number++) await take(stranger(number));
    expect(await take(stranger(1_000))).toBe(false);
    expect([await take(user(1)), await take({ name: '192.0.2.201', isKnown: true })]).toEqual([true, true]);
  });

  test('are left for another stranger when one has used all of its own, if strangers have any', async () => {
    const take = open();
    while (await take(stranger(1)));
    expect(await take(stranger(2))).toBe(shares.strangers > 0);
  });
});

describe('A pool', () => {
  test('gives the place of a slow caller to another, but keeps callers that make progress', () => {
    const slots = new Slots({ all: 4, strangers: 2, stranger: 2, known: 2 });
    const dropped: string[] = [];
    const slow = { rank: () => 1, drop: () => void dropped.push('slow') };
    slots.enter(stranger(1));
    slots.enter(stranger(1), slow);
    expect(slots.enter(stranger(2))).toBeTypeOf('function');
    expect([slots.enter(stranger(3)), dropped, slots.size]).toEqual(['all', ['slow'], 2]);
  });

  test('frees a place once, however often the holder leaves', () => {
    const slots = new Slots({ all: 4, strangers: 1, stranger: 1, known: 1 });
    const leave = slots.enter(stranger(1));
    if (typeof leave === 'function') for (const again of [leave, leave]) again();
    expect([slots.enter(stranger(2)), slots.enter(stranger(3))]).toEqual([expect.any(Function), 'all']);
  });
});

test('A stranger takes no place of a known caller, however slow the known caller is; another known caller does', () => {
  const slots = new Slots({ all: 1, strangers: 1, stranger: 1, known: 1 });
  let dropped = 0;
  slots.enter(user(1), { rank: () => 0, drop: () => dropped++ });
  expect([slots.enter(stranger(1)), dropped]).toEqual(['all', 0]);
  expect([typeof slots.enter(user(2)), dropped]).toEqual(['function', 1]);
});

test('The size of a place counts for its holder until the place is freed', () => {
  const room = new Room<Place>();
  const place: Place = { holder: stranger(1), size: 1, rank: () => 0, drop: () => {} };
  room.add(place);
  room.grow(place, 9);
  expect([room.size, room.sizeOf(place.holder.name)]).toEqual([10, 10]);
  room.remove(place);
  expect([room.size, room.sizeOf(place.holder.name)]).toEqual([0, 0]);
  room.grow(place, 9);
  expect(room.size).toBe(0);
});

describe('Room is made', () => {
  function place(holder: Holder, size: number, dropped: Place[]): Place {
    const made: Place = { holder, size, rank: () => -size, drop: () => void dropped.push(made) };
    return made;
  }

  test('by the caller with the most; a known caller may have eight times as much', () => {
    const dropped: Place[] = [];
    const room = new Room<Place>();
    const places = [
      place(user(1), 70, dropped),
      place(stranger(1), 6, dropped),
      place(stranger(1), 4, dropped),
      place(stranger(2), 8, dropped),
    ];
    for (const one of places) room.add(one);
    expect([room.makeRoom(), room.makeRoom(), room.makeRoom()]).toEqual([true, true, true]);
    expect(dropped).toEqual([places[1], places[0], places[3]]);
    expect(room.size).toBe(4);
  });
});

test('A line serves known callers first, then small tasks, and strangers in turn', async () => {
  const line = new Line(SHARES.pictures);
  const done: string[] = [];
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const pieces: [Holder, string, boolean][] = [
    [stranger(1), 'large', true],
    [stranger(1), 'first', false],
    [stranger(1), 'third', false],
    [stranger(2), 'second', false],
    [user(1), 'head', false],
  ];
  const all = [line.enter(stranger(9), async () => await begun)];
  for (const [holder, name, isLarge] of pieces)
    all.push(line.enter(holder, async () => void done.push(name), { isLarge }));
  begin();
  await Promise.all(all);
  expect(done).toEqual(['head', 'first', 'second', 'third', 'large']);
});

test('A line frees the place of a task as soon as the task is done or has failed', async () => {
  const line = new Line(SHARES.pictures);
  const fails = async () => await Promise.reject(new Error('no picture'));
  for (let piece = 0; piece < SHARES.pictures.all; piece++) {
    await line.enter(user(1), async () => {});
    await line.enter(stranger(1), fails).catch(() => {});
  }
  expect([line.fullFor(user(1)), line.fullFor(stranger(1))]).toEqual([undefined, undefined]);
});

describe('A turn of the event loop', () => {
  /** Adds work that takes a millisecond each, and says what each turn has begun. */
  async function turnsOf(holders: readonly Holder[]): Promise<string[][]> {
    const clock = new MovableClock();
    const turns = new Turns(clock);
    const begun: string[][] = [];
    let current: string[] = [];
    for (const holder of holders)
      turns.add(holder, () => {
        current.push(holder.name);
        clock.forward(1);
      });
    for (let left = holders.length; left > 0; left -= begun.at(-1)!.length) {
      await new Promise((resolve) => setImmediate(resolve));
      begun.push(current);
      current = [];
    }
    return begun;
  }
  const of = (holder: Holder, count: number) => Array.from({ length: count }, () => holder);

  test('begins no more work after five milliseconds, of strangers and of known callers', async () => {
    const sizes = async (holder: Holder) => (await turnsOf(of(holder, 12))).map(({ length }) => length);
    expect([await sizes(stranger(1)), await sizes(user(1))]).toEqual([
      [5, 5, 2],
      [5, 5, 2],
    ]);
  });

  test('begins work of known callers first, and of each caller in turn', async () => {
    const [one, two, ann] = [stranger(1), stranger(2), user(1)];
    const [first] = await turnsOf([...of(one, 3), two, ...of(ann, 7)]);
    expect(first).toEqual([...of(ann, 5), one, two, one, one].map(({ name }) => name));
  });

  test('delays strangers while connections arrive, but not forever, and known callers never', async () => {
    const turns = new Turns(new MovableClock());
    const begun = { stranger: 0, known: 0 };
    turns.add(stranger(1), () => void begun.stranger++);
    turns.add(user(1), () => void begun.known++);
    const loops = async (count: number) => {
      for (let n = 0; n < count; n++) {
        turns.noteNewcomer();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { ...begun };
    };
    expect(await loops(1)).toEqual({ stranger: 0, known: 1 });
    expect(await loops(63)).toEqual({ stranger: 0, known: 1 });
    expect(await loops(1)).toEqual({ stranger: 1, known: 1 });
    turns.add(stranger(1), () => void begun.stranger++);
    expect(await loops(1)).toEqual({ stranger: 1, known: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun.stranger).toBe(2);
  });
});

test('A name noted for a long time is not forgotten sooner when it is noted again for a shorter one', () => {
  let now = 0;
  const remembered = new Remembered(() => now);
  remembered.note('a', 100);
  remembered.note('a', 10);
  now = 99;
  expect(remembered.has('a')).toBe(true);
  now = 100;
  expect(remembered.has('a')).toBe(false);
});

test('An address counts as known for ten minutes after a key came from it, and a loopback address always does', () => {
  const clock = new MovableClock();
  const known = new KnownAddresses(() => clock.monotonic());
  const callerAt = (address: string) => anonymousCaller({ address, origin: undefined }, new Plans());
  expect(
    ['127.0.0.1', '::1', '::ffff:127.0.0.1'].map((address) => known.holderOf(callerAt(address)).isKnown),
  ).toEqual([true, true, true]);
  const { network } = callerAt('2001:db8::1');
  known.note(network);
  const isKnown = (address: string) => known.holderOf(callerAt(address)).isKnown;
  expect([isKnown('2001:db8::2'), isKnown('2001:db8:1::1')]).toEqual([true, false]);
  clock.forward(KNOWN_FOR);
  expect(isKnown('2001:db8::2')).toBe(false);
});

test('The documentation states the shares of all pools', async () => {
  const text = await readFile('docs/public-site.md', 'utf8');
  const rowOf = ({ stranger, strangers, known, all }: Shares) =>
    `| ${[stranger, strangers, known, all].map((number) => number.toLocaleString('en')).join(' | ')} |`;
  for (const [name, shares] of [...Object.entries(SHARES), ...Object.entries(PER_MINUTE)])
    expect(text, name).toContain(rowOf(shares));
});
