import { describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '../../../src/protocol/api-key.ts';
import { ROUTES } from '../../../src/server/http/routes/routes.ts';
import { PNG } from '../../support/http/sending.ts';
import { dataUrl } from '../../support/server/drawn-skins.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

const KEYS = '/v2/account/keys';
const NOBODY = '0'.repeat(32);
const PAGE = 'https://skins.example.org';
const ALL_BUT_OPERATOR = SCOPES.filter((scope) => scope !== 'operator');

/** Who calls with which key, and what the plans give: a key is told that whatever its scopes are. */
const FOR_EVERY_KEY = ['/v2/me', '/v2/me/apikey', '/v2/me/client', '/v2/account/me', '/v2/account/plans'];

interface Made {
  readonly id: string;
  readonly scopes: readonly Scope[];
  readonly caller: TestCaller;
}

/** A key made by `maker`. */
async function make({ url }: ServerUnderTest, maker: TestCaller, input: object = {}): Promise<Made> {
  const { status, body } = await maker.json(KEYS, input);
  expect(status, JSON.stringify(body)).toBe(201);
  const { id, secret, scopes = [] } = body.key!;
  return { id, scopes, caller: new TestCaller(url, { key: secret }) };
}

/** Which of a key's requests are let in: whatever comes of them otherwise, it is not the scope that forbids them. */
async function isLetIn(caller: TestCaller, method: string, path: string): Promise<boolean> {
  const address = path.replaceAll(/:\w+/g, NOBODY);
  const { status, body } = await caller.send(method as 'GET', address, {
    ...(method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }),
  });
  const texts = [body.errors?.[0]?.message, (body as unknown as { error?: string }).error];
  return !(status === 403 && texts.some((text) => /scope/.test(text ?? '')));
}

