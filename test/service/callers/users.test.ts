import { describe, expect, test } from 'vitest';
import type { Invitation, User } from '../../../src/protocol/user.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const USERS = '/v2/account/users';

const userIn = ({ body }: Heard) => body.user as unknown as User;
const names = ({ body }: Heard) => body.users?.map(({ name }) => name);

describe('Users', () => {
  test('are made by the operator, on the plan free unless another is named', async () => {
    const { owner } = await runServer();
    const made = await owner.json(USERS, { name: 'bob' });
    expect([made.status, userIn(made)]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        name: 'bob',
        role: 'user',
        plan: 'free',
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        keys: 0,
      },
    ]);
    expect(userIn(await owner.json(USERS, { name: 'ann', plan: 'pro' })).plan).toBe('pro');
    expect((await owner.get(`${USERS}/bob`)).body).toMatchObject({ user: userIn(made) });
  });

  test('are created only once, even by two simultaneous requests', async () => {
    const { owner } = await runServer();
    const both = await Promise.all([1, 2].map(() => owner.json(USERS, { name: 'bob' })));
    const [made, refused] = both.toSorted((a, b) => a.status - b.status);
    expect(made?.status).toBe(201);
    expectRefusal(refused!, 'invalid_request');
    expect(names(await owner.get(USERS))).toEqual(['bob', 'owner']);
  });

  test('are listed by name, page by page, even if others join in the meantime', async () => {
    const { owner } = await runServer();
    for (const name of ['dan', 'bob', 'cat']) await owner.json(USERS, { name });
    const first = await owner.get(`${USERS}?size=2`);
    expect(names(first)).toEqual(['bob', 'cat']);
    await owner.json(USERS, { name: 'ann' });
    const second = await owner.get(String(first.body.links['next']));
    expect(names(second)).toEqual(['dan', 'owner']);
    const third = await owner.get(String(second.body.links['next']));
    expect([names(third), third.body.links['next']]).toEqual([[], undefined]);
  });

  test('are shown with their number of keys', async () => {
    const { owner, user } = await runServer();
    const bob = await user('bob');
    const { body } = await bob.json('/v2/account/keys', {});
    expect(userIn(await owner.get(`${USERS}/bob`)).keys).toBe(2);
    await bob.send('DELETE', `/v2/account/keys/${body.key?.id}`);
    expect((await owner.get(USERS)).body.users?.map(({ keys }) => keys)).toEqual([1, 1]);
  });

  test('get a changed plan from the next request on', async () => {
    const { owner, user } = await runServer();
    const bob = await user('bob');
    expect((await bob.get('/v2/me')).body.grants).toMatchObject({ plan: 'free', private_skins: false });
    expect(userIn(await owner.patch(`${USERS}/bob`, { plan: 'plus' })).plan).toBe('plus');
    expect((await bob.get('/v2/me')).body.grants).toMatchObject({ plan: 'plus', private_skins: true });
  });

  test('that are disabled are refused with every key, until they are enabled', async () => {
    const { owner, user } = await runServer();
    const bob = await user('bob');
    const disabled = userIn(await owner.patch(`${USERS}/bob`, { disabled: true }));
    expect(disabled.disabledAt).toMatch(/Z$/);
    const again = userIn(await owner.patch(`${USERS}/bob`, { disabled: true, plan: 'lite' }));
    expect(again).toMatchObject({ disabledAt: disabled.disabledAt, plan: 'lite' });
    for (const path of ['/v2/me', '/v2/skins', '/v2/account/keys']) {
      const heard = await bob.get(path);
      expectRefusal(heard, 'invalid_api_key');
      expect(heard.body.errors[0]?.message).toContain('disabled');
    }
    expect(userIn(await owner.patch(`${USERS}/bob`, { disabled: false }))).not.toHaveProperty('disabledAt');
    expect((await bob.get('/v2/me')).body.grants).toMatchObject({ plan: 'lite' });
  });
});

