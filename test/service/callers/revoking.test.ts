import { describe, expect, test } from 'vitest';
import { onSqlite, storeKind } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { idOf, statusOf } from '../../support/server/event-reader.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

const KEYS = '/v2/account/keys';

/** Two processes over one store, as far as the store can tell: what one revokes, the other holds open. */
async function twoServers(): Promise<{ here: ServerUnderTest; elsewhere: TestCaller }> {
  const here = await runServer({ workers: 0 });
  const other = await runServer({ workers: 0, dataDir: here.dataDir });
  return { here, elsewhere: new TestCaller(other.url, { key: here.key }) };
}

async function keyOf(server: ServerUnderTest, user: string): Promise<{ id: string; caller: TestCaller }> {
  const { body } = await server.owner.json(KEYS, { user });
  return { id: String(body.key?.id), caller: new TestCaller(server.url, { key: body.key?.secret }) };
}

type Revoking = (operator: TestCaller, id: string) => Promise<unknown>;

const WAYS: readonly [string, Revoking][] = [
  ['its key is revoked', (operator, id) => operator.send('DELETE', `${KEYS}/${id}`)],
  ['its user is disabled', (operator) => operator.patch('/v2/account/users/bob', { disabled: true })],
  [
    'its key is bound elsewhere',
    (operator, id) => operator.patch(`${KEYS}/${id}`, { allowedIps: ['192.0.2.1'] }),
  ],
  ['its key loses the scope', (operator, id) => operator.patch(`${KEYS}/${id}`, { scopes: ['skins'] })],
];

/** What another node revokes is learnt from the store, which on PostgreSQL is another way than on SQLite. */
const PLACES = storeKind() === 'sqlite' ? (['here', 'elsewhere'] as const) : (['elsewhere'] as const);

describe.each(PLACES)('After a revocation %s,', (place) => {
  // Elsewhere, all of them come by the same news.
  const ways = sampled(WAYS, place === 'elsewhere' ? 2 : 1);

  test.each(ways)('an event stream ends when %s', async (_, revoke) => {
    const servers = await twoServers();
    const { id, caller } = await keyOf(servers.here, 'bob');
    const stream = await caller.events();
    const others = await (await servers.here.user('ann')).events();
    await Promise.all([stream.first(1), others.first(1)]);
    await revoke(place === 'here' ? servers.here.owner : servers.elsewhere, id);
    await poll(
      () => stream.end,
      (end) => end !== undefined,
    );
    expect(others.end).toBeUndefined();
  });

  test.each(ways)('a waiting request ends when %s, in either version', async (way, revoke) => {
    const servers = await twoServers();
    const { id, caller } = await keyOf(servers.here, 'bob');
    const waiting = [
      caller.upload('/v2/generate', skinPng(1)),
      caller.upload('/generate/upload?v2=true', skinPng(2)),
    ];
    await poll(
      async () => (await caller.get('/v2/queue')).body.jobs,
      (jobs) => jobs?.length === 2,
    );
    await revoke(place === 'here' ? servers.here.owner : servers.elsewhere, id);
    const [answer, old] = await Promise.all(waiting);
    // The jobs of a disabled user fail, which may be heard of first.
    expect([403, ...(way === 'its user is disabled' ? [500] : [])]).toEqual(
      expect.arrayContaining([answer?.status, old?.status]),
    );
  });
});

onSqlite(test)('A stream ends when its key, sent without the word Bearer, is revoked', async () => {
  const server = await runServer({ workers: 0 });
  const { body } = await server.owner.json(KEYS, { user: 'bob' });
  const headers = { authorization: String(body.key?.secret) };
  const stream = await server.anonymous().events('/v2/queue/events', headers);
  await stream.first(1);
  await server.owner.send('DELETE', `${KEYS}/${body.key?.id}`);
  await poll(
    () => stream.end,
    (end) => end !== undefined,
  );
});

test('A disabled user’s waiting jobs end as failed, and other users’ jobs continue', async () => {
  const { here, elsewhere } = await twoServers();
  const bob = await here.user('bob');
  const { body } = await bob.upload('/v2/queue', skinPng(1));
  const others = await here.owner.upload('/v2/queue', skinPng(2));
  const stream = await here.owner.events();
  await elsewhere.patch('/v2/account/users/bob', { disabled: true });
  const untilAnswered = async (wanted: number) =>
    await poll(
      () => bob.get(`/v2/queue/${body.job?.id}`),
      ({ status }) => status === wanted,
    );
  expectRefusal(await untilAnswered(403), 'invalid_api_key');
  await elsewhere.patch('/v2/account/users/bob', { disabled: false });
  expect((await untilAnswered(200)).body).toMatchObject({
    job: { status: 'failed' },
    errors: [{ code: 'job_failed', message: expect.stringContaining('disabled') }],
  });
  const [pending] = await stream.first(1);
  expect(pending?.data.jobs?.map(({ id }) => id)).toEqual([others.body.job?.id]);
  expect(stream.events.map((event) => [idOf(event), statusOf(event)])).not.toContainEqual([
    body.job?.id,
    'failed',
  ]);
});

test('A stream continues when another key of its user is revoked, or its own key is renamed', async () => {
  const server = await runServer({ workers: 0 });
  const [kept, gone] = [await keyOf(server, 'bob'), await keyOf(server, 'bob')];
  const [stream, ended] = [await kept.caller.events(), await gone.caller.events()];
  await Promise.all([stream.first(1), ended.first(1)]);
  await server.owner.patch(`${KEYS}/${kept.id}`, { name: 'kept' });
  await server.owner.send('DELETE', `${KEYS}/${gone.id}`);
  await poll(
    () => ended.end,
    (end) => end !== undefined,
  );
  await kept.caller.upload('/v2/queue', skinPng(1));
  await stream.first(2);
  expect(stream.end).toBeUndefined();
});
