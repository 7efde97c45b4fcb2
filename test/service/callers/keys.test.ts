import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const KEYS = '/v2/account/keys';

/** A key of bob's, made by the operator, with the requested settings. */
async function makeKey(
  { owner }: ServerUnderTest,
  input: object = {},
): Promise<{ id: string; secret: string }> {
  const { status, body } = await owner.json(KEYS, { user: 'bob', ...input });
  expect(status).toBe(201);
  return { id: String(body.key?.id), secret: String(body.key?.secret) };
}

function expectNotAllowed(heard: Heard, message: string): void {
  expectRefusal(heard, 'invalid_api_key');
  expect(heard.body.errors[0]?.message).toBe(message);
}

describe('A key that is bound', () => {
  onSqlite(test)('to a network is refused outside it', async () => {
    const server = await runServer();
    const { secret: key } = await makeKey(server, { allowedIps: ['127.0.0.2/31', '2001:db8::/32'] });
    const from = (address: string) => new TestCaller(server.url, { key, address });
    for (const address of ['127.0.0.2', '127.0.0.3'])
      expect((await from(address).get('/v2/me')).status).toBe(200);
    for (const address of ['127.0.0.1', '127.0.0.4']) {
      expectNotAllowed(await from(address).get('/v2/me'), 'Client not allowed');
    }
  });

  onSqlite(test)('to an origin needs it in each request', async () => {
    const server = await runServer();
    const { secret: key } = await makeKey(server, { allowedOrigins: ['https://skins.example.org'] });
    const caller = new TestCaller(server.url, { key });
    expect((await caller.get('/v2/me', { origin: 'https://skins.example.org' })).status).toBe(200);
    expectNotAllowed(await caller.get('/v2/me'), 'Origin not allowed');
    expectNotAllowed(await caller.get('/v2/me', { origin: 'https://evil.example' }), 'Origin not allowed');
  });

  onSqlite(test)('to an agent uses either header that names one', async () => {
    const server = await runServer();
    const { secret: key } = await makeKey(server, { allowedAgents: ['MyApp'] });
    const caller = new TestCaller(server.url, { key });
    expect((await caller.get('/v2/me', { 'user-agent': 'MyApp/1.0' })).status).toBe(200);
    expect((await caller.get('/v2/me', { 'mineskin-user-agent': 'MyApp/2.0' })).status).toBe(200);
    expectNotAllowed(await caller.get('/v2/me', { 'user-agent': 'Other/1.0' }), 'Agent not allowed');
    expectNotAllowed(await caller.get('/v2/me', { 'user-agent': '' }), 'Agent not allowed');
  });

  test('does not count refused requests as use', async () => {
    const server = await runServer();
    const { secret: key } = await makeKey(server, { allowedAgents: ['MyApp'] });
    await new TestCaller(server.url, { key }).get('/v2/me');
    const { body } = await server.owner.get(`${KEYS}?user=bob`);
    expect(body.keys?.[0]).not.toHaveProperty('lastUsedAt');
  });
});

test('A key counts the new skins requested with it, and no others', async () => {
  const server = await runServer();
  const { secret: key } = await makeKey(server);
  const bob = new TestCaller(server.url, { key });
  for (const number of [1, 1, 2]) await bob.upload('/v2/generate', skinPng(number));
  await bob.upload('/v2/generate', Buffer.from('no picture'));
  expect((await bob.get(KEYS)).body.keys?.map(({ generations }) => generations)).toEqual([2]);
  expect((await server.owner.get(KEYS)).body.keys?.map(({ generations }) => generations)).toEqual([0]);
});

onSqlite(test)(
  'A form that says what a key is bound to is refused, and makes none that is bound to nothing',
  async () => {
    const { owner } = await runServer();
    const form = new FormData();
    form.set('name', 'ci');
    form.set('allowedIps', '192.0.2.1');
    expectRefusal(await owner.form(KEYS, form), 'invalid_content_type');
    expect((await owner.get(KEYS)).body.keys).toHaveLength(1);
  },
);

describe('The text of a key', () => {
  const SECRET = '0123456789abcdef'.repeat(4);

  test('may be chosen by the operator, and then allows only making skins', async () => {
    const server = await runServer();
    expect((await makeKey(server, { secret: SECRET })).secret).toBe(SECRET);
    const plugin = new TestCaller(server.url, { key: SECRET });
    expect((await plugin.upload('/v2/generate', skinPng(1))).status).toBe(200);
    expectRefusal(await plugin.get(KEYS), 'insufficient_grants');
  });

  onSqlite(test)('is given by nobody else', async () => {
    const server = await runServer();
    const bob = await server.user('bob');
    expectRefusal(await bob.json(KEYS, { secret: SECRET }), 'insufficient_grants');
  });

  test('belongs to one key only, even after it is revoked', async () => {
    const server = await runServer();
    const { id } = await makeKey(server, { secret: SECRET });
    expectRefusal(await server.owner.json(KEYS, { user: 'ann', secret: SECRET }), 'invalid_request');
    await server.owner.send('DELETE', `${KEYS}/${id}`);
    expectRefusal(await server.owner.json(KEYS, { user: 'ann', secret: SECRET }), 'invalid_request');
  });

  onSqlite(test).each(['', SECRET.slice(1), 'a'.repeat(129), `${SECRET} `, `${SECRET}é`])(
    'is not %j',
    async (secret) => {
      const { owner } = await runServer();
      expectRefusal(await owner.json(KEYS, { secret }), 'validation_error');
    },
  );
});