describe('An invitation', () => {
  const invite = async (owner: TestCaller, name = 'bob') => {
    const { status, body } = await owner.send('POST', `${USERS}/${name}/invitation`);
    expect(status).toBe(201);
    return body as unknown as { invitation: Invitation };
  };
  const follow = async ({ invitation: { link } }: { invitation: Invitation }) =>
    await fetch(link, { redirect: 'manual', headers: { 'sec-fetch-site': 'none', accept: 'text/html' } });

  test('signs its user in once, within seven days, and replaces the previous invitation', async () => {
    const clock = new MovableClock();
    const { owner } = await runServer({ clock });
    await owner.json(USERS, { name: 'bob' });
    const before = await invite(owner);
    const made = await invite(owner);
    expect(Date.parse(made.invitation.expiresAt) - clock.now()).toBe(7 * 24 * 3_600_000);
    expect((await owner.get(`${USERS}/bob`)).body).toMatchObject({
      user: { name: 'bob', invitedUntil: made.invitation.expiresAt },
    });
    const answers = [await follow(before), await follow(made), await follow(made)];
    expect(answers.map(({ status }) => status)).toEqual([410, 303, 410]);
    const { user } = (await owner.get(`${USERS}/bob`)).body as unknown as { user: User };
    expect([user.invitedUntil, user.lastUsedAt]).toEqual([undefined, new Date(clock.now()).toISOString()]);
    const late = await invite(owner);
    clock.forward(7 * 24 * 3_600_000);
    expect((await owner.get(USERS)).body.users?.[0]).not.toHaveProperty('invitedUntil');
    expect((await follow(late)).status).toBe(410);
  });

  test('can be revoked, and is refused for the owner and for disabled users', async () => {
    const { owner } = await runServer();
    await owner.json(USERS, { name: 'bob' });
    const made = await invite(owner);
    expect((await owner.send('DELETE', `${USERS}/bob/invitation`)).status).toBe(200);
    expect((await follow(made)).status).toBe(410);
    const second = await invite(owner);
    expect(userIn(await owner.patch(`${USERS}/bob`, { disabled: true }))).not.toHaveProperty('invitedUntil');
    expect((await follow(second)).status).toBe(410);
    for (const name of ['bob', 'owner'])
      expectRefusal(await owner.send('POST', `${USERS}/${name}/invitation`), 'invalid_request');
    expectRefusal(await owner.send('POST', `${USERS}/nobody/invitation`), 'user_not_found');
    expectRefusal(await owner.send('DELETE', `${USERS}/nobody/invitation`), 'user_not_found');
  });

  test('is logged, and so is its revocation', async () => {
    const { owner } = await runServer();
    await owner.json(USERS, { name: 'bob' });
    await invite(owner);
    await owner.send('DELETE', `${USERS}/bob/invitation`);
    const { entries } = (await owner.get('/v2/account/log')).body as unknown as { entries: object[] };
    expect(entries).toMatchObject([
      { action: 'revoke_invitation', subject: 'bob' },
      { action: 'invite_user', subject: 'bob' },
      {},
    ]);
  });
});

describe('The account manager', () => {
  const forOperators: [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, content?: object][] = [
    ['GET', USERS],
    ['GET', `${USERS}/owner`],
    ['POST', USERS, { name: 'ann' }],
    ['PATCH', `${USERS}/bob`, { plan: 'pro' }],
    ['POST', `${USERS}/bob/invitation`],
    ['DELETE', `${USERS}/bob/invitation`],
  ];
  onSqlite(test)('shows and changes users for operators alone', async () => {
    const { anonymous, user } = await runServer();
    const bob = await user('bob');
    for (const [method, path, content] of forOperators) {
      const request = content
        ? { body: JSON.stringify(content), headers: { 'content-type': 'application/json' } }
        : {};
      expectRefusal(await bob.send(method, path, request), 'insufficient_grants');
      expectRefusal(await anonymous().send(method, path, request), 'unauthorized');
    }
  });

  const refused: [what: string, code: Parameters<typeof expectRefusal>[1], path: string, content: object][] =
    [
      ['a user of no such plan', 'invalid_request', '', { name: 'ann', plan: 'gold' }],
      ['a user with a slash', 'validation_error', '', { name: 'a/b' }],
      ['a user without a name', 'validation_error', '', {}],
      ['a user who operates', 'validation_error', '', { name: 'ann', role: 'operator' }],
      ['a change of nothing', 'validation_error', '/owner', {}],
      ['a change to no such plan', 'invalid_request', '/owner', { plan: 'gold' }],
      ['a change of nobody', 'user_not_found', '/nobody', { plan: 'pro' }],
      ['that operators disable themselves', 'invalid_request', '/owner', { disabled: true }],
    ];
  onSqlite(test).each(refused)('refuses %s', async (_, code, path, content) => {
    const { owner } = await runServer();
    const heard = path === '' ? await owner.json(USERS, content) : await owner.patch(USERS + path, content);
    expectRefusal(heard, code);
    expect(names(await owner.get(USERS))).toEqual(['owner']);
  });

  onSqlite(test)('reveals nobody', async () => {
    const { owner } = await runServer();
    expectRefusal(await owner.get(`${USERS}/nobody`), 'user_not_found');
    expectRefusal(await owner.get(`${USERS}?size=129`), 'validation_error');
  });

  test("returns the caller's plan and usage", async () => {
    const { user, anonymous } = await runServer({ workers: 0 });
    const bob = await user('bob');
    await bob.upload('/v2/queue', skinPng(1));
    await bob.upload('/v2/queue', skinPng(2));
    const { status, body } = await bob.get('/v2/account/me');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'bob',
      role: 'user',
      plan: { name: 'free', queue: 5, per_minute: 60, delay: 1, private_skins: false },
      usage: { minute: 2, hour: 2, pending: 2, keys: 1 },
    });
    expectRefusal(await anonymous().get('/v2/account/me'), 'unauthorized');
  });

  onSqlite(test)('lists the plans there are', async () => {
    const { owner, anonymous } = await runServer();
    const { plans } = (await owner.get('/v2/account/plans')).body;
    expect(plans?.map(({ name }) => name)).toEqual([
      'anonymous',
      'free',
      'lite',
      'basic',
      'plus',
      'pro',
      'owner',
    ]);
    expect(plans?.[1]).toMatchObject({ name: 'free', queue: 5, capes: false });
    expectRefusal(await anonymous().get('/v2/account/plans'), 'unauthorized');
  });
});
