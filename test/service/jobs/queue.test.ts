import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';
import { runServerWithPlans } from '../../support/server/users-of-plan.ts';

guardAgainstLeaks();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const codes = (notes: readonly { code: string }[]) => notes.map(({ code }) => code);

async function finished(caller: TestCaller, id: string | undefined, path = '/v2/queue') {
  return await poll(
    () => caller.get(`${path}/${id}`),
    (heard) => heard.body.job?.status === 'completed',
  );
}

/** Milliseconds: a third of a generation, during which any machine sends five requests. */
const LONG = 100_000;

describe('POST /v2/queue', () => {
  test('answers at once with a waiting job and its address', async () => {
    const { owner } = await runServer({ workers: 0 });
    const before = Date.now();
    const { status, body } = await owner.upload('/v2/queue', skinPng(1));
    expect(status).toBe(202);
    expect(body.job).toEqual({
      id: expect.stringMatching(UUID),
      status: 'waiting',
      timestamp: expect.any(Number),
      source: 'skin.png',
    });
    expect(body.job?.timestamp).toBeGreaterThanOrEqual(before);
    const self = `/v2/queue/${body.job?.id}`;
    expect(body).toMatchObject({ success: true, usage: {}, links: { self, job: self } });
    expect(codes(body.messages)).toEqual(['job_queued']);
    expect(body).not.toHaveProperty('skin');
  });

  test('estimates when the job will be done, from the pace and number of the workers', async () => {
    const server = await runServer({ workers: 2, pace: 60_000, clock: new MovableClock() });
    const etas = [];
    for (let n = 0; n < 5; n++) {
      const { job } = (await server.owner.upload('/v2/queue', skinPng(n))).body;
      etas.push((job?.eta ?? Number.NaN) - (job?.timestamp ?? Number.NaN));
    }
    expect(etas).toEqual([60_000, 60_000, 120_000, 120_000, 180_000]);
    const joined = await server.owner.upload('/v2/queue', skinPng(2));
    expect(joined.body.job?.eta).toBe((joined.body.job?.timestamp ?? Number.NaN) + 120_000);
    await server.close({ limit: 10 });
  });

  onSqlite(test).each([
    ['one at a time', { concurrency: 1 }, [3, 6, 9, 12, 15]],
    ['two at a time', { concurrency: 2 }, [3, 3, 6, 6, 9]],
    ['one, and what is idle', { concurrency: 1, burst: 3 }, [3, 3, 3, 6, 6]],
  ])('says when each of five jobs will be done of a plan that has %s processed', async (_, limits, waits) => {
    const options = { workers: 3, pace: 3 * LONG, clock: new MovableClock() };
    const { users, close } = await runServerWithPlans({ ann: limits }, options);
    const etas = [];
    for (let n = 0; n < 5; n++) {
      const { job } = (await users.ann.upload('/v2/queue', skinPng(n))).body;
      etas.push(((job?.eta ?? Number.NaN) - (job?.timestamp ?? Number.NaN)) / LONG);
    }
    expect(etas).toEqual(waits);
    await close({ limit: 10 });
  });

  onSqlite(test)('says nothing of when the job will be done before it has seen one', async () => {
    const { owner } = await runServer({ workers: 1 });
    const first = (await owner.upload('/v2/queue', skinPng(1))).body.job;
    expect(first).not.toHaveProperty('eta');
    await finished(owner, first?.id);
    const second = (await owner.upload('/v2/queue', skinPng(2))).body.job;
    expect(second?.eta).toBeGreaterThanOrEqual(second?.timestamp ?? Number.NaN);
  });

  test('answers with the skin and a completed job when the picture is known', async () => {
    const { owner } = await runServer();
    const made = await owner.upload('/v2/generate', skinPng(1));
    const { status, body } = await owner.upload('/v2/queue', skinPng(1));
    expect(status).toBe(200);
    expect(body.job).toMatchObject({ status: 'completed', result: made.body.skin?.uuid });
    expect(body.skin?.uuid).toBe(made.body.skin?.uuid);
    expect(body.links).toMatchObject({ skin: `/v2/skins/${body.skin?.uuid}` });
    const again = await owner.get(body.links['job'] ?? '');
    expect([again.status, again.body.job?.status]).toEqual([200, 'completed']);
  });

  test('joins a pending job with the same picture and options; other options make another job', async () => {
    const { owner, user } = await runServer({ workers: 0 });
    const submit = async (fields: Record<string, string> = {}) =>
      (await owner.upload('/v2/queue', skinPng(1), fields)).body.job?.id;
    const first = await submit();
    expect(await submit()).toBe(first);
    const others = [
      await submit({ name: 'b' }),
      await submit({ visibility: 'private' }),
      await submit({ variant: 'slim' }),
    ];
    expect(new Set([first, ...others]).size).toBe(4);
    expect((await (await user('bob')).upload('/v2/queue', skinPng(1))).body.job?.id).not.toBe(first);
  });

  test('gives every caller five slots for seven simultaneous requests', async () => {
    const { owner, user, anonymous } = await runServer({ workers: 0 });
    const bob = await user('bob');
    const seven = (caller: TestCaller, from: number) =>
      Promise.all(Array.from({ length: 7 }, (_, n) => caller.upload('/v2/queue', skinPng(from + n))));
    const answers = await Promise.all([seven(owner, 0), seven(bob, 10), seven(anonymous(), 20)]);
    for (const heard of answers) {
      expect(heard.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 202, 202, 429, 429]);
    }
  });
});

