import { describe, expect, test } from 'vitest';
import { failWaitingJob } from '../../support/http/refusal-stories.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** Submits picture `number` under a key. */
async function send(
  caller: TestCaller,
  number: number,
  {
    path = '/v2/queue',
    key = 'key 1',
    ...options
  }: Record<string, string> & { path?: string; key?: string } = {},
): Promise<Heard> {
  return await caller.json(path, { url: dataUrl(skinPng(number)), ...options }, { 'idempotency-key': key });
}

const codes = (notes: readonly { code: string }[]) => notes.map(({ code }) => code);

async function completed(caller: TestCaller, id: string | undefined): Promise<Heard> {
  return await jobAt(caller, id, 'completed');
}

describe('A submission to the queue that comes again under its key', () => {
  test.each(['/v2/queue', '/queue'])('at %s gets the pending job, with its eta', async (path) => {
    const { owner } = await runServer({ workers: 1, ...new HeldWork().options });
    const first = await send(owner, 1, { path });
    const again = await send(owner, 1, { path });
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ job: { id: first.body.job?.id }, messages: [{ code: 'job_queued' }] });
    expect(again.body.job?.eta).toBeGreaterThan(0);
    expect((await owner.get('/v2/queue')).body.jobs).toHaveLength(1);
  });

  test('gets the completed job with its skin', async () => {
    const { owner } = await runServer();
    const first = await send(owner, 1);
    const done = await completed(owner, first.body.job?.id);
    const again = await send(owner, 1);
    const { rateLimit, usage, ...body } = again.body;
    expect([again.status, body]).toEqual([200, done.body]);
    expect([rateLimit?.limit.used, usage]).toEqual([1, {}]);
    expect((await owner.get('/v2/queue')).body.jobs).toHaveLength(1);
  });

  test('gets the failed job with its reason; without the key it is tried again', async () => {
    const server = await runServer({ workers: 0 });
    const first = await send(server.owner, 1);
    await failWaitingJob(server, 'nova');
    const again = await send(server.owner, 1);
    expect([again.status, codes(again.body.messages), codes(again.body.errors)]).toEqual([
      200,
      ['job_failed'],
      ['nova'],
    ]);
    expect(again.body).toMatchObject({ success: true, job: { id: first.body.job?.id, status: 'failed' } });
    const anew = await server.owner.upload('/v2/queue', skinPng(1));
    expect([anew.status, anew.body.job?.id === first.body.job?.id]).toEqual([202, false]);
  });

  test('of a known picture gets the first job', async () => {
    const { owner } = await runServer();
    await owner.upload('/v2/generate', skinPng(1));
    const first = await send(owner, 1);
    const again = await send(owner, 1);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.job).toEqual(first.body.job);
    expect(again.body.skin?.uuid).toBe(first.body.skin?.uuid);
    const other = await send(owner, 1, { key: 'key 2' });
    expect(other.body.job?.id).not.toBe(first.body.job?.id);
  });

  test('takes no second slot and costs nothing', async () => {
    const { owner } = await runServer({ workers: 0, clock: new MovableClock() });
    for (let n = 0; n < 5; n++) await send(owner, n, { key: `key ${n}` });
    for (let n = 0; n < 5; n++) {
      const again = await send(owner, n, { key: `key ${n}` });
      expect([again.status, again.body.rateLimit?.limit.used]).toEqual([202, 5]);
    }
    expectRefusal(await send(owner, 6, { key: 'key 6' }), 'job_limit');
  });

  test('is answered after the service was restarted', async () => {
    const first = await runServer({ workers: 0 });
    const { body } = await send(first.owner, 1);
    await first.close();
    const next = await runServer({ dataDir: first.dataDir, port: Number(new URL(first.url).port) });
    const done = await completed(first.owner, body.job?.id);
    const again = await send(first.owner, 1);
    expect(again.body.skin).toEqual(done.body.skin);
    await next.close();
  });
});

describe('A generation that comes again under its key', () => {
  const path = '/v2/generate?timeout=30';

  test('waits for the pending job and answers with its skin', async () => {
    const { owner } = await runServer({ pace: 300 });
    const [first, again] = await Promise.all([send(owner, 1, { path }), send(owner, 1, { path })]);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.skin).toEqual(first.body.skin);
    expect(again.body.links).toEqual(first.body.links);
    const later = await send(owner, 1, { path });
    expect([later.body.skin, later.body.links]).toEqual([first.body.skin, first.body.links]);
    expect((await owner.get('/v2/queue')).body.jobs).toHaveLength(1);
  });

  test('is refused with the reason of the failed job', async () => {
    const server = await runServer({ workers: 0 });
    const first = send(server.owner, 1, { path });
    await failWaitingJob(server, 'no_account_available');
    const refused = await first;
    expectRefusal(refused, 'no_account_available');
    const again = await send(server.owner, 1, { path });
    expectRefusal(again, 'no_account_available');
    expect(again.body.links).toEqual(refused.body.links);
  });

  test('is the same request as a submission to the queue', async () => {
    const { owner } = await runServer();
    const queued = await send(owner, 1);
    const made = await send(owner, 1, { path });
    expect(made.body.links['job']).toBe(queued.body.links['job']);
  });
});

