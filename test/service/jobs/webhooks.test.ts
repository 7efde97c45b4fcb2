import { describe, expect, test } from 'vitest';
import { SkinClient } from '../../../src/index.ts';
import { failWaitingJob } from '../../support/http/refusal-stories.ts';
import { mostlyOnSqlite, onSqlite } from '../../support/postgres/on-postgres.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { runEmbedded } from '../../support/server/embedded-service.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { poll } from '../../support/server/poll.ts';
import { ALLOWED, receiver } from '../../support/server/receiver.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';
import { trapServer } from '../../support/server/web-server.ts';

guardAgainstLeaks();

describe('The end of a job is delivered', () => {
  onSqlite(test)(
    'with the very body that the service answers for it, signed for the key of the request',
    async () => {
      const { owner, key } = await runServer(ALLOWED);
      const to = await receiver();
      const { job } = (await owner.upload('/v2/queue', skinPng(1), { callback: `${to.url}/a?token=1` })).body;
      const [state] = await to.received(1, key);
      expect(state).toMatchObject({
        job: { id: job?.id, status: 'completed' },
        skin: { variant: 'classic' },
      });
      const [{ line, headers, body } = { line: '', headers: {}, body: '' }] = to.seen;
      expect(JSON.parse(body)).toEqual((await jobAt(owner, job?.id, 'completed')).body);
      expect(line).toBe('POST /a?token=1');
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'user-agent': expect.stringMatching(/^skinsmith\//),
        'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    },
  );

  mostlyOnSqlite(test)('when it has failed, with the reason', async () => {
    const server = await runServer({ ...ALLOWED, workers: 0 });
    const to = await receiver();
    await server.owner.upload('/v2/queue', skinPng(1), { callback: to.url });
    await failWaitingJob(server, 'skin_change_failed');
    const [state] = await to.received(1, server.key);
    expect([state?.job.status, state?.errors]).toEqual([
      'failed',
      [{ code: 'skin_change_failed', message: 'It did not work.' }],
    ]);
  });

  test('when the skin was known at once', async () => {
    const { owner, user } = await runServer(ALLOWED);
    await owner.upload('/v2/generate', skinPng(1));
    const to = await receiver();
    const bob = await user('bob');
    const { job } = (await bob.upload('/v2/queue', skinPng(1), { callback: to.url })).body;
    expect(job?.status).toBe('completed');
    await poll(() => to.seen.length, Boolean);
    expect(JSON.parse(to.seen[0]?.body ?? '')).toMatchObject({ job: { id: job?.id, status: 'completed' } });
  });

  onSqlite(test)('with the name that was sent, to a key that may not read its user’s skins', async () => {
    const { owner, url, dataDir } = await runServer(ALLOWED);
    const to = await receiver();
    await owner.upload('/v2/generate', skinPng(1), { name: 'secret', visibility: 'private' });
    const made = await owner.json('/v2/account/keys', { scopes: ['generate'] });
    const blind = new TestCaller(url, { key: String(made.body.key?.secret), dataDir });
    for (const name of [undefined, 'mine'])
      await blind.upload('/v2/queue', skinPng(1), {
        callback: to.url,
        checkOnly: 'true',
        ...(name && { name }),
      });
    await poll(
      () => to.seen.length,
      (count) => count === 2,
    );
    const names = to.seen.map(({ body }) => JSON.parse(body).skin.name);
    expect(names.toSorted()).toEqual(['mine', null]);
  });

  onSqlite(test)('of what was generated, and of the items of a batch', async () => {
    const { owner, key, url } = await runServer(ALLOWED);
    const to = await receiver();
    const client = new SkinClient({ baseUrl: url, ...(key !== undefined && { apiKey: key }) });
    await client.generate({ url: dataUrl(skinPng(1)) }, { callback: to.url });
    const [two, three] = [2, 3].map((n) => ({ url: dataUrl(skinPng(n)), callback: to.url }));
    expect((await owner.json('/v2/queue/batch', { batch: [two, { ...three, callback: '' }] })).status).toBe(
      202,
    );
    const states = await to.received(2, key);
    expect(states.map(({ job }) => job.status)).toEqual(['completed', 'completed']);
  });

  test('to everyone who joined it, once at each address, and not again under an idempotency key', async () => {
    const server = await runServer({ ...ALLOWED, workers: 0 });
    const [one, two] = [await receiver(), await receiver()];
    const submit = async (callback: string, headers = {}) =>
      (await server.owner.json('/v2/queue', { url: dataUrl(skinPng(1)), callback }, headers)).body.job?.id;
    const named = { 'idempotency-key': 'k' };
    const ids = [
      await submit(one.url, named),
      await submit(two.url),
      await submit(two.url),
      await submit(`${two.url}/other`, named),
    ];
    expect(new Set(ids).size).toBe(1);
    await failWaitingJob(server, 'job_failed');
    await one.received(1, server.key);
    await two.received(1, server.key);
    expect(await submit(`${two.url}/late`, named)).toBe(ids[0]);
    const third = await receiver();
    await submit(third.url);
    await failWaitingJob(server, 'job_failed');
    await third.received(1, server.key);
    expect([one.seen.length, two.seen.length]).toEqual([1, 1]);
  });
});

onSqlite(describe)('A callback is refused', () => {
  const asked = (callback: string) => ({ url: dataUrl(skinPng(1)), callback });

  test('without an API key', async () => {
    const { anonymous } = await runServer(ALLOWED);
    const { status, body } = await anonymous().json('/v2/queue', asked('https://example.org/'));
    expect([status, body.errors]).toEqual([
      403,
      [
        {
          code: 'insufficient_grants',
          message: 'A callback requires an API key, because webhooks are signed with it.',
        },
      ],
    ]);
  });

  test('by the embedded service, also with a key of the store', async () => {
    const serving = await runServer(ALLOWED);
    await serving.close();
    const { ask } = await runEmbedded({ dataDir: serving.dataDir });
    for (const key of [undefined, serving.key]) {
      const { status, body } = await ask('/v2/queue', { key, json: asked('https://example.org/') });
      expect([status, body.errors[0]?.code]).toEqual([403, 'insufficient_grants']);
    }
  });

  test('where the operator has turned webhooks off', async () => {
    const { owner } = await runServer({ ...ALLOWED, webhooks: false });
    const { status, body } = await owner.json('/v2/queue', asked('https://example.org/'));
    expect([status, body.errors[0]?.message]).toEqual([403, 'This service sends no webhooks.']);
    expect((await owner.json('/v2/queue', { url: dataUrl(skinPng(1)) })).status).toBe(202);
  });

  test.each([
    ['http://127.0.0.1/', '127.0.0.1 is a loopback address, and this service does not connect to those.'],
    ['http://0x7f.1/', '127.0.0.1 is a loopback address, and this service does not connect to those.'],
    [
      'https://[fd00:ec2::254]/',
      '[fd00:ec2::254] is a private address, and this service does not connect to those.',
    ],
    ['https://example.org:22/', 'Only ports 80 and 443 are allowed, not 22.'],
    ['ftp://example.org/', 'an http or https URL without user name and password'],
    ['https://a:b@example.org/', 'an http or https URL without user name and password'],
    ['example.org', 'an http or https URL without user name and password'],
    [`https://example.org/${'a'.repeat(240)}`, 'at most 256 characters'],
  ])('when it is %s', async (callback, why) => {
    const { owner } = await runServer({ workers: 0 });
    const { status, body } = await owner.json('/v2/queue', asked(callback));
    const [first, second] = body.errors;
    expect([status, first?.code, second?.message, second?.path]).toEqual([
      400,
      'validation_error',
      `callback: ${why}`,
      ['callback'],
    ]);
    expect((await owner.get('/v2/queue')).body.jobs).toEqual([]);
  });
});

onSqlite(test)('A name of this machine is requested only where the operator allows it', async () => {
  const trap = await trapServer();
  const shut = await runServer({ allowedNetworks: ['10.0.0.0/8'] });
  await shut.owner.upload('/v2/generate', skinPng(1), { callback: `http://localhost:${trap.port}/` });
  const to = await receiver();
  const open = await runServer(ALLOWED);
  await open.owner.upload('/v2/generate', skinPng(1), { callback: `http://localhost:${to.port}/` });
  await to.received(1, open.key);
  expect(trap.connections).toBe(0);
});

mostlyOnSqlite(test)(
  'A receiver that never answers delays neither other receivers nor the end of the service',
  async () => {
    const server = await runServer(ALLOWED);
    const [silent, quick] = [await receiver(() => {}, '127.0.0.2'), await receiver()];
    for (let n = 0; n < 5; n++) {
      await server.owner.upload('/v2/generate', skinPng(n), { callback: `${silent.url}/${n}` });
    }
    await server.owner.upload('/v2/generate', skinPng(9), { callback: quick.url });
    await quick.received(1, server.key);
    expect(silent.seen).toHaveLength(2);
    await server.close({ limit: 50 });
  },
);

test('Undelivered webhooks of a stopped service are delivered by the next one, with the same ID', async () => {
  const to = await receiver((_request, response) => {
    if (to.seen.length > 1) response.end(); // the first time, silence
  });
  const first = await runServer(ALLOWED);
  await first.owner.upload('/v2/generate', skinPng(1), { callback: to.url });
  await poll(() => to.seen.length, Boolean);
  await first.close({ limit: 10 });
  const next = await runServer({ ...ALLOWED, dataDir: first.dataDir });
  await to.received(2, first.key);
  expect(new Set(to.seen.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect((await new TestCaller(next.url, { key: first.key }).get('/v2/queue')).status).toBe(200);
});
