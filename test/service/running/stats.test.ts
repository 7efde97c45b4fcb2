import { expect, test } from 'vitest';
import { failWaitingJob } from '../../support/http/refusal-stories.ts';
import { bodyOf } from '../../support/http/v1/old-format.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';

guardAgainstLeaks();

const HOUR = 3_600_000;

async function statsOf({ anonymous }: ServerUnderTest): Promise<Record<string, unknown>> {
  return (bodyOf(await anonymous().get('/v2/stats')) as { stats: Record<string, unknown> }).stats;
}

/** Two skins of new data, one of them private, and one of data that was there. */
async function threeSkins(server: ServerUnderTest): Promise<void> {
  const bob = await server.user('bob');
  await server.owner.upload('/v2/generate', skinPng(1));
  await server.owner.upload('/v2/generate', skinPng(2), { visibility: 'private' });
  expect((await bob.upload('/v2/generate', skinPng(1))).body.skin?.duplicate).toBe(true);
}

test('The statistics count skins with new and with existing data, by hour, day, month and year', async () => {
  const clock = new MovableClock();
  const server = await runServer({ clock });
  await threeSkins(server);
  const made = { new: 2, duplicate: 1 };
  const none = { new: 0, duplicate: 0 };
  expect(await statsOf(server)).toMatchObject({
    generated: {
      time: {
        hour: { current: made, last: none, successRate: 100 },
        day: { current: made, last: none, successRate: 100 },
        month: { current: made },
        year: { current: made },
      },
      total: made,
    },
    generator: { active: { global: 0 } },
    accounts: { total: { global: 0 }, usable: { global: 0 } },
    upstream: { errors: {} },
    timestamp: clock.now(),
  });
  clock.forward(HOUR);
  expect(await statsOf(server)).toMatchObject({
    generated: { time: { hour: { current: none, last: made }, day: { current: made } }, total: made },
  });
  clock.forward(365 * 24 * HOUR);
  expect(await statsOf(server)).toMatchObject({
    generated: {
      time: { day: { last: none }, month: { current: none }, year: { current: none } },
      total: made,
    },
  });
});

test('The statistics are kept for a minute', async () => {
  const clock = new MovableClock();
  const server = await runServer({ clock });
  const before = await statsOf(server);
  await threeSkins(server);
  clock.forward(59_999);
  expect(await statsOf(server)).toEqual(before);
  clock.forward(1);
  expect(await statsOf(server)).toMatchObject({ generated: { total: { new: 2, duplicate: 1 } } });
});

test('Jobs that failed are counted by their code for ten minutes, and lower the success rate', async () => {
  const clock = new MovableClock();
  clock.forward(Date.now() - clock.now()); // the worker elsewhere goes by the machine's
  const server = await runServer({ clock, workers: 0 });
  const { body } = await server.owner.upload('/v2/queue', skinPng(1));
  expect(body.job?.status).toBe('waiting');
  await failWaitingJob(server, 'skin_change_failed');
  expect(await statsOf(server)).toMatchObject({
    generated: { time: { hour: { successRate: 0 } } },
    upstream: { errors: { skin_change_failed: 1 } },
  });
  clock.forward(11 * 60_000);
  expect(await statsOf(server)).toMatchObject({ upstream: { errors: {} } });
});

test('Version 1 returns the same statistics under its own names', async () => {
  const server = await runServer({ clock: new MovableClock() });
  await threeSkins(server);
  const all = { total: 3, unique: 2, duplicate: 1 };
  expect(bodyOf(await server.anonymous().get('/get/stats'))).toMatchObject({
    ...all,
    skin: all,
    lastHour: 3,
    generate: { time: { hour: 3, day: 3, month: 3, year: 3 }, successRate: 1 },
    accounts: 0,
  });
});
