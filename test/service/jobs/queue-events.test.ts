import { describe, expect, test } from 'vitest';
import { nameThisNode } from '../../../src/server/queue/leases.ts';
import { newJob } from '../../contract/jobs.ts';
import { failWaitingJob } from '../../support/http/refusal-stories.ts';
import { queueSkin } from '../../support/http/sending.ts';
import { mostlyOnSqlite, onSqlite, storeKind } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { idOf, statusOf } from '../../support/server/event-reader.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { TestQueue } from '../../support/server/test-queue.ts';
import { sampled } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

guardAgainstLeaks();

/** On PostgreSQL, one of both: they differ in their address only. */
const PATHS = sampled(['/v2/queue/events', '/queue/events'], storeKind() === 'postgres' ? 2 : 1);
/** More than end between two looks. */
const ENDS = isWhole ? 40 : 16;

describe('GET /v2/queue/events', () => {
  onSqlite(test).each(['/v2/queue/events', '/queue/events'])(
    '%s begins with the pending jobs',
    async (path) => {
      const { owner } = await runServer({ workers: 0 });
      const ids = [await queueSkin(owner, 1), await queueSkin(owner, 2)];
      const stream = await owner.events(path);
      const [first] = await stream.first(1);
      expect(stream.status).toBe(200);
      expect(stream.headers).toMatchObject({
        'content-type': expect.stringMatching(/^text\/event-stream(;|$)/),
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        connection: 'close',
      });
      expect(stream.headers).not.toHaveProperty('x-ratelimit-limit');
      expect(stream.text).toMatch(/^: .+\nretry: 1000\n\nid: 1\nevent: jobs\n/);
      expect(first?.data.jobs).toEqual((await owner.get('/v2/queue?size=9')).body.jobs);
      expect(first?.data.jobs?.map(({ id }) => id)).toEqual(ids.toReversed());
    },
  );

  onSqlite(test)('leaves out at the beginning what has ended', async () => {
    const { owner } = await runServer();
    await owner.upload('/v2/generate', skinPng(1));
    const [first] = await (await owner.events()).first(1);
    expect(first?.data).toEqual({ jobs: [] });
  });

  test.each(PATHS)(
    'at %s reports a job when it is accepted and when it ends, in the words of GET /v2/queue/:jobId',
    async (path) => {
      const work = new HeldWork();
      const { owner } = await runServer(work.options);
      const stream = await owner.events(path);
      await stream.first(1);
      const id = await queueSkin(owner, 1);
      await stream.first(2);
      work.release();
      const [, accepted, completed] = await stream.first(3);
      expect([accepted?.type, completed?.type]).toEqual(['job', 'job']);
      expect(accepted?.data).toMatchObject({
        success: true,
        job: { id },
        messages: [{ code: 'job_pending' }],
      });
      expect(completed?.data).toEqual((await owner.get(`/v2/queue/${id}`)).body);
      expect(completed?.data).toMatchObject({ job: { id, status: 'completed' }, skin: { duplicate: false } });
      expect((await stream.first(3)).map((event) => event.id)).toEqual([1, 2, 3]);
    },
  );

  mostlyOnSqlite(test)('reports a failure with its reason', async () => {
    const server = await runServer({ workers: 0 });
    const id = await queueSkin(server.owner, 1);
    const stream = await server.owner.events();
    await stream.first(1);
    await failWaitingJob(server, 'nova');
    const [, failed] = await stream.first(2);
    expect(failed?.data).toMatchObject({
      success: true,
      job: { id, status: 'failed' },
      errors: [{ code: 'nova', message: 'It did not work.' }],
    });
  });

  test('reports a job with a known picture once', async () => {
    const { owner } = await runServer();
    await owner.upload('/v2/generate', skinPng(1));
    const stream = await owner.events();
    await stream.first(1);
    const id = await queueSkin(owner, 1);
    const last = await queueSkin(owner, 1);
    expect((await stream.first(3)).slice(1).map(idOf)).toEqual([id, last]);
    expect((await stream.first(3)).slice(1).map(statusOf)).toEqual(['completed', 'completed']);
  });

  test('reports every end, however fast they come, to every stream of the caller', async () => {
    const { owner } = await runServer({ workers: 4 });
    const streams = [await owner.events(), await owner.events()];
    const ids: string[] = [];
    for (let n = 0; n < ENDS; n++) {
      const { body } = await poll(
        () => owner.upload('/v2/queue', skinPng(n)),
        ({ status }) => status === 202,
      );
      ids.push(String(body.job?.id));
    }
    for (const stream of streams) {
      const events = await poll(
        () => stream.events,
        (heard) => heard.filter((event) => statusOf(event) === 'completed').length >= ids.length,
      );
      const ends = events.filter((event) => statusOf(event) === 'completed').map(idOf);
      expect(ends.toSorted()).toEqual(ids.toSorted());
    }
  });

  onSqlite(test)('keeps callers apart: by key, and those without by address', async () => {
    const { owner, user, anonymous } = await runServer({ workers: 0 });
    const callers = [owner, await user('bob'), anonymous('127.0.0.1'), anonymous('127.0.0.2')];
    const streams = await Promise.all(callers.map(async (caller) => await caller.events()));
    for (const stream of streams) await stream.first(1);
    const ids: string[] = [];
    for (const [number, caller] of callers.entries()) ids.push(await queueSkin(caller, number));
    for (const [number, stream] of streams.entries())
      expect((await stream.first(2)).slice(1).map(idOf)).toEqual([ids[number]]);
    expect(streams.map(({ events }) => events.length)).toEqual([2, 2, 2, 2]);
    const [, anonymously] = await streams[3]!.first(2);
    expect(anonymously?.data.warnings).toMatchObject([{ code: 'no_api_key' }]);
  });

  onSqlite(test)('costs nothing against the limits', async () => {
    const { anonymous } = await runServer();
    for (let n = 0; n < 10; n++) await (await anonymous().events()).first(1);
    expect((await anonymous().get('/v2/delay')).body).toMatchObject({ limit: { used: 0 } });
  });

  onSqlite(test)('answers HEAD without a stream', async () => {
    const { owner } = await runServer();
    for (let n = 0; n < 25; n++) expect((await owner.send('HEAD', '/v2/queue/events')).status).toBe(200);
    expect((await owner.events()).status).toBe(200);
  });

  onSqlite(test)('is what the other answers link to', async () => {
    const { owner } = await runServer();
    const answers = [
      await owner.upload('/v2/generate', skinPng(1)),
      await owner.upload('/v2/queue', skinPng(1)),
      await owner.upload('/v2/queue', skinPng(2)),
      await owner.get('/v2/queue'),
    ];
    answers.push(await owner.get(String(answers[2]?.body.links['job'])));
    expect(answers.map(({ body }) => body.links['events'])).toEqual(answers.map(() => '/v2/queue/events'));
  });
});

