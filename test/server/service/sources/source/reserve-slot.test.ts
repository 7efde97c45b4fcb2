import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { SlotReservations } from '../../../../../src/server/service/sources/source.ts';
import { skinPng } from '../../../../support/server/drawn-skins.ts';
import { poll } from '../../../../support/server/poll.ts';
import { guardAgainstLeaks } from '../../../../support/server/running-server.ts';
import { expectRefusal } from '../../../../support/server/test-caller.ts';
import { runServerWithPlans } from '../../../../support/server/users-of-plan.ts';
import { type WebServer, webServer } from '../../../../support/server/web-server.ts';

guardAgainstLeaks();

const OPTIONS = { workers: 0, allowedNetworks: ['127.0.0.0/8'] };

/** A site with a skin of its own at each number. */
async function siteOfSkins(): Promise<WebServer> {
  return await webServer((request, response) => {
    response.end(skinPng(Number(/\d+/.exec(request.url ?? '')?.[0])));
  });
}

test.each(['/v2/generate', '/v2/queue', '/generate/url'])(
  'A URL that limits refuse at %s is not fetched and counts for nothing',
  async (path) => {
    const site = await siteOfSkins();
    const { users } = await runServerWithPlans({ gold: { queue: 2, per_minute: 12 } }, OPTIONS);
    for (const n of [1, 2]) await users.gold.upload('/v2/queue', skinPng(n));
    for (let n = 10; n < 30; n++) {
      expect((await users.gold.json(path, { url: `${site.url}/${n}.png` })).status).toBe(429);
    }
    expect(site.seen).toEqual([]);
    const found = await users.gold.json('/v2/queue', { url: `${site.url}/3.png`, checkOnly: true });
    expectRefusal(found, 'no_duplicate');
  },
);

test('Only as many of the requested pictures are fetched at once as slots are free', async () => {
  const site = await siteOfSkins();
  const { users } = await runServerWithPlans({ gold: {} }, OPTIONS);
  const send = async (n: number) => await users.gold.json('/v2/queue', { url: `${site.url}/${n}.png` });
  const statuses = (await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(send))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  expect(site.seen).toHaveLength(5);
});

test('A request waits until it is seen whether the pictures before it take the last slots', async () => {
  const open: ServerResponse[] = [];
  const site = await webServer((_request, response) => void open.push(response));
  const { users } = await runServerWithPlans({ gold: { queue: 1 } }, OPTIONS);
  const send = async () => await users.gold.json('/v2/queue', { url: `${site.url}/1.png` });
  const both = [send(), send()];
  await poll(
    () => open.length,
    (count) => count === 1,
  );
  open[0]?.writeHead(404).end();
  (
    await poll(
      () => open[1],
      (second) => second !== undefined,
    )
  )?.end(skinPng(1));
  expect((await Promise.all(both)).map(({ status }) => status).toSorted()).toEqual([202, 400]);
});

test('With every slot taken, a repeated request under its key gets its job', async () => {
  const site = await siteOfSkins();
  const { users } = await runServerWithPlans({ gold: { queue: 1 } }, OPTIONS);
  const send = async () =>
    await users.gold.json('/v2/queue', { url: `${site.url}/1.png` }, { 'idempotency-key': 'once' });
  const [first, again] = [await send(), await send()];
  expect([first.status, again.status, again.body.job?.id]).toEqual([202, 202, first.body.job?.id]);
});

test('The first URLs of a batch get the slots, and only URLs with a slot are fetched', async () => {
  const site = await siteOfSkins();
  const plans = { pro: { queue: 3 } };
  const { users } = await runServerWithPlans(plans, OPTIONS);
  const batch = Array.from({ length: 12 }, (_, n) => ({ url: `${site.url}/${n}.png` }));
  const { status, body } = await users.pro.json('/v2/queue/batch', { batch });
  expect(status).toBe(202);
  const taken = body.batch?.map((item) => item.success);
  expect(taken).toEqual([...Array<boolean>(3).fill(true), ...Array<boolean>(9).fill(false)]);
  expect(site.seen).toHaveLength(3);
});

test('A request that got room or was refused is no longer in line', async () => {
  const reservations = new SlotReservations();
  const release = await reservations.hold('ann', async () => true);
  const refused = reservations.hold('ann', async () => await Promise.reject(new Error('refused')));
  expect(reservations.inLine('ann')).toBe(1);
  await expect(refused).rejects.toThrow('refused');
  expect(reservations.inLine('ann')).toBe(0);
  release();
});
