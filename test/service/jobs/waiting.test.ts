import { describe, expect, test } from 'vitest';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { jobAt } from '../../support/server/job-at.ts';
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
  const { users } = await runServerWithPlans({ gold: { concurrency: 1 } }, { workers: 2, pace: 600 });
  const all = [1, 2, 3, 4].map(async (n) => await users.gold.upload('/v2/generate?timeout=1', skinPng(n)));
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

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