describe('A key is changed', () => {
  test('by its owner, who sends only the changed fields', async () => {
    const server = await runServer();
    const { id, secret: key } = await makeKey(server, {
      name: 'ci',
      allowedIps: ['127.0.0.1'],
      scopes: ['read', 'account'],
    });
    const bob = new TestCaller(server.url, { key });
    const { status, body } = await bob.patch(`${KEYS}/${id}`, { name: 'cd', v2Compat: true });
    expect([status, body.key]).toEqual([
      200,
      expect.objectContaining({ id, name: 'cd', user: 'bob', allowedIps: ['127.0.0.1'], v2Compat: true }),
    ]);
    expect((await bob.get(KEYS)).body.keys?.[0]).toMatchObject({ name: 'cd', v2Compat: true });
  });

  test('with effect from the next request, and an empty list removes a restriction', async () => {
    const server = await runServer();
    const { id, secret: key } = await makeKey(server);
    const bob = new TestCaller(server.url, { key });
    await bob.patch(`${KEYS}/${id}`, { allowedIps: ['192.0.2.1'] });
    expectNotAllowed(await bob.get('/v2/me'), 'Client not allowed');
    expect((await server.owner.patch(`${KEYS}/${id}`, { allowedIps: [] })).status).toBe(200);
    expect((await bob.get('/v2/me')).status).toBe(200);
  });

  onSqlite(test)('by no other caller, and not once it is revoked', async () => {
    const server = await runServer();
    const [{ id }, ann] = [await makeKey(server), await server.user('ann')];
    expectRefusal(await ann.patch(`${KEYS}/${id}`, { name: 'mine' }), 'not_found');
    expectRefusal(await server.anonymous().patch(`${KEYS}/${id}`, { name: 'mine' }), 'unauthorized');
    await server.owner.send('DELETE', `${KEYS}/${id}`);
    expectRefusal(await server.owner.patch(`${KEYS}/${id}`, { name: 'late' }), 'not_found');
  });

  onSqlite(test).each([
    [{}],
    [{ name: '' }],
    [{ name: 'a\u001bb' }],
    [{ name: 'a'.repeat(65) }],
    [{ hash: 'x' }],
    [{ user: 'ann' }],
    [{ v2Compat: 'yes' }],
    [{ allowedIps: ['x'] }],
  ])('but not to %j', async (change) => {
    const server = await runServer();
    const { id } = await makeKey(server);
    expectRefusal(await server.owner.patch(`${KEYS}/${id}`, change), 'validation_error');
  });
});

describe('Keys', () => {
  test('are limited to 100 per user, however many are created at once; a revoked one makes room', async () => {
    const server = await runServer();
    const bob = await server.user('bob');
    const more = await Promise.all(Array.from({ length: 104 }, () => bob.json(KEYS, {})));
    const [made, refused] = [201, 400].map((wanted) => more.filter(({ status }) => status === wanted));
    expect([made?.length, refused?.length]).toEqual([99, 5]);
    expectRefusal(refused![0]!, 'invalid_request');
    expect((await server.owner.json(KEYS, {})).status).toBe(201);
    await bob.send('DELETE', `${KEYS}/${made?.[0]?.body.key?.id}`);
    expect((await bob.json(KEYS, {})).status).toBe(201);
  });

  test('are revoked only once, even by two simultaneous requests', async () => {
    const server = await runServer();
    const { id } = await makeKey(server);
    const both = await Promise.all([1, 2].map(() => server.owner.send('DELETE', `${KEYS}/${id}`)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });

  onSqlite(test)(
    'are secret: neither the key nor its hash is in any answer but the one that makes it',
    async () => {
      const server = await runServer();
      const { id, secret: key } = await makeKey(server);
      const hash = createHash('sha256').update(key).digest('hex');
      const bob = new TestCaller(server.url, { key });
      const answers = [
        await bob.get('/v2/me'),
        await bob.get('/v2/account/me'),
        await bob.get(KEYS),
        await bob.patch(`${KEYS}/${id}`, { name: 'renamed' }),
        await server.owner.get(`${KEYS}?user=bob`),
        await server.owner.get('/v2/account/users'),
        await server.owner.get('/v2/account/users/bob'),
        await bob.get(`/v2/${key}`),
        await bob.send('DELETE', `${KEYS}/${id}`),
      ];
      for (const { bytes } of answers) {
        expect(bytes.toString()).not.toContain(key.slice(5, 40));
        expect(bytes.toString()).not.toContain(hash);
        expect(bytes.toString()).not.toMatch(/"(hash|secret)"/);
      }
    },
  );

  test('never appear in the log, even at level debug', async () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const server = await runServer({ logLevel: 'debug' });
    const { id, secret: key } = await makeKey(server);
    const bob = new TestCaller(server.url, { key });
    for (const path of ['/v2/me', `/v2/me?key=${key}`, '/v2/nothing']) await bob.get(path);
    await bob.patch(`${KEYS}/${id}`, { allowedAgents: ['Other'] });
    await bob.get('/v2/me');
    await server.close();
    const log = said.mock.calls.map(([line]) => String(line)).join('');
    said.mockRestore();
    expect(log).toContain('/v2/account/keys');
    for (const secret of [key, String(server.key)]) expect(log).not.toContain(secret.slice(5, 40));
  });
});
