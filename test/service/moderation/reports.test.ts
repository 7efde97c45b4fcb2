import { describe, expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
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

test('Anyone may report a skin once, and the operator reads why', async () => {
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
    tags: [],
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

onSqlite(test)('Malformed reports, and reports of skins that only the owner sees, are refused', async () => {
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

onSqlite(test)('An address reports ten skins an hour, and a skin is reported twenty times', async () => {
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

onSqlite(test)(
  'Ten thousand open reports of anonymous callers shut out only anonymous callers, not users or operators',
  async () => {
    const server = await runServer();
    const uuid = await makeSkin(server.owner, 1);
    const { db } = await openOwnStore(server.dataDir);
    const reportsFrom = async (reporter: string) => {
      const of = (n: number) => ({
        kind: 'skin',
        subject: `${n}`,
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
  },
);

test('Reports are paged, closed, and listed as closed', async () => {
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

onSqlite(test)('What its owner made private after a report stays private', async () => {
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

describe('A report of a set', () => {
  async function runWithSet() {
    const server = await runServer();
    const ann = await server.user('ann');
    const skins = [await makeSkin(ann, 1)];
    const { uuid } = (await ann.json('/v2/sets', { name: 'Rude Words', skins })).body.set!;
    return { server, ann, uuid };
  }
  const REPORT = { reason: 'offensive', text: 'the name' };

  onSqlite(test)(
    'is sent as one of a skin, with its limits; hiding the set closes it, and nobody finds the set',
    async () => {
      const { server, ann, uuid } = await runWithSet();
      const stranger = server.anonymous('127.0.0.2');
      for (let n = 0; n < 2; n++) {
        const { status, body } = await stranger.json('/v2/sets/rude-words/report', REPORT);
        expect([status, body.messages[0]?.code]).toEqual([200, 'set_reported']);
      }
      const [report, ...others] = await openReports(server);
      expect([report, others]).toEqual([
        {
          ...{ id: expect.any(String), set: uuid, name: 'Rude Words', visibility: 'public', hidden: false },
          ...{ owner: 'ann', reports: 1, ...REPORT, createdAt: expect.any(String) },
        },
        [],
      ]);
      expectRefusal(await stranger.json('/v2/sets/none/report', REPORT), 'set_not_found');
      expectRefusal(await stranger.json('/v2/sets/rude-words/report', {}), 'validation_error');
      for (let n = 0; n < 9; n++) {
        const { body } = await ann.json('/v2/sets', { name: `set ${n}` });
        expect((await stranger.json(`/v2/sets/${body.set?.uuid}/report`, REPORT)).status).toBe(200);
      }
      await ann.json('/v2/sets', { name: 'one more' });
      expectRefusal(await stranger.json('/v2/sets/one-more/report', REPORT), 'rate_limit');

      const path = `/v2/account/sets/${uuid}`;
      expectRefusal(await server.owner.patch(path, { note: 'nothing' }), 'validation_error');
      expect((await server.owner.patch(path, { hidden: true })).body.set).toMatchObject({ hidden: true });
      expect((await openReports(server)).map(({ set }) => set)).not.toContain(uuid);
      expectRefusal(await stranger.json(`/v2/sets/${uuid}/report`, REPORT), 'set_not_found');
      await server.owner.patch(path, { hidden: false });
      await stranger.json(`/v2/sets/${uuid}/report`, REPORT);
      await server.owner.send('DELETE', path);
      const closed = (await server.owner.get('/v2/account/reports?state=closed')).body.reports;
      expect(closed?.find(({ set }) => set === uuid)).toMatchObject({
        ...{ hidden: false, closedAt: expect.stringMatching(/Z$/) },
      });
    },
  );

  onSqlite(test)('leads the operator to clear its name, which the log says', async () => {
    const { server, uuid } = await runWithSet();
    const cleared = await server.owner.patch(`/v2/account/sets/${uuid}`, { clearName: true, note: 'rude' });
    const name = `Set ${uuid.slice(0, 8)}`;
    expect(cleared.body.set).toMatchObject({ name, visibility: 'public', hidden: false });
    expectRefusal(await server.anonymous().get('/v2/sets/rude-words'), 'set_gone');
    expect((await server.anonymous().get(`/v2/sets/set-${uuid.slice(0, 8)}`)).body.set?.uuid).toBe(uuid);
    const { entries } = (await server.owner.get('/v2/account/log')).body;
    expect(entries?.[0]).toMatchObject({ action: 'clear_set_name', subject: uuid, note: 'rude' });
  });

  test.each(['its owner', 'anyone else'])(
    'leads the operator to clear its name although %s has already taken the replacement name',
    async (who) => {
      const { server, ann, uuid } = await runWithSet();
      const taker = who === 'its owner' ? ann : await server.user('bob');
      const name = `Set ${uuid.slice(0, 8)}`;
      expect((await taker.json('/v2/sets', { name })).status).toBe(201);
      const { body } = await server.owner.patch(`/v2/account/sets/${uuid}`, { clearName: true });
      expect(body.set?.name).toMatch(/^Set [0-9a-f]{8}$/);
      expect(body.set?.name).not.toBe(name);
    },
  );

  test('is sent and decided on pages, where hiding the set is also undone', async () => {
    const { server, ann, uuid } = await runWithSet();
    const visitor = new PlainBrowser(server.url);
    expect((await visitor.open(`/ui/sets/${uuid}`)).text).toContain('<summary>Report this set</summary>');
    const sent = await visitor.open(`/ui/sets/${uuid}/report`, { form: REPORT });
    expect(sent.headers.get('location')).toBe(`/ui/sets/${uuid}?reported=yes`);
    const thanks = (await visitor.open(`/ui/sets/${uuid}?reported=yes`)).text;
    expect(thanks).toContain('Report sent. Thank you.');
    expect(thanks).not.toContain('Report this set');

    const operator = new PlainBrowser(server.url);
    await operator.signIn(server.key);
    const queue = '/ui/operator/reports';
    const [report] = await openReports(server);
    const open = (await operator.open(queue)).text;
    expect(open).toContain(`<a href="/ui/sets/${uuid}"><bdi>Rude Words</bdi></a>`);
    for (const label of ['Hide', 'Clear name', 'Delete', 'Dismiss'])
      expect(open).toContain(`aria-label="${label}: the set of report ${report?.id}"`);
    const decide = async (act: string, to = `/ui/operator/sets/${uuid}`) =>
      (await operator.open(to, { form: { act, decided: report?.id ?? '' } })).headers.get('location');
    const after = `${queue}?decided=${report?.id}`;
    expect(await decide('hide')).toBe(after);
    expect((await operator.open(after)).text).toContain('The set is hidden, and its reports are closed.');
    expect((await visitor.open(`/ui/sets/${uuid}`)).status).toBe(404);
    expect(await decide('show')).toBe(after);
    expect((await visitor.open(`/ui/sets/${uuid}`)).status).toBe(200);
    expect(await decide('clear-name')).toBe(after);
    expect((await ann.get(`/v2/sets/${uuid}`)).body.set?.name).toBe(`Set ${uuid.slice(0, 8)}`);
    expect(await decide('', `/ui/operator/sets/${uuid}/delete`)).toBe(after);
    expect((await operator.open(after)).text).toContain('The set was deleted.');
    const intruder = new PlainBrowser(server.url);
    await intruder.signIn((await server.owner.json('/v2/account/keys', { user: 'ann' })).body.key?.secret);
    const refused = await intruder.open(`/ui/operator/sets/${uuid}`, { form: { act: 'hide' } });
    expect(refused.status).toBe(403);
  });
});

onSqlite(test)('Tags of a reported skin are taken away from the list of reports', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  const skin = await makeSkin(ann, 1);
  await ann.patch(`/v2/skins/${skin}`, { tags: ['rude', 'robot'] });
  await server.anonymous().json(`/v2/skins/${skin}/report`, { reason: 'other' });
  expect((await openReports(server))[0]?.tags).toEqual(['robot', 'rude']);
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  expect((await operator.open('/ui/operator/reports')).text).toContain('aria-label="Remove the tag rude"');
  await operator.open(`/ui/skins/${skin}/tags`, { form: { vote: 'down', tag: 'rude', decided: '' } });
  expect((await openReports(server))[0]?.tags).toEqual(['robot']);
});

onSqlite(test)('Reports, decisions and the log are for operators only', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  const uuid = '0'.repeat(32);
  const calls = [
    async (by: TestCaller) => await by.get('/v2/account/reports'),
    async (by: TestCaller) => await by.json('/v2/account/reports/1/close', {}),
    async (by: TestCaller) => await by.patch(`/v2/account/skins/${uuid}`, { hidden: true }),
    async (by: TestCaller) => await by.send('DELETE', `/v2/account/skins/${uuid}`),
    async (by: TestCaller) => await by.patch(`/v2/account/sets/${uuid}`, { clearName: true }),
    async (by: TestCaller) => await by.send('DELETE', `/v2/account/sets/${uuid}`),
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

onSqlite(test)('A decision closes what is open, and leaves when earlier reports were closed', async () => {
  const clock = new MovableClock();
  const server = await runServer({ clock });
  const ann = await server.user('ann');
  const skin = await makeSkin(ann, 1);
  const { body } = await ann.json('/v2/sets', { name: 'Rude', skins: [skin] });
  const set = body.set!.uuid;
  for (const [subject, hide, remove] of [
    [`/v2/skins/${skin}`, `/v2/account/skins/${skin}`, undefined],
    [`/v2/sets/${set}`, `/v2/account/sets/${set}`, `/v2/account/sets/${set}`],
  ] as const) {
    const report = async (address: string) =>
      expect((await server.anonymous(address).json(`${subject}/report`, { reason: 'other' })).status).toBe(
        200,
      );
    await report('127.0.0.2');
    const [{ id } = { id: '' }] = await openReports(server);
    await server.owner.json(`/v2/account/reports/${id}/close`, {});
    const closed = async () =>
      (await server.owner.get('/v2/account/reports?state=closed')).body.reports?.find((one) => one.id === id)
        ?.closedAt;
    const before = await closed();
    expect(before).toBeDefined();
    clock.forward(HOUR);
    await report('127.0.0.3');
    expect(await openReports(server)).toHaveLength(1);
    if (remove) await server.owner.send('DELETE', remove);
    else await server.owner.patch(hide, { hidden: true });
    expect(await openReports(server)).toEqual([]);
    expect(await closed()).toBe(before);
  }
});