describe('Jobs of other processes', () => {
  test('are reported when they are accepted there and end there', async () => {
    const here = await runServer({ workers: 0 });
    const owner = await here.owner.events();
    await owner.first(1);
    const there = await runServer({ dataDir: here.dataDir, pace: 100 });
    const caller = there.anonymous();
    const stream = await here.anonymous().events();
    await stream.first(1);
    const id = await queueSkin(caller, 1);
    const done = await poll(
      () => stream.events.at(-1)!,
      (event) => statusOf(event) === 'completed',
    );
    expect(done.data).toEqual((await here.anonymous().get(`/v2/queue/${id}`)).body);
    expect(owner.events).toHaveLength(1);
  });

  test('are reported even if they began and ended between two checks', async () => {
    const { owner, dataDir } = await runServer({ workers: 0 });
    await queueSkin(owner, 1);
    const stream = await owner.events();
    const [first] = await stream.first(1);
    const { db } = await openOwnStore(dataDir);
    const row = await db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    const queue = new TestQueue(db, { self: nameThisNode() });
    const known = Array.from({ length: 40 }, () =>
      newJob({ owner: row.owner, textureHash: row.texture_hash }),
    );
    for (const job of known) await queue.recordKnown(job, 'f00d');
    expect(first?.data.jobs).toHaveLength(1);
    expect((await stream.first(41)).slice(1).map(idOf)).toEqual(known.map(({ uuid }) => uuid));
  });
});
