import { expect, test } from 'vitest';
import { readRandomSkins } from '../../../src/server/service/skins/skins.ts';
import { bodyOf } from '../../support/http/v1/old-format.ts';
import { mostlyOnSqlite, onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { keepData, record } from '../../support/server/skin-records.ts';
import { Statements } from '../../support/server/statements.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** Two public skins, one unlisted and one private, all of the owner's; their UUIDs. */
async function fourSkins({ owner }: ServerUnderTest) {
  const make = async (n: number, visibility: string) =>
    String((await owner.upload('/v2/generate', skinPng(n), { visibility })).body.skin?.uuid);
  const shown = [await make(1, 'public'), await make(2, 'public')];
  return { shown, hidden: [await make(3, 'unlisted'), await make(4, 'private')] };
}

mostlyOnSqlite(test)(
  'Latest, popular and random skins and the pages of version 1 hold public ones only',
  async () => {
    const server = await runServer();
    const { shown, hidden } = await fourSkins(server);
    for (const uuid of [...shown, ...hidden]) {
      await server.owner.send('POST', `/v2/skins/${uuid}/interactions/views`);
    }
    for (const caller of [server.anonymous(), server.owner]) {
      for (const kind of ['latest', 'popular', 'random']) {
        const { status, body } = await caller.get(`/v2/skins/${kind}`);
        const uuids = body.skins?.map(({ uuid }) => uuid).toSorted();
        expect([kind, status, uuids]).toEqual([kind, 200, shown.toSorted()]);
      }
      expect(bodyOf(await caller.get('/get/list/1'))).toMatchObject({
        skins: [{ uuid: shown[1] }, { uuid: shown[0] }],
        page: { index: 1 },
      });
      expect(bodyOf(await caller.get('/get/list/2'))).toMatchObject({ skins: [] });
      expect(shown).toContain((bodyOf(await caller.get('/get/random')) as { uuid: string }).uuid);
    }
  },
);

test('Without public skins, popular, random and paged lists are empty', async () => {
  const { anonymous } = await runServer();
  for (const kind of ['latest', 'popular', 'random']) {
    expect((await anonymous().get(`/v2/skins/${kind}`)).body.skins).toEqual([]);
  }
  expect((await anonymous().get('/get/random')).status).toBe(404);
});

mostlyOnSqlite(test)('A short id leads to public skins and to those of the caller', async () => {
  const server = await runServer();
  const { shown, hidden } = await fourSkins(server);
  const bob = await server.user('bob');
  const short = (uuid: string) => `/v2/skins/${uuid.slice(0, 8)}`;
  for (const uuid of shown) expect((await bob.get(short(uuid))).body.skin?.uuid).toBe(uuid);
  for (const uuid of hidden) {
    expectRefusal(await bob.get(short(uuid)), 'skin_not_found');
    expectRefusal(await server.anonymous().get(short(uuid)), 'skin_not_found');
    expect((await server.owner.get(short(uuid))).body.skin?.uuid).toBe(uuid);
  }
});

mostlyOnSqlite(test)(
  'Neither a short ID nor a number leads to an unlisted skin made without a key',
  async () => {
    const server = await runServer();
    const stranger = server.anonymous();
    const made = await stranger.upload('/v2/generate', skinPng(5), { visibility: 'unlisted' });
    const uuid = String(made.body.skin?.uuid);
    expect((await stranger.get(`/v2/skins/${uuid}`)).status).toBe(200);
    expectRefusal(await stranger.get(`/v2/skins/${uuid.slice(0, 8)}`), 'skin_not_found');
    for (const path of ['/get/id/1', '/render/1/skin']) expect((await stranger.get(path)).status).toBe(404);
  },
);

onSqlite(test)(
  'A short id leads to the texture and to similar skins, of those that the caller may find',
  async () => {
    const server = await runServer();
    const { shown, hidden } = await fourSkins(server);
    const bob = await server.user('bob');
    const heard = async (caller: TestCaller, uuid: string) => {
      const texture = await caller.get(`/v2/skins/${uuid}/texture`);
      const similar = await caller.get(`/v2/skins/${uuid}/similar`);
      return [texture.status, texture.headers['location'], similar.status, similar.body.links];
    };
    for (const uuid of [...shown, ...hidden]) {
      const whole = await heard(server.owner, uuid);
      expect(whole).toMatchObject([302, expect.stringMatching(/^\/textures\//), 200, {}]);
      expect(await heard(server.owner, uuid.slice(0, 8))).toEqual(whole);
    }
    for (const uuid of hidden)
      expect(await heard(bob, uuid.slice(0, 8))).toMatchObject([404, undefined, 404, {}]);
  },
);

onSqlite(test)('Only its owner changes and deletes a skin by its short id', async () => {
  const server = await runServer();
  const { shown, hidden } = await fourSkins(server);
  const bob = await server.user('bob');
  for (const uuid of [...shown, ...hidden]) {
    const short = `/v2/skins/${uuid.slice(0, 8)}`;
    expectRefusal(await bob.patch(short, { name: 'mine' }), 'skin_not_found');
    expectRefusal(await bob.send('DELETE', short), 'skin_not_found');
    expect((await server.owner.patch(short, { name: 'mine' })).body).toMatchObject({ uuid, name: 'mine' });
    expect((await server.owner.send('DELETE', short)).status).toBe(200);
    expectRefusal(await server.owner.get(`/v2/skins/${uuid}`), 'skin_not_found');
  }
});

mostlyOnSqlite(test)('A key without the scope read finds no hidden skin by its short id', async () => {
  const server = await runServer();
  const { shown, hidden } = await fourSkins(server);
  const made = await server.owner.json('/v2/account/keys', { scopes: ['generate'] });
  const { url, dataDir } = server;
  const narrow = new TestCaller(url, { key: String(made.body.key?.secret), dataDir });
  const short = (uuid: string | undefined) => `/v2/skins/${uuid?.slice(0, 8)}`;
  expect((await narrow.get(short(shown[0]))).status).toBe(200);
  for (const uuid of hidden) expectRefusal(await narrow.get(short(uuid)), 'skin_not_found');
});

mostlyOnSqlite(test)(
  'Lists say where the next page begins, and a UUID in place of a number leads to its skin',
  async () => {
    const server = await runServer();
    const { shown } = await fourSkins(server);
    const bodyAt = async (path: string) =>
      bodyOf(await server.owner.get(path)) as { pagination: { next?: { after: string } }; skins: object[] };
    const first = await bodyAt('/v2/skins?size=1');
    const second = await bodyAt(`/v2/skins?size=1&after=${first.pagination.next?.after}`);
    expect(second.skins).toMatchObject([{ uuid: shown[0] }]);
    expect(second.pagination).toEqual({ current: first.pagination.next });
    expect((await bodyAt('/v2/skins/random')).pagination).toEqual({ current: {} });
    const heard = await server.owner.get(`/get/id/${shown[0]}`);
    expect([heard.status, heard.headers['location']]).toEqual([301, `/get/uuid/${shown[0]}`]);
  },
);

test('Random skins are all different, and take no more statements than one of them', async () => {
  const { db } = await openOwnStore(await ownFolder());
  await keepData(db, 'face');
  for (let n = 0; n < 160; n++)
    await record(db, { name: `${n}`, visibility: n % 3 === 0 ? 'private' : 'public' });
  const statements = new Statements();
  const pick = async (size: number) => {
    statements.take();
    const skins = await readRandomSkins({ db }, size);
    return { skins, statements: statements.take().length };
  };
  const one = await pick(1);
  const many = await pick(64);
  expect([one.skins.length, many.statements]).toEqual([1, one.statements]);
  expect(many.skins.length).toBeGreaterThan(20);
  expect(new Set(many.skins.map(({ uuid }) => uuid)).size).toBe(many.skins.length);
  expect(many.skins.every(({ visibility }) => visibility === 'public')).toBe(true);
  const names = many.skins.map(({ name }) => Number(name));
  expect(names).not.toEqual(names.toSorted((a, b) => a - b));
  expect((await pick(64)).skins.map(({ name }) => Number(name))).not.toEqual(names);
});
