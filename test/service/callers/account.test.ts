import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../../../src/base/version.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const UNBOUND = {
  allowedIps: [],
  allowedOrigins: [],
  allowedAgents: [],
  v2Compat: false,
  scopes: ['read', 'generate', 'skins', 'account'],
};

describe('API keys', () => {
  test("the owner's first key comes with the first start and never again", async () => {
    const first = await runServer();
    expect(first.key).toMatch(/^sksm_[0-9a-f]{64}$/);
    await first.close();
    const second = await runServer({ dataDir: first.dataDir });
    expect(second.key).toBeUndefined();
    const owner = new TestCaller(second.url, { key: first.key });
    expect((await owner.get('/v2/me')).body).toMatchObject({ name: 'owner', grants: { plan: 'owner' } });
  });

  test("include the owner's first key only after a start that succeeded", async () => {
    const other = await runServer();
    const dataDir = await ownFolder();
    const port = Number(new URL(other.url).port);
    await expect(runServer({ dataDir, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect((await runServer({ dataDir })).key).toMatch(/^sksm_/);
  });

  test('an operator creates one for a new user, who may then create more', async () => {
    const { owner, url } = await runServer();
    const made = await owner.json('/v2/account/keys', { name: 'ci', user: 'bob' });
    expect(made.status).toBe(201);
    expect(made.body.key).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'ci',
      generations: 0,
      user: 'bob',
      last4: made.body.key?.secret?.slice(-4),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      ...UNBOUND,
      secret: expect.stringMatching(/^\S{64,}$/),
    });
    const bob = new TestCaller(url, { key: made.body.key?.secret });
    expect((await bob.get('/v2/me')).body).toMatchObject({ name: 'bob', grants: { plan: 'free', queue: 5 } });
    expect((await bob.json('/v2/account/keys', {})).body.key).toMatchObject({ user: 'bob', name: 'key' });
    expect((await bob.json('/v2/account/keys', { user: 'bob' })).status).toBe(201);
  });

  test('are listed without the secret: a caller sees its own keys, and an operator the keys of others', async () => {
    const { owner, user } = await runServer();
    const bob = await user('bob');
    await bob.get('/v2/me');
    const own = (await bob.get('/v2/account/keys')).body.keys;
    expect(own).toEqual([
      {
        id: expect.any(String),
        name: 'key',
        user: 'bob',
        last4: expect.stringMatching(/^[0-9a-f]{4}$/),
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
        generations: 0,
        ...UNBOUND,
      },
    ]);
    expect((await owner.get('/v2/account/keys?user=bob')).body.keys).toEqual(own);
    expect((await owner.get('/v2/account/keys')).body.keys?.map(({ name }) => name)).toEqual(['first key']);
  });

  test('are revoked by their owner or an operator, and by nobody else', async () => {
    const { owner, user } = await runServer();
    const [bob, ann] = [await user('bob'), await user('ann')];
    const id = (await bob.get('/v2/account/keys')).body.keys?.[0]?.id;
    expect((await ann.send('DELETE', `/v2/account/keys/${id}`)).status).toBe(404);
    expect((await bob.get('/v2/me')).status).toBe(200);
    const gone = await bob.send('DELETE', `/v2/account/keys/${id}`);
    expect([gone.status, gone.body.messages[0]?.code]).toEqual([200, 'key_revoked']);
    expect((await bob.get('/v2/me')).status).toBe(403);
    expect((await owner.send('DELETE', `/v2/account/keys/${id}`)).status).toBe(404);
  });

  test('are stored only as hashes', async () => {
    const { owner, key, close, dataDir } = await runServer();
    const secret = (await owner.json('/v2/account/keys', {})).body.key?.secret ?? '';
    await close();
    const bytes = await readFile(join(dataDir, 'skinsmith.db'));
    for (const one of [secret, key ?? '']) {
      expect(one.length).toBeGreaterThanOrEqual(64);
      expect(bytes.includes(one)).toBe(false);
      expect(bytes.includes(one.slice(5))).toBe(false);
    }
  });
});

describe('Who and what the service is', () => {
  test('GET /v2/me returns the caller and the limits left', async () => {
    const { owner } = await runServer();
    const { status, body } = await owner.get('/v2/me');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      user: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'owner',
      grants: {
        delay: 0,
        per_minute: 60_000,
        per_hour: 2_000_000,
        concurrency: 64,
        priority: 12,
        queue: 5,
        ad_free: true,
        private_skins: true,
        early_access: true,
        batch_generation: true,
        capes: true,
        plan: 'owner',
      },
      rateLimit: { limit: { used: 0 } },
    });
  });

  test('GET /v2/delay returns the limits at the top level, in rateLimit and in headers', async () => {
    const { owner } = await runServer();
    const { body, headers } = await owner.get('/v2/delay');
    expect(body).toMatchObject(body.rateLimit!);
    expect(headers['x-ratelimit-limit']).toBe(String(body.rateLimit?.limit.limit));
  });

  test('GET /health answers every caller', async () => {
    const { anonymous } = await runServer();
    const { status, body } = await anonymous().get('/health', { authorization: 'Bearer nonsense' });
    expect([status, body]).toEqual([200, { status: 'ok', version: VERSION }]);
  });

  test('GET / returns the key document, with the key in SPKI format', async () => {
    const { anonymous } = await runServer();
    const { body } = await anonymous().get('/');
    expect(body).toEqual({
      meta: { serverName: 'skinsmith', implementationName: 'skinsmith', implementationVersion: VERSION },
      skinDomains: ['127.0.0.1'],
      signaturePublickey: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
    });
  });

  test('An address with a slash at its end is the same address', async () => {
    const { owner } = await runServer();
    expect((await owner.get('/v2/me/')).body.name).toBe('owner');
  });
});
