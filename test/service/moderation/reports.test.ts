import { expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const HOUR = 3_600_000;

async function makeSkin(caller: TestCaller, number: number, fields: Record<string, string> = {}) {
  const { body } = await caller.upload('/v2/generate', skinPng(number), fields);
  return String(body.skin?.uuid);
}

async function openReports({ owner }: ServerUnderTest) {
  return (await owner.get('/v2/account/reports')).body.reports ?? [];
}

test('Anybody may report a skin, once, and the operator reads why', async () => {
  const server = await runServer();
  const skin = await makeSkin(await server.user('ann'), 1, { name: 'Rude' });
  const report = { reason: 'offensive', text: 'Look\u001b[31m at\u202e it\nnow' };
  for (const address of ['127.0.0.2', '127.0.0.2', '127.0.0.3']) {
    const { status, body } = await server.anonymous(address).json(`/v2/skins/${skin}/report`, report);
    expect([status, body.messages[0]?.code]).toEqual([200, 'skin_reported']);
  }
  const reports = await openReports(server);
  expect(reports).toHaveLength(2);
  expect(reports[0]).toEqual({
    id: expect.stringMatching(/^\d+$/),
    skin,
    name: 'Rude',
    texture: expect.stringMatching(/^[0-9a-f]{64}$/),
    visibility: 'public',
    hidden: false,
    owner: 'ann',
    reports: 2,
    reason: 'offensive',
    text: 'Look [31m at it now',
    createdAt: expect.stringMatching(/Z$/),
  });
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const { status, text } = await operator.open('/ui/operator/reports');
  expect([status, text.match(/one of 2 reports of this skin/g)]).toEqual([200, expect.any(Array)]);
});

test('Reports that are not well formed, or of skins nobody else sees, are refused', async () => {
  const server = await runServer();
  const secret = await makeSkin(server.owner, 1, { visibility: 'private' });
  const open = await makeSkin(server.owner, 2, { visibility: 'unlisted' });
  const stranger = server.anonymous();
  for (const body of [
    {},
    { reason: 'boring' },
    { reason: 'other', text: 'x'.repeat(501) },
    { reason: 'other', to: 'x' },
  ])
    expectRefusal(await stranger.json(`/v2/skins/${open}/report`, body), 'validation_error');
  for (const uuid of [secret, '0'.repeat(32)])
    expectRefusal(await stranger.json(`/v2/skins/${uuid}/report`, { reason: 'other' }), 'skin_not_found');
  expect(await openReports(server)).toEqual([]);
});

test('An address reports ten skins an hour, and a skin is reported twenty times', async () => {
  const clock = new MovableClock();
  const server = await runServer({ clock });
  const skins: string[] = [];
  for (let number = 0; number < 11; number++) skins.push(await makeSkin(server.owner, number));
  const report = async (skin: string, address: string) =>
    await server.anonymous(address).json(`/v2/skins/${skin}/report`, { reason: 'other' });
  for (const skin of skins.slice(0, 10)) expect((await report(skin, '127.0.0.2')).status).toBe(200);
  expectRefusal(await report(skins[10]!, '127.0.0.2'), 'rate_limit');
  clock.forward(HOUR);
  expect((await report(skins[10]!, '127.0.0.2')).status).toBe(200);
  for (let last = 3; last < 30; last++) await report(skins[0]!, `127.0.0.${last}`);
  const ofFirst = (await server.owner.get('/v2/account/reports?size=128')).body.reports ?? [];
  expect(ofFirst.filter(({ skin }) => skin === skins[0])).toHaveLength(20);
});

test('Ten thousand open reports of anonymous callers shut out only anonymous callers, not users or operators', async () => {
  const server = await runServer();
  const uuid = await makeSkin(server.owner, 1);
  const { db } = await openOwnStore(server.dataDir);
  const reportsFrom = async (reporter: string) => {
    const of = (n: number) => ({
      skin_uuid: `${n}`,
      reporter: `${reporter}:${n}`,
      reason: 'other',
      text: '',
    });
    for (let first = 0; first < 10_000; first += 1_000)
      await db
        .insertInto('reports')
        .values(Array.from({ length: 1_000 }, (_, n) => ({ ...of(first + n), created_at: 0 }) as never))
        .execute();
  };
  const report = async (caller: TestCaller) =>
    await caller.json(`/v2/skins/${uuid}/report`, { reason: 'other' });
  await reportsFrom('address');
  expectRefusal(await report(server.anonymous('127.0.0.9')), 'rate_limit');
  expect((await report(await server.user('ann'))).status).toBe(200);
  await reportsFrom('user');
  expectRefusal(await report(await server.user('bob')), 'rate_limit');
  expect((await report(server.owner)).status).toBe(200);
});

test('Reports are paged, closed, and then listed as such', async () => {
  const server = await runServer();
  const skins = [
    await makeSkin(server.owner, 1),
    await makeSkin(server.owner, 2),
    await makeSkin(server.owner, 3),
  ];
  for (const skin of skins) await server.anonymous().json(`/v2/skins/${skin}/report`, { reason: 'other' });
  const first = (await server.owner.get('/v2/account/reports?size=2')).body;
  const second = (await server.owner.get(String(first.links['next']))).body;
  expect([...(first.reports ?? []), ...(second.reports ?? [])].map(({ skin }) => skin)).toEqual(
    skins.toReversed(),
  );
  const [report] = first.reports ?? [];
  const closed = await server.owner.json(`/v2/account/reports/${report?.id}/close`, { note: 'fine' });
  expect(closed.body.report?.closedAt).toMatch(/Z$/);
  expect(await openReports(server)).toHaveLength(2);
  const old = (await server.owner.get('/v2/account/reports?state=closed')).body.reports ?? [];
  expect(old.map(({ id }) => id)).toEqual([report?.id]);
  expectRefusal(await server.owner.json('/v2/account/reports/999/close', {}), 'not_found');
});

test('What its owner made private after a report stays private', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  await server.owner.patch('/v2/account/users/ann', { plan: 'pro' });
  const skin = await makeSkin(ann, 1, { name: 'Mine' });
  await server.anonymous().json(`/v2/skins/${skin}/report`, { reason: 'other' });
  await ann.patch(`/v2/skins/${skin}`, { visibility: 'private' });
  const [report] = await openReports(server);
  expect([report?.visibility, report?.name, report?.texture]).toEqual(['private', undefined, undefined]);
  expectRefusal(await server.owner.patch(`/v2/account/skins/${skin}`, { hidden: true }), 'skin_not_found');
});

test('Reports, decisions and the log are for operators only', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  const uuid = '0'.repeat(32);
  const calls = [
    async (by: TestCaller) => await by.get('/v2/account/reports'),
    async (by: TestCaller) => await by.json('/v2/account/reports/1/close', {}),
    async (by: TestCaller) => await by.patch(`/v2/account/skins/${uuid}`, { hidden: true }),
    async (by: TestCaller) => await by.send('DELETE', `/v2/account/skins/${uuid}`),
    async (by: TestCaller) => await by.get('/v2/account/blocked-images'),
    async (by: TestCaller) => await by.json('/v2/account/blocked-images', { skin: uuid }),
    async (by: TestCaller) => await by.send('DELETE', `/v2/account/blocked-images/${'0'.repeat(64)}`),
    async (by: TestCaller) => await by.get('/v2/account/log'),
  ];
  for (const call of calls) {
    expectRefusal(await call(ann), 'insufficient_grants');
    expectRefusal(await call(server.anonymous()), 'unauthorized');
  }
});
