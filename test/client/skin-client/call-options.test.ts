import { describe, expect, test } from 'vitest';
import { makeJob, makeSkin, refusal } from '../../support/client/answers.ts';
import { cutBefore, type Exchange } from '../../support/client/scripted-server.ts';
import { failureOf, testClient } from '../../support/client/test-client.ts';

const source = { url: 'https://skins.example/a.png' };
const file = { file: Uint8Array.of(1) };
const skin = makeSkin();
const job = makeJob();
const queued: Exchange = { expect: 'POST /v2/queue', status: 202, json: { success: true, job } };
const generated: Exchange = { expect: 'POST /v2/generate?timeout=30', json: { success: true, skin } };
const me: Exchange = { expect: 'GET /v2/me', json: { success: true, user: 'aa', grants: {} } };

describe('an idempotency key', () => {
  test('is sent with every attempt at a submission', async () => {
    const full = { ...queued, status: 429, json: refusal('job_limit') };
    const { client, server } = await testClient([full, queued, generated, generated]);
    await client.queue(source, {}, { idempotencyKey: 'one' });
    await client.generate(file, {}, { idempotencyKey: 'two ~' });
    await client.generate(file);
    const sent = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(sent).toEqual(['one', 'one', 'two ~', undefined]);
    expect(server.seen[2]?.headers['content-type']).toMatch(/^multipart/);
  });

  test('is not sent with reads, nor while a job is followed', async () => {
    const links = { job: `/v2/queue/${job.id}` };
    const late = { ...generated, status: 500, json: refusal('generator_timeout', 'Late.', { links }) };
    const look = {
      expect: `GET /v2/queue/${job.id}`,
      json: { success: true, job: { ...job, status: 'completed' }, skin },
    };
    const { client, server } = await testClient([late, look]);
    await client.generate(source, {}, { idempotencyKey: 'one' });
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['one', undefined]);
  });

  test('does not cause a submission to be repeated blindly', async () => {
    const { client } = await testClient([{ ...queued, act: cutBefore }]);
    const lost = await failureOf(client.queue(source, {}, { idempotencyKey: 'one' }));
    expect(lost).toMatchObject({ name: 'NetworkError', mayHaveArrived: true });
  });

  test.each(['', 'k'.repeat(256), 'a\nb', 'schlüssel'])('is not sent as %j', async (idempotencyKey) => {
    const { client } = await testClient([]);
    const failure = await failureOf(client.queue(source, {}, { idempotencyKey }));
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toContain('idempotencyKey');
  });
});

describe('the retry policy of a call', () => {
  const NONE = { budget: 0, patience: 0 };
  test.each([
    ['trouble', { status: 503, json: refusal('service_unavailable') }],
    ['a limit', { status: 429, json: refusal('rate_limit'), headers: { 'retry-after': '1' } }],
    ['a lost connection', { act: cutBefore }],
  ] as [string, Partial<Exchange>][])('can be one attempt: %s is thrown at once', async (_, answer) => {
    const { client, clock } = await testClient([{ ...me, ...answer }]);
    await failureOf(client.me({ retry: NONE }));
    expect(clock.sleeps).toEqual([]);
  });

  test('is one attempt even where pauses would take no time', async () => {
    const down = { ...me, status: 503, json: refusal('service_unavailable') };
    const { client, clock } = await testClient([down], { retry: { firstPause: 0 } });
    await failureOf(client.me({ retry: NONE }));
    expect(clock.sleeps).toEqual([]);
  });

  test("overrides the client's, field by field, for that call alone", async () => {
    const down = { ...me, status: 503, json: refusal('service_unavailable') };
    const { client, clock } = await testClient([down, down, me, down, me], { retry: { firstPause: 100 } });
    await client.me({ retry: { longestPause: 120 } });
    await client.me();
    expect(clock.sleeps).toEqual([100, 120, 100]);
  });
});

describe('SkinClient.queueList', () => {
  test('returns the jobs with the links of the list', async () => {
    const list = { expect: 'GET /v2/queue', json: { success: true, jobs: [job], links: { events: '/e' } } };
    const { client } = await testClient([list, { ...list, json: { success: true, jobs: [] } }]);
    expect(await client.queueList()).toEqual({ jobs: [job], links: { events: '/e' } });
    expect(await client.queueList()).toEqual({ jobs: [], links: {} });
  });
});
