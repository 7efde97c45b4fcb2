import { describe, expect, test } from 'vitest';
import type { AccountClient } from '../../src/client/account-client.ts';
import { testClient } from '../support/client/test-client.ts';

const key = {
  id: 'k',
  name: 'ci',
  user: 'aa',
  last4: 'wxyz',
  createdAt: '2026-01-01T00:00:00.000Z',
  allowedIps: ['203.0.113.7'],
  allowedOrigins: [],
  allowedAgents: [],
  v2Compat: true,
};
const user = {
  id: 'ab',
  name: 'bob',
  role: 'user',
  plan: 'free',
  createdAt: '2026-01-01T00:00:00.000Z',
  keys: 1,
};
const limits = { queue: 5, per_minute: 60, per_hour: 1500, delay: 1, concurrency: 1, priority: 2 };
const grants = {
  ad_free: false,
  private_skins: false,
  early_access: false,
  batch_generation: false,
  capes: false,
};
const plan = { name: 'free', ...limits, ...grants };
const account = {
  user: 'ab',
  name: 'bob',
  role: 'user',
  plan,
  usage: { minute: 1, hour: 2, pending: 3, keys: 4 },
};

const invitation = {
  link: 'https://skins.example/ui/sign-in/link?secret=x',
  expiresAt: '2026-01-08T00:00:00.000Z',
};

const diagnosis = {
  publicUrl: 'https://skins.example',
  generator: { kind: 'signing', findings: [{ code: 'signing_key', result: 'ok', message: 'It signs.' }] },
  store: { findings: [] },
};

type Call = (client: AccountClient) => Promise<unknown>;

describe('AccountClient', () => {
  const reads: [line: string, json: object, call: Call, read: unknown][] = [
    ['GET /v2/account/me', account, (client) => client.me(), { success: true, ...account }],
    ['GET /v2/account/doctor', diagnosis, (client) => client.diagnosis(), { success: true, ...diagnosis }],
    ['GET /v2/account/plans', { plans: [plan] }, (client) => client.plans(), [plan]],
    ['GET /v2/account/keys', { keys: [key] }, (client) => client.keys(), [key]],
    ['GET /v2/account/keys?user=a%26b', { keys: [] }, (client) => client.keys('a&b'), []],
    [
      'POST /v2/me/skins/delete',
      { deleted: ['a'], missing: ['b'] },
      (client) => client.deleteSkins(['a', 'b']),
      { done: ['a'], missing: ['b'] },
    ],
    [
      'PATCH /v2/me/skins',
      { skins: [{ uuid: 'a' }], missing: [] },
      (client) => client.editSkins(['a'], { name: 'b' }),
      { done: ['a'], missing: [], skins: [{ uuid: 'a' }] },
    ],
    ['GET /v2/skins/a/similar', { skins: [] }, (client) => client.similarSkins('a'), []],
    ['DELETE /v2/account/keys/k%2F1', {}, (client) => client.revokeKey('k/1'), undefined],
    ['GET /v2/account/identities', { identities: [] }, (client) => client.identities(), []],
    ['GET /v2/account/identities?user=a%26b', { identities: [] }, (client) => client.identities('a&b'), []],
    ['DELETE /v2/account/identities/i?last=no', {}, (client) => client.unlinkIdentity('i'), undefined],
    [
      'DELETE /v2/account/identities/i?last=yes&user=bob',
      {},
      (client) => client.unlinkIdentity('i', { user: 'bob', mayBeLast: true }),
      undefined,
    ],
    [
      'GET /v2/account/users?',
      { users: [user] },
      (client) => client.users(),
      { users: [user], next: undefined },
    ],
    [
      'GET /v2/account/users?after=a%26b&size=2',
      { users: [user], links: { next: '/v2/account/users?size=2&after=b.b' } },
      (client) => client.users({ after: 'a&b', size: 2 }),
      { users: [user], next: 'b.b' },
    ],
    ['GET /v2/account/users/a%2Fb', { user }, (client) => client.user('a/b'), user],
    [
      'POST /v2/account/users/a%2Fb/invitation',
      { invitation },
      (client) => client.inviteUser('a/b'),
      invitation,
    ],
    ['DELETE /v2/account/users/a%2Fb/invitation', {}, (client) => client.uninviteUser('a/b'), undefined],
  ];
  test.each(reads)('asks %s and reads the answer', async (line, json, call, read) => {
    const { client } = await testClient([{ expect: line, json: { success: true, ...json } }]);
    expect(await call(client.account)).toEqual(read);
  });

  const made = { ...key, secret: 's' };
  const input = { name: 'ci', allowedAgents: ['MyApp'] };
  const sends: [line: string, json: object, call: Call, sent: object, read: unknown][] = [
    ['POST /v2/account/keys', { key: made }, (client) => client.createKey(), {}, made],
    ['POST /v2/account/keys', { key: made }, (client) => client.createKey(input), input, made],
    [
      'PATCH /v2/account/keys/k%2F1',
      { key },
      (client) => client.changeKey('k/1', { allowedIps: [] }),
      { allowedIps: [] },
      key,
    ],
    [
      'POST /v2/account/users',
      { user },
      (client) => client.createUser({ name: 'bob' }),
      { name: 'bob' },
      user,
    ],
    [
      'PATCH /v2/account/users/a%2Fb',
      { user },
      (client) => client.setUser('a/b', { disabled: true }),
      { disabled: true },
      user,
    ],
  ];
  test.each(sends)('sends %s and reads the answer', async (line, json, call, sent, read) => {
    const { client, server } = await testClient([{ expect: line, json: { success: true, ...json } }]);
    expect(await call(client.account)).toEqual(read);
    expect(JSON.parse(server.seen[0]?.body.toString() ?? '')).toEqual(sent);
  });

  test('reads keys of a service that binds none', async () => {
    const { allowedIps: _, allowedOrigins: __, allowedAgents: ___, v2Compat: ____, ...old } = key;
    const exchange = { expect: 'GET /v2/account/keys', json: { success: true, keys: [old] } };
    const { client } = await testClient([exchange]);
    expect(await client.account.keys()).toEqual([{ ...key, allowedIps: [], v2Compat: false }]);
  });
});
