import { expect, test } from 'vitest';
import { runHosted, whenAccepted } from '../../support/hosted/run-hosted.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ends, numbers, push, runGateway, runGatewayProcess } from '../../support/server/gateway.ts';
import { plansFile } from '../../support/server/plans.ts';
import { TestCaller } from '../../support/server/test-caller.ts';
import { testWhole } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

/** Jobs of each client. */
const OWN = isWhole ? 24 : 12;

onSqlite(test)('Three clients share the slots of one key fairly, and never more than there are', async () => {
  const hosted = await runHosted({ serviceTime: 150 });
  const first = await runGateway(hosted, { workers: 0 });
  const users = await Promise.all(['ann', 'bob', 'cy'].map(async (name) => await first.user(name)));
  await Promise.all(users.map(async (user, n) => await push(user, numbers(n * 100, OWN))));
  await first.close();
  hosted.hold();
  const { dataDir } = await runGateway(hosted, { dataDir: first.dataDir });
  await whenAccepted(hosted, 5);
  hosted.release();
  const ended = await ends(dataDir, 3 * OWN);
  expect(ended.filter(({ status }) => status !== 'completed')).toEqual([]);
  const owners = Object.groupBy(ended.slice(0, 1.5 * OWN), ({ owner }) => owner);
  const shares = Object.values(owners).map((own) => own?.length ?? 0);
  expect(shares).toHaveLength(3);
  for (const share of shares) expect(Math.abs(share - OWN / 2)).toBeLessThanOrEqual(OWN / 6);
  const { mostUnfinished, accepted, refusals } = hosted.records;
  expect({ mostUnfinished, accepted: accepted.length, refusals }).toEqual({
    mostUnfinished: 5,
    accepted: 3 * OWN,
    refusals: {},
  });
});

// Nodes that share slots, `server/store/upstream-jobs` tries.
testWhole(
  'Two gateways over one store never have more than five jobs together at the upstream service',
  async () => {
    const hosted = await runHosted({ serviceTime: 100, slack: 10 });
    hosted.hold();
    const one = await runGateway(hosted);
    const two = await runGatewayProcess(hosted, { dataDir: one.dataDir });
    await Promise.all([
      push(await one.user('ann'), numbers(0, OWN)),
      push(new TestCaller(two.url, { key: one.key }), numbers(100, OWN)),
    ]);
    await whenAccepted(hosted, 5);
    hosted.release();
    const ended = await ends(one.dataDir, 2 * OWN);
    expect(ended.every(({ status }) => status === 'completed')).toBe(true);
    const { mostUnfinished, accepted, refusals } = hosted.records;
    expect({ mostUnfinished, accepted: accepted.length, refusals }).toEqual({
      mostUnfinished: 5,
      accepted: 2 * OWN,
      refusals: {},
    });
  },
);

onSqlite(test)('A lone user has all slots of the plan processed, and not only its concurrency', async () => {
  const hosted = await runHosted({ serviceTime: 30 });
  hosted.hold();
  const { user, dataDir } = await runGateway(hosted, { plansFile: await plansFile({}) });
  const ann = await user('ann');
  const grants = { plan: 'free', queue: 5, concurrency: 1, burst: 5 };
  expect((await ann.get('/v2/me')).body.grants).toMatchObject(grants);
  await push(ann, numbers(0, 5));
  await whenAccepted(hosted, 5);
  hosted.release();
  expect((await ends(dataDir, 5)).map(({ status }) => status)).toEqual(Array(5).fill('completed'));
});

test('The same picture of several callers reaches the service once, also after a restart', async () => {
  const hosted = await runHosted({ serviceTime: 30 });
  const first = await runGateway(hosted);
  const users = await Promise.all(['ann', 'bob', 'cy'].map(async (name) => await first.user(name)));
  await Promise.all(users.map(async (user) => await push(user, [1, 2, 1])));
  await ends(first.dataDir, 6);
  await first.close();
  const again = await runGateway(hosted, { dataDir: first.dataDir });
  const owner = new TestCaller(again.url, { key: first.key });
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  expect(body.skin).toMatchObject({ generator: { server: 'hosted' }, duplicate: true });
  expect(hosted.records.accepted).toHaveLength(2);
});
