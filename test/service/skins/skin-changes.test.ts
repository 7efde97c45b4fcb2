import { describe, expect, test } from 'vitest';
import { addSkin } from '../../../src/server/store/skins.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function make(caller: TestCaller, number: number, fields: Record<string, string> = {}) {
  return (await caller.upload('/v2/generate', skinPng(number), fields)).body.skin!;
}

async function patch(caller: TestCaller, uuid: string, edit: unknown): Promise<Heard> {
  const headers = { 'content-type': 'application/json' };
  return await caller.send('PATCH', `/v2/skins/${uuid}`, { body: JSON.stringify(edit), headers });
}

const remove = async (caller: TestCaller, uuid: string) => await caller.send('DELETE', `/v2/skins/${uuid}`);

describe('PATCH /v2/skins/:uuid', () => {
  test('changes the name, the visibility or both, and answers like GET', async () => {
    const { owner } = await runServer();
    const { uuid } = await make(owner, 1, { name: 'Smith' });
    for (const [edit, expected] of [
      [{ name: 'Jones' }, { name: 'Jones', visibility: 'public' }],
      [{ visibility: 'unlisted' }, { name: 'Jones', visibility: 'unlisted' }],
      [
        { name: 'Brown', visibility: 'private' },
        { name: 'Brown', visibility: 'private' },
      ],
    ] as const) {
      const { status, body } = await patch(owner, uuid, edit);
      expect([status, body]).toMatchObject([200, { skin: expected, ...expected }]);
      expect(body.messages.map(({ code }) => code)).toEqual(['updated']);
      expect({ ...body, messages: [] }).toEqual((await owner.get(`/v2/skins/${uuid}`)).body);
    }
  });

  onSqlite(test)('takes the name away with an empty text and with null', async () => {
    const { owner } = await runServer();
    for (const [n, name] of ['', null].entries()) {
      const { uuid } = await make(owner, n, { name: 'Smith' });
      expect((await patch(owner, uuid, { name })).body.skin?.name).toBeNull();
      expect((await owner.get('/v2/skins?filter=smith')).body.skins).toEqual([]);
    }
  });

  onSqlite(test)('refuses what is no edit, and changes nothing', async () => {
    const { owner } = await runServer();
    const skin = await make(owner, 1, { name: 'Smith' });
    const wrong = [
      {},
      { name: 'a/b' },
      { name: 'x'.repeat(49) },
      { visibility: 'secret' },
      { name: 7 },
      [],
      'x',
    ];
    for (const edit of wrong) {
      const { status, body } = await patch(owner, skin.uuid, edit);
      expect([edit, status, body.success]).toEqual([edit, 400, false]);
      expect((await owner.get(`/v2/skins/${skin.uuid}`)).body.skin).toMatchObject({ name: 'Smith' });
    }
  });

  onSqlite(test)('works for the owner only; for everyone else the skin does not exist', async () => {
    const { owner, user, anonymous } = await runServer();
    const bob = await user('bob');
    const { uuid } = await make(bob, 1);
    expectRefusal(await patch(owner, uuid, { name: 'mine' }), 'skin_not_found');
    expectRefusal(await patch(anonymous(), uuid, { name: 'mine' }), 'unauthorized');
    expectRefusal(await remove(owner, uuid), 'skin_not_found');
    expectRefusal(await remove(anonymous(), uuid), 'unauthorized');
    expectRefusal(await remove(bob, '0'.repeat(32)), 'skin_not_found');
    expect((await patch(bob, uuid, { name: 'mine' })).status).toBe(200);
  });

  onSqlite(test)(
    'makes nothing private for whom the plan has no private skins; what is private stays so',
    async () => {
      const server = await runServer();
      const bob = await userWithPlan(server, 'bob', 'pro');
      const [open, hidden] = [await make(bob, 1), await make(bob, 2, { visibility: 'private' })];
      await server.owner.patch('/v2/account/users/bob', { plan: 'free' });
      expectRefusal(await patch(bob, open.uuid, { visibility: 'private' }), 'insufficient_grants');
      expectRefusal(
        await bob.upload('/v2/queue', skinPng(3), { visibility: 'private' }),
        'insufficient_grants',
      );
      expectRefusal(
        await server.anonymous().upload('/v2/queue', skinPng(3), { visibility: 'private' }),
        'unauthorized',
      );
      const { status, body } = await patch(bob, hidden.uuid, { name: 'still', visibility: 'private' });
      expect([status, body.skin?.visibility]).toEqual([200, 'private']);
    },
  );
});