onSqlite(describe)('GET /v2/queue/:jobId', () => {
  test.each(['/v2/queue', '/queue'])('under %s: from pending to completed, with the skin', async (path) => {
    const work = new HeldWork();
    const { owner } = await runServer(work.options);
    const { job } = (await owner.upload(path, skinPng(1))).body;
    const pending = (await owner.get(`${path}/${job?.id}`)).body;
    expect(pending).toMatchObject({
      success: true,
      job: { id: job?.id },
      messages: [{ code: 'job_pending' }],
    });
    expect(['waiting', 'processing']).toContain(pending.job?.status);
    expect(pending).not.toHaveProperty('skin');
    work.release();
    const { body, status } = await finished(owner, job?.id, path);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      job: { id: job?.id, status: 'completed', timestamp: job?.timestamp, result: body.skin?.uuid },
      messages: [{ code: 'job_completed' }],
      links: { self: `/v2/queue/${job?.id}`, skin: `/v2/skins/${body.skin?.uuid}` },
    });
    expect(body.skin).toEqual((await owner.get(`/v2/skins/${body.skin?.uuid}`)).body.skin);
  });
});

onSqlite(describe)('GET /v2/queue', () => {
  test.each(['/v2/queue', '/queue'])("under %s: the caller's jobs alone, newest first", async (path) => {
    const { owner, user, anonymous } = await runServer({ workers: 0 });
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await owner.upload('/v2/queue', skinPng(n))).body.job?.id);
    const { body } = await owner.get(path);
    expect(body.jobs?.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(Object.keys(body.jobs?.[0] ?? {}).toSorted()).toEqual(['id', 'status', 'timestamp']);
    for (const other of [await user('bob'), anonymous()])
      expect((await other.get(path)).body.jobs).toEqual([]);
  });
});

