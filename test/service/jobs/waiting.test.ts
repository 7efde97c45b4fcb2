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

guardAgainstLeaks();

const PNG = skinPng(1);

test('A generation that was not waited for to its end goes on, and its job is linked', async () => {
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

test('The time to wait begins when the turn of the job has come', async () => {
  const work = new HeldWork();
  const plans = { gold: { concurrency: 1 }, silver: {} };
  const { users } = await runServerWithPlans(plans, { workers: 2, ...work.options });
  const statusesAt = async (count: number) =>
    await poll(
      async () => (await users.gold.get('/v2/queue')).body.jobs?.map(({ status }) => status),
      (jobs) => jobs?.length === count && jobs.includes('processing'),
    );
  const first = users.gold.upload('/v2/generate?timeout=30', skinPng(1));
  await statusesAt(1);
  const second = users.gold.upload('/v2/generate?timeout=1', skinPng(2));
  expect(await statusesAt(2)).toEqual(['waiting', 'processing']);
  // A second after the turn of this one has come, the second one has waited for longer, without its turn.
  expectRefusal(await users.silver.upload('/v2/generate?timeout=1', skinPng(3)), 'generator_timeout');
  work.release();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
});

test.each(['/v2/generate?timeout=1', '/v2/generate?timeout=30', '/generate/upload'])(
  'POST %s waits for a minute in all, if the turn of the job does not come',
  async (path) => {
    const clock = new MovableClock();
    vi.spyOn(clock, 'sleep').mockImplementation(async (milliseconds, signal) => {
      if (milliseconds === 60_000) clock.forward(60_000);
      else await systemClock.sleep(milliseconds, signal);
    });
    const { owner } = await runServer({ workers: 0, clock });
    const start = clock.now();
    expect((await owner.upload(path, PNG)).status).toBe(500);
    expect(clock.now() - start).toBe(60_000);
  },
);

type Ask = (caller: TestCaller, path: string) => Promise<Heard>;

const ASKS: Record<string, Ask> = {
  'in the query': (caller, path) => caller.upload(`${path}?checkOnly=true`, PNG),
  'in the query as 1': (caller, path) => caller.json(`${path}?checkOnly=1`, { url: dataUrl(PNG) }),
  'in a part': (caller, path) => caller.upload(path, PNG, { checkOnly: 'true' }),
  'in JSON': (caller, path) => caller.json(path, { url: dataUrl(PNG), checkOnly: true }),
};

describe.each(['/v2/generate', '/v2/queue'])('checkOnly at %s', (path) => {
  test.each(Object.entries(ASKS))('%s makes nothing, whatever is found', async (_, ask) => {
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
  });

  test('does not take "no" for yes', async () => {
    const { owner } = await runServer();
    for (const no of ['false', '0', ''])
      expect((await owner.upload(path, PNG, { checkOnly: no })).status).toBeLessThan(300);
  });
});
