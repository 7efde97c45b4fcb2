import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/protocol/errors.ts';
import { PublishedContract } from '../../support/http/published-contract.ts';
import { runEmbedded } from '../../support/server/embedded-service.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const contract = new PublishedContract();

describe('A caller asks about itself', () => {
  test('and gets its current key, as published, and no other', async () => {
    const { owner, url } = await runServer();
    const bindings = { allowedIps: ['127.0.0.0/8'], allowedOrigins: ['https://a.example'] };
    const { key } = (await owner.json('/v2/account/keys', { user: 'bob', name: 'ci', ...bindings })).body;
    await owner.json('/v2/account/keys', { user: 'bob', name: 'other' });
    const bob = new TestCaller(url, { key: key?.secret });
    const heard = await bob.get('/v2/me/apikey', { origin: 'https://a.example' });
    expect(heard.body.key).toEqual({
      id: key?.id,
      name: 'ci',
      user: expect.stringMatching(/^[0-9a-f]{32}$/),
      createdAt: key?.createdAt,
      ...bindings,
      allowedAgents: [],
      useCredits: false,
    });
    expect(contract.faults('get /v2/me/apikey', heard.status, heard.body)).toEqual([]);
  });

  test('and gets all its keys that are not revoked, without their secrets', async () => {
    const { owner, user } = await runServer();
    const bob = await user('bob');
    const { key: second } = (await bob.json('/v2/account/keys', { name: 'second' })).body;
    const { key: third } = (await bob.json('/v2/account/keys', { name: 'third' })).body;
    await bob.send('DELETE', `/v2/account/keys/${second?.id}`);
    const { body, bytes } = await bob.get('/v2/me/apikeys');
    expect(body.keys?.map(({ name }) => name)).toEqual(['key', 'third']);
    expect(bytes.toString()).not.toContain(third?.secret?.slice(-4));
    expect((await owner.get('/v2/me/apikeys')).body.keys?.map(({ name }) => name)).toEqual(['first key']);
  });

  test('and gets its address, agent and user as the service sees them, in the published form', async () => {
    const { owner } = await runServer();
    const { user } = (await owner.get('/v2/me')).body;
    const { key } = (await owner.get('/v2/me/apikey')).body;
    const heard = await owner.get('/v2/me/client', { origin: 'https://a.example' });
    expect(heard.body.client).toEqual({
      agent: 'skinsmith-tests',
      origin: 'https://a.example',
      key: key?.id,
      user,
      ip: '127.0.0.1',
      billable: false,
    });
    expect(contract.faults('get /v2/me/client', heard.status, heard.body)).toEqual([]);
    const named = await owner.get('/v2/me/client', { 'mineskin-user-agent': 'MyApp/2 (a browser)' });
    expect(named.body.client).toMatchObject({ agent: 'MyApp' });
    expect((await owner.get('/v2/me/client', { 'user-agent': '' })).body.client).not.toHaveProperty('agent');
  });

  test('and gets links to further addresses', async () => {
    const { owner } = await runServer();
    const { links } = (await owner.get('/v2/me')).body;
    expect(Object.keys(links).toSorted()).toEqual(['client', 'key', 'self', 'skins']);
    for (const address of Object.values(links)) expect((await owner.get(address)).status).toBe(200);
  });

  test.each<[string, ErrorCode]>([
    ['/v2/me', 'user_not_found'],
    ['/v2/me/apikey', 'user_not_found'],
    ['/v2/me/apikeys', 'unauthorized'],
  ])('and %s without a key is refused with %s', async (path, code) => {
    const { anonymous } = await runServer();
    expectRefusal(await anonymous().get(path), code);
  });

  test('and gets its address and agent as the service sees them, also without a key', async () => {
    const { anonymous } = await runServer();
    const heard = await anonymous().get('/v2/me/client');
    expect(heard.body.client).toEqual({ agent: 'skinsmith-tests', ip: '127.0.0.1', billable: false });
  });

  test('and learns that the owner of an embedded service has no key', async () => {
    const { ask } = await runEmbedded();
    const { user, links } = (await ask('/v2/me')).body;
    expect(links).not.toHaveProperty('key');
    const heard = await ask('/v2/me/apikey');
    expectRefusal(heard, 'not_found');
    expect(heard.body.errors[0]?.message).toContain('embedded');
    expect((await ask('/v2/me/client')).body.client).toEqual({
      agent: 'skinsmith-tests',
      user,
      ip: '127.0.0.1',
      billable: false,
    });
  });
});
