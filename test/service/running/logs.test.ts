import { describe, expect, test } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { LogLines } from '../../support/server/log-lines.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

async function logged(options: Parameters<typeof runServer>[0] = {}) {
  const log = new LogLines();
  const server = await runServer({ logLevel: 'info', logStream: log, ...options });
  return { log, server };
}

/** The lines of requests, once there are so many of them. */
const requests = async (log: LogLines, count: number) =>
  await poll(
    () => log.events('request'),
    (events) => events.length >= count,
  );

describe('The line of a request', () => {
  test('says what it was, how it went and who called, and nothing of the query', async () => {
    const { log, server } = await logged();
    await server.owner.get('/v2/skins?filter=secret-filter');
    const [line] = await requests(log, 1);
    expect(line).toEqual({
      level: 30,
      time: expect.any(Number),
      pid: expect.any(Number),
      hostname: expect.any(String),
      request: expect.stringMatching(/^[0-9a-f-]{36}$/),
      method: 'GET',
      path: '/v2/skins',
      status: 200,
      ms: expect.any(Number),
      caller: 'user',
      user: expect.stringMatching(/^[0-9a-f]{32}$/),
      key: expect.stringMatching(/^[0-9a-f]{24}$/),
      address: '127.0.0.0/24',
      msg: 'request',
    });
    expect(log.text).not.toContain('secret-filter');
  });

  test('is left out for the checks of a proxy, unless something is wrong', async () => {
    const { log, server } = await logged();
    for (const path of ['/health', '/ready', '/health?check', '/v2/skins'])
      await server.anonymous().get(path);
    await requests(log, 1);
    expect(log.events('request').map(({ path }) => path)).toEqual(['/v2/skins']);
  });

  test.each([
    ['full', '127.0.0.9'],
    ['short', '127.0.0.0/24'],
    ['none', undefined],
  ] as const)(
    'with addresses %s shows %s, and nothing else that tells an anonymous caller',
    async (how, address) => {
      const { log, server } = await logged({ logAddresses: how });
      await server.anonymous('127.0.0.9').get('/v2/skins');
      const [line = {}] = await requests(log, 1);
      expect([line['address'], line['caller'], line['user']]).toEqual([address, 'anonymous', undefined]);
      if (how !== 'full') expect(log.text).not.toContain('127.0.0.9');
    },
  );

  test('is logged once, even if no route matches', async () => {
    const { log, server } = await logged();
    for (const path of ['/nowhere', '/%zz', `/v2/skins?${'a'.repeat(9_000)}`]) await server.owner.get(path);
    const lines = await requests(log, 3);
    expect(lines.map(({ path, status }) => [path, status])).toEqual([
      ['/nowhere', 404],
      ['/%zz', 400],
      ['/v2/skins', 414],
    ]);
  });
});

test('An event stream that its listener closes is logged with one line, like any request', async () => {
  const { log, server } = await logged();
  const leaving = new AbortController();
  await fetch(`${server.url}/v2/queue/events`, {
    headers: { authorization: `Bearer ${server.key}` },
    signal: leaving.signal,
  });
  leaving.abort();
  const [line] = await requests(log, 1);
  expect(line).toMatchObject({ path: '/v2/queue/events', aborted: true });
  await server.close();
  expect(log.text).not.toContain('prematurely');
});

test('No key gets into the log, whatever it is sent as', async () => {
  const { log, server } = await logged({ logLevel: 'debug' });
  const key = server.key ?? '';
  const foreign = 'not-one-of-ours-but-secret-all-the-same'.repeat(2);
  await server.owner.get(`/v2/skins/${key}?key=${key}`, { 'x-request-id': key.slice(0, 60) });
  await server.owner.json('/v2/account/keys', { name: key.slice(0, 20) });
  await server.owner.get('/v2/me', { authorization: `Bearer ${foreign}` });
  await requests(log, 3);
  expect(log.text).not.toContain(key.slice(5, 25));
  expect(log.text).not.toContain(foreign);
});

test('Start and stop are logged, and permanently failed jobs with the reason', async () => {
  const first = await runServer({ workers: 0 });
  const { body } = await first.owner.upload('/v2/queue', skinPng(1));
  await first.close();
  await wearOut(first.dataDir);
  const { log, server } = await logged({ workers: 0, dataDir: first.dataDir });
  await server.close();
  expect(log.text).not.toContain('Server listening');
  expect(log.events('started')).toMatchObject([
    {
      url: server.url,
      signer: expect.stringContaining('unmodified Minecraft accepts only skins signed by Mojang'),
    },
  ]);
  expect(log.events('job failed')).toMatchObject([
    { job: body.job?.id, code: 'job_failed', reason: expect.stringContaining('5 times') },
  ]);
  expect([log.events('stopping').length, log.events('stopped').length]).toEqual([1, 1]);
});

/** Leaves the one job as the fifth worker that died over it did. */
async function wearOut(dataDir: string): Promise<void> {
  const { db } = await openOwnStore(dataDir);
  await db
    .updateTable('jobs')
    .set({ status: 'processing', attempts: 5, lease_owner: 'gone', lease_until: 1 })
    .execute();
}
