import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const HOUR = 3_600_000;
/** Milliseconds within which a service looks for what it can forget. */
const LOOK = 600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const jobsOf = async (caller: TestCaller) => (await caller.get('/v2/queue')).body.jobs?.map(({ id }) => id);

test.each([
  ['a week, unless the operator says otherwise', 168, {}],
  ['as many hours as the operator says', 2, { retentionHours: 2 }],
])('A finished job is kept for %s', async (_, hours, options) => {
  const clock = new MovableClock();
  const { owner } = await runServer({ clock, ...options });
  await owner.upload('/v2/generate', skinPng(1));
  clock.forward(HOUR);
  await owner.upload('/v2/generate', skinPng(2));
  const [newer] = (await jobsOf(owner)) ?? [];
  clock.forward(hours * HOUR - HOUR / 2);
  vi.advanceTimersByTime(LOOK);
  const left = await poll(
    () => jobsOf(owner),
    (jobs) => jobs?.length !== 2,
  );
  expect(left).toEqual([newer]);
});