describe('DELETE /v2/skins/:uuid', () => {
  test('removes the skin, its texture and its place in the lists', async () => {
    const { owner } = await runServer();
    const { uuid, texture } = await make(owner, 1, { name: 'Smith' });
    const { status, body } = await remove(owner, uuid);
    expect([status, body]).toMatchObject([200, { success: true, messages: [{ code: 'deleted' }] }]);
    expectRefusal(await remove(owner, uuid), 'skin_not_found');
    expectRefusal(await owner.get(`/v2/skins/${uuid}`), 'skin_not_found');
    expectRefusal(await owner.get(`/textures/${texture.hash.skin}`), 'not_found');
    for (const list of ['/v2/skins', '/v2/me/skins', '/v2/skins?filter=smith'])
      expect((await owner.get(list)).body.skins).toEqual([]);
  });

  test('leaves the texture while another skin needs it', async () => {
    const { owner, user } = await runServer();
    const [ann, bob] = [await make(owner, 1), await make(await user('bob'), 1)];
    const picture = `/textures/${ann.texture.hash.skin}`;
    await remove(owner, ann.uuid);
    expect((await owner.get(picture)).status).toBe(200);
    expect((await owner.get(`/v2/skins/${bob.uuid}`)).status).toBe(200);
  });

  onSqlite(test)('leaves the job completed, with the result that it had and no skin', async () => {
    const { owner } = await runServer();
    const { body: made } = await owner.upload('/v2/generate', skinPng(1));
    const path = String(made.links['job']);
    await remove(owner, made.skin!.uuid);
    const { status, body } = await owner.get(path);
    expect([status, body.job]).toMatchObject([200, { status: 'completed', result: made.skin!.uuid }]);
    expect(body).not.toHaveProperty('skin');
  });

  onSqlite(test)('lets the same picture be made again', async () => {
    const { owner } = await runServer();
    const first = await make(owner, 1);
    await remove(owner, first.uuid);
    const again = await make(owner, 1);
    expect([again.duplicate, again.uuid === first.uuid]).toEqual([false, false]);
    expect((await owner.get(`/textures/${again.texture.hash.skin}`)).status).toBe(200);
  });
});

describe('POST /v2/skins/:uuid/interactions/views', () => {
  test('counts each caller once an hour, and does not count reading the skin', async () => {
    const clock = new MovableClock();
    const { owner, anonymous, dataDir } = await runServer({ clock });
    const { uuid } = await make(owner, 1);
    const { db } = await openOwnStore(dataDir);
    const skins = db.selectFrom('skins').select('views');
    const view = async (caller: TestCaller) =>
      (await caller.json(`/v2/skins/${uuid}/interactions/views`, {})).status;
    const expectViews = async (count: number) => {
      await poll(
        () => skins.executeTakeFirstOrThrow(),
        ({ views }) => views === count,
      );
      expect((await owner.get(`/v2/skins/${uuid}`)).body.skin?.views).toBe(count);
    };
    expect([await view(owner), await view(owner), await view(anonymous())]).toEqual([204, 204, 204]);
    await expectViews(2);
    expect(await view(anonymous('127.0.0.2'))).toBe(204);
    await expectViews(3);
    clock.forward(3_600_000);
    await view(owner);
    await expectViews(4);
    await remove(owner, uuid);
    expect(await db.selectFrom('skin_views').selectAll().execute()).toEqual([]);
  });

  onSqlite(test)('says nothing of a skin that the caller does not see, and counts nothing', async () => {
    const { owner, anonymous } = await runServer();
    const { uuid } = await make(owner, 1, { visibility: 'private' });
    const view = async (caller: TestCaller, id: string) =>
      (await caller.send('POST', `/v2/skins/${id}/interactions/views`)).status;
    expect([await view(anonymous(), uuid), await view(anonymous(), '0'.repeat(32))]).toEqual([204, 204]);
    await view(owner, uuid);
    const views = async () => (await owner.get(`/v2/skins/${uuid}`)).body.skin?.views;
    expect(await poll(views, (count) => count !== 0)).toBe(1);
  });

  onSqlite(test)(
    'counts the networks of one IPv6 customer as one caller, and only so many views of it in a minute',
    async () => {
      const clock = new MovableClock();
      const { owner, anonymous, dataDir } = await runServer({ clock, trustProxy: 'loopback' });
      const { uuid } = await make(owner, 1);
      const { db } = await openOwnStore(dataDir);
      const skins = Array.from({ length: 70 }, (_, n) => `${n}`.padStart(32, 'f'));
      const { identity } = await db.selectFrom('skins').select('identity').executeTakeFirstOrThrow();
      for (const other of skins)
        await addSkin(db, {
          ...{ uuid: other, owner: 'ann', identity, name: null },
          visibility: 'public',
          created_at: 0,
        });
      const view = async (id: string, from: string) =>
        await anonymous().json(`/v2/skins/${id}/interactions/views`, {}, { 'x-forwarded-for': from });
      for (let n = 0; n < 5; n++) await view(uuid, `2001:db8:1:${n}::1`);
      for (const other of ['2001:db8:2::1', '192.0.2.1', '192.0.2.2']) await view(uuid, other);
      for (const other of skins) await view(other, '192.0.2.3');
      const counted = async () => await db.selectFrom('skin_views').select('skin_id').execute();
      await poll(counted, ({ length }) => length >= 64);
      await owner.json(`/v2/skins/${skins[0]}/interactions/views`, {}); // written after all others
      const rows = await poll(counted, ({ length }) => length > 64);
      expect(rows).toHaveLength(4 + 60 + 1);
      expect((await owner.get(`/v2/skins/${uuid}`)).body.skin?.views).toBe(4);
    },
  );

  onSqlite(test)('takes a request without a body', async () => {
    const { owner } = await runServer();
    const { uuid } = await make(owner, 1);
    expect((await owner.send('POST', `/v2/skins/${uuid}/interactions/views`)).status).toBe(204);
  });
});
