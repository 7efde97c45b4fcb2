import { createServer } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { SkinClient } from '../../../src/client/skin-client.ts';
import { makeJob, makeRateLimit, refusal } from '../../support/client/answers.ts';
import { fakeClock, START } from '../../support/client/fake-clock.ts';
import { cutBefore, cutWithin, type Exchange, staySilent } from '../../support/client/scripted-server.ts';
import { failureOf, testClient } from '../../support/client/test-client.ts';

const source = { url: 'https://skins.example/a.png' };
const me: Exchange = { expect: 'GET /v2/me', json: { success: true, user: 'aa', grants: {} } };
const queued: Exchange = { expect: 'POST /v2/queue', json: { success: true, job: makeJob() } };
const html = '<!doctype html>\n<title>502 Bad Gateway</title>';

/** An address where nothing listens. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe('a read', () => {
  const passing: [what: string, answer: Partial<Exchange>][] = [
    ['a 500', { status: 500, json: refusal('internal_error') }],
    ['a 503', { status: 503, json: refusal('service_unavailable') }],
    ['an HTML page of a proxy', { status: 502, json: undefined, text: html }],
    ['a connection cut before the answer', { act: cutBefore }],
    ['a connection cut within the answer', { act: cutWithin }],
  ];
  test.each(passing)('is repeated after %s', async (_, answer) => {
    const { client, clock } = await testClient([{ ...me, ...answer }, { ...me, ...answer }, me]);
    expect(await client.me()).toMatchObject({ user: 'aa' });
    expect(clock.sleeps).toEqual([250, 500]);
  });

  test('is repeated when no answer comes in time', async () => {
    const { client, clock } = await testClient([{ ...me, act: staySilent }, me], { timeout: 1_000 });
    expect(await client.me()).toMatchObject({ user: 'aa' });
    expect(clock.sleeps).toEqual([250]);
  });

  test('is not repeated once it has waited for longer than its budget', async () => {
    const { client, server, clock } = await testClient([{ ...me, act: staySilent }], { timeout: 1_000 });
    let now = 0;
    vi.spyOn(clock, 'monotonic').mockImplementation(() => (now += 20_000));
    const call = client.me({ retry: { budget: 8_000 } });
    expect(await failureOf(call)).toMatchObject({ code: 'unreachable' });
    expect(server.seen).toHaveLength(1);
  });

  test('has all the time it needs without a timeout', async () => {
    const { client } = await testClient([me], { timeout: Number.POSITIVE_INFINITY });
    expect(await client.me({ retry: { budget: 0 } })).toMatchObject({ user: 'aa' });
  });

  test('waits as long as the service says', async () => {
    const toldToWait = (seconds: string): Exchange => ({
      ...me,
      status: 429,
      json: refusal('rate_limit'),
      headers: { 'retry-after': seconds, date: new Date(START + 2_000).toUTCString() },
    });
    const { client, clock } = await testClient([
      toldToWait('2'),
      toldToWait(new Date(START + 5_000).toUTCString()),
      me,
    ]);
    await client.me();
    expect(clock.sleeps).toEqual([2_000, 3_000]);
  });

  test('is given up when its waits have used up the budget', async () => {
    const down = { ...me, status: 503, json: refusal('service_unavailable', 'Down.') };
    const { client, clock } = await testClient([down, down, down], { retry: { budget: 1_000 } });
    expect(await failureOf(client.me())).toMatchObject({ code: 'service_unavailable', message: 'Down.' });
    expect(clock.sleeps).toEqual([250, 500]);
  });

  test.each([
    [750, [250, 500]],
    [749, [250]],
  ])('waits as long as its budget of %i ms allows, and not a millisecond longer', async (budget, sleeps) => {
    const down = { ...me, status: 503, json: refusal('service_unavailable') };
    const { client, clock } = await testClient([down, ...sleeps.map(() => down)], { retry: { budget } });
    expect(await failureOf(client.me())).toMatchObject({ code: 'service_unavailable' });
    expect(clock.sleeps).toEqual(sleeps);
  });

  test('is given up at once when the service asks for a longer wait than the patience', async () => {
    const later = { ...me, status: 429, json: refusal('rate_limit'), headers: { 'retry-after': '61' } };
    const { client, clock } = await testClient([later], { retry: { patience: 60_000 } });
    expect(await failureOf(client.me())).toMatchObject({ status: 429 });
    expect(clock.sleeps).toEqual([]);
  });

  test('is given up in the end even when the service keeps saying "now"', async () => {
    const now = { ...me, status: 429, json: refusal('rate_limit'), headers: { 'retry-after': '0' } };
    const { client, clock } = await testClient([now, now, now], { retry: { patience: 1_000 } });
    expect(await failureOf(client.me())).toMatchObject({ code: 'rate_limit' });
    expect(clock.sleeps).toEqual([400, 600]);
  });

  test('keeps its patience with a busy service apart from its budget for failures', async () => {
    const busy = { ...me, status: 429, json: refusal('rate_limit'), headers: { 'retry-after': '50' } };
    const down = {
      ...me,
      status: 503,
      json: refusal('service_unavailable'),
      headers: { 'retry-after': '9' },
    };
    const retry = { budget: 10_000, patience: 100_000 };
    const { client, clock } = await testClient([busy, down, busy, me], { retry });
    expect(await client.me()).toMatchObject({ user: 'aa' });
    expect(clock.sleeps).toEqual([50_000, 9_000, 50_000]);
  });

  test('says before each pause what went wrong and how long it waits', async () => {
    const onRetry = vi.fn();
    const down = { ...me, status: 503, json: refusal('service_unavailable', 'Down.') };
    const { client } = await testClient([down, down, me], { onRetry });
    await client.me();
    expect(onRetry.mock.calls).toEqual([
      [{ message: 'Down.', pause: 250 }],
      [{ message: 'Down.', pause: 500 }],
    ]);
  });

  test('does not report a pause that it skips', async () => {
    const onRetry = vi.fn();
    const { client } = await testClient([{ ...me, status: 404, json: refusal('user_not_found') }], {
      onRetry,
    });
    await failureOf(client.me());
    expect(onRetry).not.toHaveBeenCalled();
  });
});

describe('a submission', () => {
  const lost: [what: string, answer: Partial<Exchange>, name: string][] = [
    ['a 500', { status: 500, json: refusal('internal_error') }, 'ServiceError'],
    ['an HTML page of a proxy', { status: 502, json: undefined, text: html }, 'UnreadableAnswerError'],
    ['a connection cut before the answer', { act: cutBefore }, 'NetworkError'],
    ['a connection cut within the answer', { act: cutWithin }, 'NetworkError'],
  ];
  test.each(lost)(
    'is not sent twice after %s, because it may have been accepted',
    async (_, answer, name) => {
      const { client } = await testClient([{ ...queued, ...answer }]);
      expect(await failureOf(client.queue(source))).toMatchObject({ name, isPassing: true });
    },
  );

  test('is not sent twice when no answer comes in time', async () => {
    const { client } = await testClient([{ ...queued, act: staySilent }], { timeout: 100 });
    expect(await failureOf(client.queue(source))).toMatchObject({
      code: 'unreachable',
      mayHaveArrived: true,
      message: expect.stringMatching(/^POST http:\/\/127\.0\.0\.1:\d+\/v2\/queue: the request timed out\.$/),
    });
  });

  test('is sent again, the same, after a 429', async () => {
    const full = {
      ...queued,
      status: 429,
      json: refusal('job_limit', 'Full.', { rateLimit: makeRateLimit({ relative: 60_000 }) }),
    };
    const soon = {
      ...queued,
      status: 429,
      json: refusal('rate_limit', 'Slow.', { rateLimit: makeRateLimit({ relative: 700 }) }),
    };
    const { client, clock, server } = await testClient([full, full, soon, queued]);
    await client.queue(source);
    expect(clock.sleeps).toEqual([400, 600, 700]);
    expect(new Set(server.seen.map(({ body }) => body.toString())).size).toBe(1);
  });

  test('is sent again when nothing listened, because it never left', async () => {
    const clock = fakeClock();
    const client = new SkinClient({
      baseUrl: await deadAddress(),
      clock,
      random: () => 1,
      retry: { budget: 1_000 },
    });
    expect(await failureOf(client.queue(source))).toMatchObject({
      name: 'NetworkError',
      mayHaveArrived: false,
      message: expect.stringMatching(/^POST http:\/\/127\.0\.0\.1:\d+\/v2\/queue: connection refused\.$/),
    });
    expect(clock.sleeps).toEqual([250, 500]);
    await client.close();
  });
});

describe('a call that is aborted', () => {
  test('ends at once while it waits for an answer', async () => {
    const stop = new AbortController();
    const act = () => stop.abort();
    const { client } = await testClient([{ ...me, act }]);
    expect(await failureOf(client.me({ signal: stop.signal }))).toMatchObject({ name: 'AbortError' });
  });

  test('ends before anything is sent when it was aborted before', async () => {
    const { client } = await testClient([]);
    const signal = AbortSignal.abort();
    expect(await failureOf(client.me({ signal }))).toMatchObject({ name: 'AbortError' });
    expect(await failureOf(client.generate(source, {}, { signal }))).toMatchObject({ name: 'AbortError' });
  });

  test('ends while it pauses before another attempt', async () => {
    const stop = new AbortController();
    const clock = {
      ...systemClock,
      sleep: async (_: number, signal?: AbortSignal) => {
        setImmediate(() => stop.abort());
        await systemClock.sleep(600_000, signal);
      },
    };
    const { client } = await testClient([{ ...me, act: cutBefore }], { clock });
    expect(await failureOf(client.me({ signal: stop.signal }))).toMatchObject({ name: 'AbortError' });
  });
});
