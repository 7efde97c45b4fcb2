import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, type TestCaller } from '../../support/server/test-caller.ts';
import { runServerWithPlans } from '../../support/server/users-of-plan.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

const PNG = skinPng(1);

test('A generation continues after its request stops waiting, and the answer links its job', async () => {
  const work = new HeldWork();
  const { owner } = await runServer({ workers: 1, ...work.options });
  const heard = await owner.upload('/v2/generate?timeout=1', PNG, { name: 'Smith' });
  expectRefusal(heard, 'generator_timeout');
  work.release();
  const id = heard.body.links['job']?.split('/').at(-1);
  const { skin } = (await jobAt(owner, id, 'completed')).body;
  expect(skin).toMatchObject({ name: 'Smith' });
  const again = await owner.upload('/v2/generate?timeout=1', PNG, { name: 'Smith' });
  expect(again.body.skin).toMatchObject({ uuid: skin?.uuid, duplicate: true });
});

test('The time to wait begins when the job’s turn has come', async () => {
  const work = new HeldWork();
  const clock = new MovableClock();
  vi.spyOn(clock, 'sleep').mockImplementation(async (...wait) => await work.sleep(...wait));
  const { users } = await runServerWithPlans(
    { gold: { concurrency: 1 } },
    { workers: 2, ...work.options, clock },
  );
  const statusesAt = async (count: number) =>
    await poll(
      async () => (await users.gold.get('/v2/queue')).body.jobs?.map(({ status }) => status),
      (jobs) => jobs?.length === count && jobs.includes('processing'),
    );
  const first = users.gold.upload('/v2/generate?timeout=30', skinPng(1));
  await statusesAt(1);
  const second = users.gold.upload('/v2/generate', skinPng(2));
  expect(await statusesAt(2)).toEqual(['waiting', 'processing']);
  clock.forward(15_000); // more than is waited for a job whose turn has come
  expect(await statusesAt(2)).toEqual(['waiting', 'processing']);
  work.release();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
});

test.each([
  ['/v2/generate?timeout=1.25', 1_250],
  ['/v2/generate?timeout=29.5', 29_500],
  ['/v2/generate', 60_000],
  ['/generate/upload', 60_000],
])('POST %s waits for %i ms in all, if the turn of the job does not come', async (path, wait) => {
  const clock = new MovableClock();
  vi.spyOn(clock, 'sleep').mockImplementation(async (milliseconds, signal) => {
    if (milliseconds === wait) clock.forward(wait);
    else await systemClock.sleep(milliseconds, signal);
  });
  const { owner } = await runServer({ workers: 0, clock });
  const start = clock.now();
  expect((await owner.upload(path, PNG)).status).toBe(500);
  expect(clock.now() - start).toBe(wait);
});

type Ask = (caller: TestCaller, path: string) => Promise<Heard>;

const ASKS: Record<string, Ask> = {
  'in the query': (caller, path) => caller.upload(`${path}?checkOnly=true`, PNG),
  'in the query as 1': (caller, path) => caller.json(`${path}?checkOnly=1`, { url: dataUrl(PNG) }),
  'in a part': (caller, path) => caller.upload(path, PNG, { checkOnly: 'true' }),
  'in a part as a browser does': (caller, path) => caller.upload(path, PNG, { checkOnly: 'on' }),
  'in JSON as a number': (caller, path) => caller.json(path, { url: dataUrl(PNG), checkOnly: 1 }),
  'in JSON': (caller, path) => caller.json(path, { url: dataUrl(PNG), checkOnly: true }),
};

describe.each(['/v2/generate', '/v2/queue'])('checkOnly at %s', (path) => {
  // Both take their options in the same way.
  test.each(sampled(Object.entries(ASKS), path === '/v2/queue' ? 3 : 1))(
    '%s makes nothing, whatever is found',
    async (_, ask) => {
      const { owner } = await runServer();
      expectRefusal(await ask(owner, path), 'no_duplicate');
      expect((await owner.get('/v2/queue')).body.jobs).toEqual([]);
      const { skin } = (await owner.upload('/v2/generate', PNG)).body;
      const found = await ask(owner, path);
      expect([found.status, found.body.skin?.uuid]).toEqual([200, skin?.uuid]);
      expect(found.body).toMatchObject({
        messages: [{ code: 'skin_found' }],
        rateLimit: { limit: { used: 1 } },
        usage: {},
      });
    },
  );

  test('treats "no" as false', async () => {
    const { owner } = await runServer();
    for (const no of ['false', '0', 'off', ''])
      expect((await owner.upload(path, PNG, { checkOnly: no })).status).toBeLessThan(300);
  });
});