describe('An idempotency key', () => {
  test.each([
    ['another picture', 2, {}],
    ['another name', 1, { name: 'Smith' }],
    ['another visibility', 1, { visibility: 'unlisted' }],
    ['another variant', 1, { variant: 'slim' }],
  ] as const)('that comes again with %s is refused', async (_, number, options: Record<string, string>) => {
    const { owner } = await runServer({ workers: 0 });
    await send(owner, 1);
    const refused = await send(owner, number, options);
    expectRefusal(refused, 'invalid_request');
    expect(refused.body.errors[0]?.message).toContain('Idempotency-Key');
    expect((await owner.get('/v2/queue')).body.jobs).toHaveLength(1);
  });

  test('that is refused with another picture leaves nothing of that picture behind', async () => {
    const { owner, user } = await runServer();
    await (await user('bob')).upload('/v2/generate', skinPng(2));
    await send(owner, 1, { path: '/v2/generate' });
    expectRefusal(await send(owner, 2), 'invalid_request');
    expect((await owner.get('/v2/me/skins')).body.skins).toHaveLength(1);
  });

  test('gets its pending job even with checkOnly', async () => {
    const { owner } = await runServer({ workers: 0 });
    const first = await send(owner, 1);
    const again = await send(owner, 1, { checkOnly: 'true' });
    expect([again.status, again.body.job?.id]).toEqual([202, first.body.job?.id]);
  });

  test('is separate for each caller', async () => {
    const { owner, user, anonymous } = await runServer({ workers: 0 });
    const callers = [owner, await user('bob'), anonymous('127.0.0.1'), anonymous('127.0.0.2')];
    const ids = await Promise.all(callers.map(async (caller) => (await send(caller, 1)).body.job?.id));
    expect(new Set(ids).size).toBe(4);
  });

  test('has 1 to 255 printable characters of ASCII', async () => {
    const { owner } = await runServer({ workers: 0 });
    const submitUnder = async (key: string) =>
      await owner.send('POST', '/v2/queue', {
        body: JSON.stringify({ url: dataUrl(skinPng(1)) }),
        headers: { 'content-type': 'application/json', 'Idempotency-Key': key },
      });
    for (const key of ['k'.repeat(255), '!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|} ~'])
      expect([key, (await submitUnder(key)).status]).toEqual([key, 202]);
    for (const key of [' ', 'k'.repeat(256), 'a\tb', 'schlüssel']) {
      const refused = await submitUnder(key);
      expectRefusal(refused, 'validation_error');
      expect(refused.body.errors[1]?.path).toEqual(['idempotency-key']);
    }
  });

  test('is stored with few others for one job, so that a caller cannot fill the store with keys', async () => {
    const { owner, dataDir } = await runServer({ workers: 0 });
    const answers: Heard[] = [];
    for (let n = 0; n < 40; n++) answers.push(await send(owner, 1, { key: `key ${n}` }));
    expect(new Set(answers.map(({ body }) => body.job?.id)).size).toBe(1);
    const { db } = await openOwnStore(dataDir);
    expect(await db.selectFrom('idempotency_keys').select('key').execute()).toHaveLength(32);
    expect((await send(owner, 1, { key: 'key 39' })).body.job?.id).toBe(answers[0]?.body.job?.id);
  });

  test('is not used up by requests that are refused', async () => {
    const work = new HeldWork();
    const { owner } = await runServer({ workers: 1, ...work.options });
    expectRefusal(
      await owner.json('/v2/queue', { url: 'data:image/png;base64,AAAA' }, { 'idempotency-key': 'key 1' }),
      'invalid_image',
    );
    expectRefusal(await send(owner, 1, { checkOnly: 'true' }), 'no_duplicate');
    for (let n = 2; n < 7; n++) await send(owner, n, { key: `key ${n}` });
    expectRefusal(await send(owner, 7), 'job_limit');
    work.release();
    const taken = await poll(
      () => send(owner, 8),
      ({ status }) => status !== 429,
    );
    expect(taken.status).toBe(202);
  });

  test.each(['/v2/queue', '/v2/generate'])(
    'that comes twenty times at the same instant to %s makes one job',
    async (path) => {
      const { owner } = await runServer({ workers: 2, pace: 50, clock: new MovableClock() });
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(owner, 1, { path })));
      expect(new Set(answers.map(({ body }) => body.links['job'])).size).toBe(1);
      expect(answers.every(({ status }) => status === 200 || status === 202)).toBe(true);
      expect((await owner.get('/v2/queue')).body.jobs).toHaveLength(1);
      expect((await owner.get('/v2/delay')).body).toMatchObject({ limit: { used: 1 } });
    },
  );

  test('of a known picture that comes twenty times at the same instant makes one job', async () => {
    const { owner } = await runServer();
    await owner.upload('/v2/generate', skinPng(1));
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(owner, 1)));
    expect(new Set(answers.map(({ body }) => body.job?.id)).size).toBe(1);
    expect((await owner.get('/v2/queue')).body.jobs).toHaveLength(2);
  });
});