/** What the guide says that the scopes of a key allow, as far as routes ask for them; the first row that fits counts. */
const SCOPES_OF: readonly [routes: RegExp, scopes: readonly Scope[]][] = [
  [/ \/v2\/account\/(me|plans)$/, []],
  [/ \/v2\/account\/(keys|identities|accounts)\b/, ['account', 'operator']],
  [/ \/v2\/account\//, ['operator']],
  [/^GET \/v2\/me\/apikeys$/, ['account']],
  [/^POST \/(v2\/)?(queue|generate)\b|^GET \/generate\//, ['generate']],
  [/^GET \/v2\/(queue|me\/(skins|sets|set-names|players))\b/, ['read']],
  [/ \S+\/(views|report)$| \/api\/profiles\//, []],
  [/^GET /, []],
  [/^/, ['skins']],
];

/** No key with a single scope may do this. */
const FOR_TWO_SCOPES = 'PUT /api/user/profile/:uuid/:type';

describe('A scope', () => {
  test('is named by the routes for which the guide says so', () => {
    const names = ROUTES.map(({ method, paths }) => `${method} ${paths[0]}`);
    const named = ROUTES.map(({ scopes = [] }, at) => [names[at], scopes]);
    expect(named).toEqual(names.map((name) => [name, SCOPES_OF.find(([routes]) => routes.test(name))?.[1]]));
  });

  test('is required by every route that needs it, and by no other', async () => {
    const server = await runServer({ workers: 0 });
    const withScopes = ROUTES.filter(({ scopes, answers }) => scopes && answers[200] !== 'text/event-stream');
    const tried = sampled(withScopes, 3);
    const allowed: Record<string, Scope[]> = {};
    for (const scope of SCOPES) {
      const { caller } = await make(server, server.owner, { scopes: [scope] });
      for (const { method, paths } of tried) {
        const name = `${method} ${paths[0]}`;
        if (await isLetIn(caller, method, paths[0])) allowed[name] = [...(allowed[name] ?? []), scope];
      }
    }
    for (const { method, paths, scopes } of tried) {
      const name = `${method} ${paths[0]}`;
      const letIn = allowed[name] ?? [];
      if (name === FOR_TWO_SCOPES) expect(letIn).toEqual([]);
      else expect(letIn, name).not.toEqual([]);
      expect(scopes, `${method} ${paths[0]}`).toEqual(expect.arrayContaining(letIn));
    }
    const isForEverybody = (path: string) => /\/(views|report)$|^\/api\/profiles\//.test(path);
    const writing = ROUTES.filter(({ method, paths }) => method !== 'GET' && !isForEverybody(paths[0]));
    for (const { method, paths, scopes } of writing) expect(scopes, `${method} ${paths[0]}`).toBeDefined();
    const aboutCallers = ROUTES.filter(({ paths }) => /^\/(?:v2\/)?(?:queue|me|account)\b/.test(paths[0]));
    const open = aboutCallers.filter(({ scopes }) => !scopes).flatMap(({ paths }) => paths);
    expect(open).toEqual(FOR_EVERY_KEY);
  });

  test('is not enough for launcher uploads, which need two: skins and generate', async () => {
    const server = await runServer({ workers: 0 });
    const [method = '', path = ''] = FOR_TWO_SCOPES.split(' ');
    const { caller } = await make(server, server.owner, { scopes: ['skins', 'generate'] });
    expect(await isLetIn(caller, method, path)).toBe(true);
  });

  test('read is needed to see the user’s own private skins and the events', async () => {
    const server = await runServer();
    const { body } = await server.owner.upload('/v2/generate', PNG, { visibility: 'private' });
    const uuid = body.skin?.uuid;
    const maker = await make(server, server.owner, { scopes: ['generate'] });
    const reader = await make(server, server.owner, { scopes: ['read'] });
    expect((await reader.caller.get(`/v2/skins/${uuid}`)).status).toBe(200);
    for (const path of [`/v2/skins/${uuid}`, `/v2/skins/${uuid}/texture`]) {
      expectRefusal(await maker.caller.get(path), 'skin_not_found');
    }
    expect((await maker.caller.get(`/get/uuid/${uuid}`)).status).toBe(404);
    expectRefusal(await maker.caller.get('/v2/queue/events'), 'insufficient_grants');
    expectRefusal(await reader.caller.upload('/v2/queue', PNG), 'insufficient_grants');
  });

  test('read is needed to edit a private skin, since the answer reveals it, but not to delete it', async () => {
    const server = await runServer();
    const { body } = await server.owner.upload('/v2/generate', PNG, {
      name: 'secret',
      visibility: 'private',
    });
    const uuid = body.skin!.uuid;
    const { caller } = await make(server, server.owner, { scopes: ['skins'] });
    for (const edit of [{ name: 'known' }, { visibility: 'private' }, { visibility: 'public' }]) {
      expectRefusal(await caller.patch(`/v2/skins/${uuid}`, edit), 'insufficient_grants');
      expectRefusal(await caller.patch('/v2/me/skins', { skins: [uuid], ...edit }), 'insufficient_grants');
    }
    expect((await server.owner.get(`/v2/skins/${uuid}`)).body.skin).toMatchObject({
      name: 'secret',
      visibility: 'private',
    });
    const { status, body: deleted } = await caller.json('/v2/me/skins/delete', { skins: [uuid] });
    expect([status, deleted]).toMatchObject([200, { deleted: [uuid] }]);
  });

  test.each(['/v2/generate', '/v2/queue'])(
    'read is needed at %s to get a known skin’s own name instead of the name that was sent',
    async (path) => {
      const server = await runServer();
      const { owner } = server;
      await owner.upload('/v2/generate', PNG, { name: 'secret', visibility: 'private' });
      const { caller } = await make(server, owner, { scopes: ['generate'] });
      const send = async (fields: object, headers = {}) =>
        (await caller.json(path, { url: dataUrl(PNG), ...fields }, headers)).body.skin;
      const [asSent, named] = [{ name: null, visibility: 'public' }, { name: 'mine' }];
      expect(await send({ checkOnly: true })).toMatchObject(asSent);
      expect(await send({ checkOnly: true, ...named })).toMatchObject({ ...asSent, ...named });
      expect(await send({ visibility: 'private' })).toMatchObject({ name: null, visibility: 'private' });
      const key = { 'idempotency-key': 'once' };
      const skin = await send(named, key);
      await owner.patch(`/v2/skins/${skin?.uuid}`, { name: 'renamed', visibility: 'private' });
      expect(await send(named, key)).toMatchObject({ ...asSent, ...named, uuid: skin?.uuid });
      const whole = await owner.json(path, { url: dataUrl(PNG), ...named }, key);
      expect(whole.body.skin).toMatchObject({ name: 'renamed', visibility: 'private' });
    },
  );

  test('is checked before the rest of the request', async () => {
    const server = await runServer();
    const { caller } = await make(server, server.owner, { scopes: ['read'] });
    expectRefusal(await caller.json('/v2/generate', { variant: 'nonsense' }), 'insufficient_grants');
    expectRefusal(await caller.json('/v2/account/users', { nonsense: 1 }), 'insufficient_grants');
  });
});

describe('A new key', () => {
  test('has all scopes of its user; a restricted key has neither account nor operator', async () => {
    const server = await runServer();
    expect((await make(server, server.owner)).scopes).toEqual(SCOPES);
    expect((await make(server, server.owner, { user: 'bob' })).scopes).toEqual(ALL_BUT_OPERATOR);
    for (const bindings of [
      { allowedOrigins: [PAGE] },
      { allowedIps: ['::1'] },
      { allowedAgents: ['App'] },
    ]) {
      expect((await make(server, server.owner, bindings)).scopes).toEqual(['read', 'generate', 'skins']);
      const scopes = ['read', 'account'];
      expect((await make(server, server.owner, { ...bindings, scopes })).scopes).toEqual(scopes);
    }
  });

  test('cannot have an unknown scope, no scope, or the scope operator for someone else', async () => {
    const { owner } = await runServer();
    expectRefusal(await owner.json(KEYS, { scopes: ['all'] }), 'validation_error');
    expectRefusal(await owner.json(KEYS, { scopes: [] }), 'validation_error');
    expectRefusal(await owner.json(KEYS, { user: 'bob', scopes: ['operator'] }), 'insufficient_grants');
  });
});

describe('A key cannot make or change a key to be stronger, or less bound, than itself', () => {
  test("a web page's key cannot lift its restrictions, or create or revoke keys", async () => {
    const server = await runServer();
    const { id, caller } = await make(server, server.owner, { allowedOrigins: [PAGE] });
    const headers = { origin: PAGE, 'content-type': 'application/json' };
    const send = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, content: object) =>
      await caller.send(method, path, { body: JSON.stringify(content), headers });
    expectRefusal(await send('POST', KEYS, {}), 'insufficient_grants');
    expectRefusal(await send('PATCH', `${KEYS}/${id}`, { allowedOrigins: [] }), 'insufficient_grants');
    const [first] = (await server.owner.get(KEYS)).body.keys ?? [];
    expectRefusal(await send('DELETE', `${KEYS}/${first?.id}`, {}), 'insufficient_grants');
    expectRefusal(await caller.get(KEYS, { origin: PAGE }), 'insufficient_grants');
    expectRefusal(await caller.get('/v2/me/apikeys', { origin: PAGE }), 'insufficient_grants');
    expect((await caller.get('/v2/me', { origin: PAGE })).status).toBe(200);
  });

  const within = {
    allowedIps: ['127.0.0.0/8'],
    allowedAgents: ['skinsmith-tests'],
    scopes: ['read', 'account'],
  };

  test.each([
    ['a scope that it lacks', { ...within, scopes: ['read', 'generate'] }],
    ['no binding', { scopes: ['read'] }],
    ['a wider network', { ...within, allowedIps: ['0.0.0.0/0'] }],
    ['another network beside its own', { ...within, allowedIps: ['127.0.0.1', '192.0.2.1'] }],
    ['a network of the other kind', { ...within, allowedIps: ['::1'] }],
    ['any program', { ...within, allowedAgents: [] }],
    ['another program', { ...within, allowedAgents: ['Other'] }],
  ])('and is refused a key with %s', async (_, input) => {
    const server = await runServer();
    const { caller } = await make(server, server.owner, within);
    expectRefusal(await caller.json(KEYS, input), 'insufficient_grants');
    const { id } = await make(server, caller, within);
    expectRefusal(
      await caller.patch(`${KEYS}/${id}`, { allowedIps: [], allowedAgents: [], ...input }),
      'insufficient_grants',
    );
  });

  test('but can make keys as restricted as itself or more, and rename and restrict stronger keys', async () => {
    const server = await runServer();
    const { caller, id } = await make(server, server.owner, within);
    const narrow = { ...within, allowedIps: ['127.0.0.1', '127.0.0.128/25'], scopes: ['read'] };
    expect((await make(server, caller, narrow)).scopes).toEqual(['read']);
    expect((await caller.patch(`${KEYS}/${id}`, { name: 'mine' })).status).toBe(200);
    const [first] = (await server.owner.get(KEYS)).body.keys ?? [];
    expect((await caller.patch(`${KEYS}/${first?.id}`, { name: 'first' })).status).toBe(200);
    expectRefusal(await caller.patch(`${KEYS}/${id}`, { allowedIps: [] }), 'insufficient_grants');
    expectRefusal(await caller.patch(`${KEYS}/${id}`, { scopes: [...SCOPES] }), 'insufficient_grants');
  });

  test('even for another user, although an operator may create and restrict other users’ keys', async () => {
    const server = await runServer();
    const bound = { allowedIps: ['127.0.0.1'] };
    const operator = await make(server, server.owner, { ...bound, scopes: ['read', 'operator'] });
    const bobs = await make(server, operator.caller, { ...bound, user: 'bob' });
    expect(bobs.scopes).toEqual(['read']);
    for (const input of [{}, { ...bound, scopes: ['generate'] }, { allowedIps: [], scopes: ['read'] }])
      expectRefusal(await operator.caller.json(KEYS, { ...input, user: 'bob' }), 'insufficient_grants');
    const free = await make(server, server.owner, { user: 'bob' });
    expect((await operator.caller.patch(`${KEYS}/${free.id}`, { scopes: ['read'] })).status).toBe(200);
    for (const change of [{ scopes: ['generate'] }, { allowedIps: [] }])
      expectRefusal(await operator.caller.patch(`${KEYS}/${bobs.id}`, change), 'insufficient_grants');
    const only = await make(server, server.owner, { scopes: ['operator'] });
    expectRefusal(await only.caller.json(KEYS, { user: 'bob' }), 'insufficient_grants'); // it has nothing to give
    expectRefusal(await operator.caller.json(KEYS, {}), 'insufficient_grants'); // its own go by account
    const account = await make(server, server.owner, { scopes: ['account'] });
    expectRefusal(await account.caller.json(KEYS, { user: 'bob' }), 'insufficient_grants');
    expectRefusal(await account.caller.get('/v2/account/users'), 'insufficient_grants');
    expectRefusal(await account.caller.get('/metrics'), 'insufficient_grants');
    expectRefusal(await account.caller.patch(`${KEYS}/${bobs.id}`, { name: 'x' }), 'not_found');
  });
});

test('Only the owner gives the scope operator to other operators’ keys, because their role may end', async () => {
  const server = await runServer();
  for (const name of ['ann', 'bob']) await server.user(name);
  const { db } = await openOwnStore(server.dataDir);
  await db.updateTable('users').set({ role: 'operator' }).where('name', 'in', ['ann', 'bob']).execute();
  const { caller: anns } = await make(server, server.owner, { user: 'ann', scopes: [...SCOPES] });
  for (const user of ['bob', 'owner'])
    expectRefusal(await anns.json(KEYS, { user, scopes: ['operator'] }), 'insufficient_grants');
  const bound = { user: 'bob', allowedIps: ['192.0.2.1'], scopes: ['operator'] };
  const bobs = await make(server, server.owner, bound);
  expectRefusal(await anns.patch(`${KEYS}/${bobs.id}`, { allowedIps: [] }), 'insufficient_grants');
  expect((await anns.patch(`${KEYS}/${bobs.id}`, { name: 'office' })).status).toBe(200);
  expect((await anns.json(KEYS, { user: 'bob' })).status).toBe(201);
  expect((await anns.send('DELETE', `${KEYS}/${bobs.id}`)).status).toBe(200);
  expect((await make(server, anns, { scopes: ['operator'] })).scopes).toEqual(['operator']); // her own
});

test("The operators' log records what they do to other users' keys", async () => {
  const server = await runServer();
  const { id } = await make(server, server.owner, { user: 'bob', name: 'laptop' });
  await server.owner.patch(`${KEYS}/${id}`, { scopes: ['read'] });
  await server.owner.send('DELETE', `${KEYS}/${id}`);
  await make(server, server.owner, { name: 'mine' });
  const { entries = [] } = (await server.owner.get('/v2/account/log')).body;
  expect(entries.map(({ action, subject, note }) => [action, subject, note])).toEqual([
    ['revoke_key', 'bob', `laptop (${id})`],
    ['change_key', 'bob', `laptop (${id})`],
    ['create_key', 'bob', `laptop (${id})`],
  ]);
});

test('The scopes of a key are listed with it, and can be changed', async () => {
  const server = await runServer();
  const { id, caller } = await make(server, server.owner, {
    user: 'bob',
    scopes: ['read', 'account', 'read'],
  });
  expect((await caller.get(KEYS)).body.keys).toMatchObject([{ scopes: ['read', 'account'] }]);
  await server.owner.patch(`${KEYS}/${id}`, { scopes: ['generate'] });
  expectRefusal(await caller.get('/v2/queue'), 'insufficient_grants');
  const { db } = await openOwnStore(server.dataDir);
  const row = await db.selectFrom('api_keys').select('scopes').where('id', '=', id).executeTakeFirst();
  expect(row?.scopes).toBe('["generate"]');
});