describe('The list of jobs', () => {
  /** A caller with so many finished jobs, the newest of which failed, after a first one that is pending. */
  async function withJobs(count: number) {
    const server = await runServer({ workers: 0 });
    const pending = (await server.owner.upload('/v2/queue', skinPng(1))).body.job?.id;
    const { db } = await openOwnStore(server.dataDir);
    const { id: _, ...row } = await db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    const rows = Array.from({ length: count }, (_unused, n) => ({
      ...row,
      uuid: randomUUID(),
      status: n === count - 1 ? ('failed' as const) : ('completed' as const),
      finished_at: row.created_at,
    }));
    for (let at = 0; at < count; at += 500)
      await db
        .insertInto('jobs')
        .values(rows.slice(at, at + 500))
        .execute();
    return { ...server, pending, all: [pending, ...rows.map(({ uuid }) => uuid)].toReversed() };
  }

  test('says on its pages what each job is made from, when it ended and why it failed', async () => {
    const { owner, dataDir } = await runServer({ workers: 0 });
    await owner.upload('/v2/queue', skinPng(1), { name: 'Anna' });
    const { db } = await openOwnStore(dataDir);
    const end = {
      status: 'failed',
      finished_at: 99,
      error_code: 'job_failed',
      error_message: 'It broke.',
    } as const;
    await db.updateTable('jobs').set(end).execute();
    await owner.upload('/v2/queue', skinPng(2));
    const { jobs, total } = (await owner.get('/v2/queue?size=5')).body;
    const first = { status: 'failed', finished: 99, error: { code: 'job_failed', message: 'It broke.' } };
    expect(jobs).toEqual([
      { id: jobs?.[0]?.id, status: 'waiting', timestamp: jobs?.[0]?.timestamp, source: 'skin.png' },
      { id: jobs?.[1]?.id, timestamp: jobs?.[1]?.timestamp, source: 'skin.png', name: 'Anna', ...first },
    ]);
    expect(total).toBe(2);
    const failed = (await owner.get('/v2/queue?status=failed')).body;
    expect([failed.jobs?.length, failed.total]).toEqual([1, 1]);
    expect((await owner.get('/v2/queue?status=waiting')).body).not.toHaveProperty('total');
    expect((await owner.get(`/v2/queue?after=${jobs?.[0]?.id}`)).body).not.toHaveProperty('total');
  });

  /** Follows links.next from an address on; the ids on each page. */
  async function pagesFrom(caller: TestCaller, first: string): Promise<string[][]> {
    const pages: string[][] = [];
    for (let next: string | undefined = first; next; ) {
      const { body } = await caller.get(next);
      pages.push((body.jobs ?? []).map(({ id }) => id));
      next = body.links['next'];
    }
    return pages;
  }

  test('has every job of the caller, newest first, page by page', async () => {
    const { owner, all } = await withJobs(1_203);
    const pages = await pagesFrom(owner, '/v2/queue?size=500');
    expect(pages.map(({ length }) => length)).toEqual([500, 500, 204]);
    expect(pages.flat()).toEqual(all);
    expect((await pagesFrom(owner, '/queue?size=97')).flat()).toEqual(all);
    const shown = new Set((await pagesFrom(owner, '/v2/queue')).flat());
    expect(shown).toEqual(new Set(all));
  });

  test('begins with the newest 500 and all pending jobs, and says that there are more', async () => {
    const { owner, all, pending } = await withJobs(501);
    const { body } = await owner.get('/v2/queue');
    expect(body.jobs?.map(({ id }) => id)).toEqual([...all.slice(0, 500), pending]);
    expect(body.links['next']).toMatch(/^\/v2\/queue\?size=500&after=\d+$/);
    const whole = await withJobs(499);
    const { body: few } = await whole.owner.get('/v2/queue');
    expect([few.jobs?.length, few.links['next']]).toEqual([500, undefined]);
  });

  test('has only jobs of one status on request', async () => {
    const { owner, all, pending } = await withJobs(30);
    expect((await pagesFrom(owner, '/v2/queue?status=completed&size=8')).flat()).toEqual(all.slice(1, -1));
    expect((await pagesFrom(owner, '/v2/queue?status=failed')).flat()).toEqual([all[0]]);
    expect((await pagesFrom(owner, '/v2/queue?status=waiting')).flat()).toEqual([pending]);
    expect((await pagesFrom(owner, '/v2/queue?status=processing')).flat()).toEqual([]);
  });

  test('continues after a given job, and refuses jobs of others', async () => {
    const { owner, all, user } = await withJobs(4);
    expect((await pagesFrom(owner, `/v2/queue?after=${all[1]}`)).flat()).toEqual(all.slice(2));
    for (const query of [`after=${randomUUID()}`, 'size=0', 'size=501', 'status=done'])
      expect((await owner.get(`/v2/queue?${query}`)).body.errors[0]?.code).toBe('validation_error');
    const bob = await user('bob');
    expect((await bob.get(`/v2/queue?after=${all[1]}`)).status).toBe(400);
    expect((await bob.get('/v2/queue?after=9999')).body.jobs).toEqual([]);
    expect((await owner.get('/v2/queue?unknown=1')).status).toBe(200);
  });
});

onSqlite(describe)('Callers without a key', () => {
  test('are kept apart by the address they call from', async () => {
    const { anonymous } = await runServer({ workers: 0 });
    const [here, there] = [anonymous('127.0.0.1'), anonymous('127.0.0.2')];
    const { job } = (await here.upload('/v2/queue', skinPng(1))).body;
    expect((await here.get(`/v2/queue/${job?.id}`)).status).toBe(200);
    expect((await there.get(`/v2/queue/${job?.id}`)).body.errors[0]?.code).toBe('job_not_found');
    expect([
      (await here.get('/v2/queue')).body.jobs?.length,
      (await there.get('/v2/queue')).body.jobs?.length,
    ]).toEqual([1, 0]);
  });

  test('cannot take the address of another with a header', async () => {
    const { anonymous } = await runServer({ workers: 0 });
    const { job } = (await anonymous('127.0.0.1').upload('/v2/queue', skinPng(1))).body;
    const forged = await anonymous('127.0.0.2').get(`/v2/queue/${job?.id}`, {
      'x-forwarded-for': '127.0.0.1',
    });
    expect(forged.status).toBe(404);
  });
});

test('Jobs that were waiting when the service stopped are done by the next one, under the same ids', async () => {
  const first = await runServer({ workers: 0 });
  const ids = [];
  for (let n = 0; n < 3; n++) ids.push((await first.owner.upload('/v2/queue', skinPng(n))).body.job?.id);
  await first.close();
  const next = await runServer({ dataDir: first.dataDir });
  const owner = new TestCaller(next.url, { key: first.key });
  for (const id of ids) expect((await finished(owner, id)).body.skin?.texture.url.skin).toContain(next.url);
  expect((await owner.get(`/v2/queue/${randomUUID()}`)).status).toBe(404);
});
