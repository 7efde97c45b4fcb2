import { expect, test } from 'vitest';
import { openDatabaseClock } from '../../../../src/server/store/nodes.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';

const HOUR = 3_600_000;

/** A database that answers after half of a trip, which takes the other half. */
function databaseOf(machine: MovableClock) {
  const database = { ahead: 0, trip: 0, fails: false };
  const read = async () => {
    machine.forward(database.trip / 2);
    if (database.fails) throw new Error('unreachable');
    const time = machine.now() + database.ahead;
    machine.forward(database.trip / 2);
    return time;
  };
  return { database, read };
}

async function world({ ahead = 0, trip = 0 }: { ahead?: number; trip?: number }) {
  const machine = new MovableClock();
  const { database, read } = databaseOf(machine);
  Object.assign(database, { ahead, trip });
  return { machine, database, read, clock: await openDatabaseClock(read, machine) };
}

test('On a machine whose clock is an hour behind, the database clock returns the time of the database', async () => {
  const { machine, clock } = await world({ ahead: HOUR, trip: 10 });
  expect([clock.now(), clock.skew]).toEqual([machine.now() + HOUR, -HOUR]);
  machine.forward(1_000);
  expect(clock.now()).toBe(machine.now() + HOUR);
});

test('Setting the clock of the machine does not change the database clock', async () => {
  const set = new MovableClock();
  let jump = 0;
  const local = {
    now: () => set.now() + jump,
    monotonic: () => set.monotonic(),
    sleep: async () => {},
  };
  const clock = await openDatabaseClock(async () => set.now(), local);
  jump = -HOUR;
  expect(clock.now()).toBe(set.now());
});

test('The database clock follows when another machine with another time takes over the database', async () => {
  const { machine, database, read, clock } = await world({ ahead: 0, trip: 2 });
  Object.assign(database, { ahead: 500, trip: 40 });
  await clock.measure(read);
  expect(clock.now()).toBe(machine.now() + 500);
});

test('A slow measurement does not make the database clock less exact', async () => {
  const { machine, database, read, clock } = await world({ ahead: 0, trip: 2 });
  Object.assign(database, { ahead: 90, trip: 200 }); // within what such a trip leaves open
  await clock.measure(read);
  expect(clock.now()).toBe(machine.now());
  Object.assign(database, { ahead: 0.4, trip: 1 });
  await clock.measure(read);
  expect(clock.skew).toBe(0);
});

test('While the database is unreachable, the database clock continues', async () => {
  const { machine, database, read, clock } = await world({ ahead: HOUR });
  database.fails = true;
  await expect(clock.measure(read)).rejects.toThrow('unreachable');
  machine.forward(60_000);
  expect(clock.now()).toBe(machine.now() + HOUR);
});
