import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { nameThisProcess } from '../../../src/server/queue/lease-owner.ts';
import { StoreQueue } from '../../../src/server/queue/store-queue.ts';
import { newJob } from '../../contract/jobs.ts';
import { skinPng } from '../drawn-skins.ts';
import type { EventReader, HeardEvent } from '../event-reader.ts';
import { poll } from '../poll.ts';
import { guardAgainstLeaks, openOwnStore, runServer, type ServerUnderTest } from '../running-server.ts';
import { expectRefusal, type TestCaller } from '../test-caller.ts';
import { failWaitingJob } from './refusal-stories.ts';

guardAgainstLeaks();

const statusOf = ({ data }: HeardEvent) => data.job?.status;
const idOf = ({ data }: HeardEvent) => data.job?.id;

async function submit(caller: TestCaller, number: number): Promise<string> {
  return String((await caller.upload('/v2/queue', skinPng(number))).body.job?.id);
}

async function ended(reader: EventReader): Promise<string | undefined> {
  return await poll(
    () => reader.end,
    (end) => end !== undefined,
  );
}

/** A connection that has asked for events and does not read them. */
async function silentReader({ url, key }: ServerUnderTest): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /v2/queue/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes until the other side closes the connection. */
async function readToEnd(socket: Socket): Promise<string> {
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1');
  });
  socket.on('error', () => {}); // cut: 'close' follows
  socket.resume();
  await once(socket, 'close');
  return heard;
}

describe('GET /v2/queue/events', () => {
  test.each(['/v2/queue/events', '/queue/events'])('%s begins with the pending jobs', async (path) => {
    const { owner } = await runServer({ workers: 0 });
    const ids = [await submit(owner, 1), await submit(owner, 2)];
    const stream = await owner.events(path);
    const [first] = await stream.first(1);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/event-stream(;|$)/),
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(stream.headers).not.toHaveProperty('x-ratelimit-limit');
    expect(stream.text).toMatch(/^: .+\nretry: 1000\n\nid: 1\nevent: jobs\n/);
    expect(first?.data.jobs).toEqual((await owner.get('/v2/queue')).body.jobs);
    expect(first?.data.jobs?.map(({ id }) => id)).toEqual(ids.toReversed());
  });

  test('leaves out at the beginning what has ended', async () => {
    const { owner } = await runServer();
    await owner.upload('/v2/generate', skinPng(1));
    const [first] = await (await owner.events()).first(1);
    expect(first?.data).toEqual({ jobs: [] });
  });

  test('tells of a job as it is accepted and as it ends, in the words of GET /v2/queue/:jobId', async () => {
    const { owner } = await runServer({ pace: 150 });
    const stream = await owner.events();
    await stream.first(1);
    const id = await submit(owner, 1);
    const [, accepted, completed] = await stream.first(3);
    expect([accepted?.type, completed?.type]).toEqual(['job', 'job']);
    expect(accepted?.data).toMatchObject({ success: true, job: { id }, messages: [{ code: 'job_pending' }] });
    expect(completed?.data).toEqual((await owner.get(`/v2/queue/${id}`)).body);
    expect(completed?.data).toMatchObject({ job: { id, status: 'completed' }, skin: { duplicate: false } });
    expect((await stream.first(3)).map((event) => event.id)).toEqual([1, 2, 3]);
  });

  test('tells of a failure with its reason', async () => {
    const server = await runServer({ workers: 0 });
    const id = await submit(server.owner, 1);
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

  test('tells of a job whose picture was known, once', async () => {
    const { owner } = await runServer();
    await owner.upload('/v2/generate', skinPng(1));
    const stream = await owner.events();
    await stream.first(1);
    const id = await submit(owner, 1);
    const last = await submit(owner, 1);
    expect((await stream.first(3)).slice(1).map(idOf)).toEqual([id, last]);
    expect((await stream.first(3)).slice(1).map(statusOf)).toEqual(['completed', 'completed']);
  });

  test('tells of every end, however fast they come, to every stream of the caller', async () => {
    const { owner } = await runServer({ workers: 4 });
    const streams = [await owner.events(), await owner.events()];
    const ids: string[] = [];
    for (let n = 0; n < 40; n++) {
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

  test('keeps callers apart: by key, and those without by address', async () => {
    const { owner, user, anonymous } = await runServer({ workers: 0 });
    const callers = [owner, await user('bob'), anonymous('127.0.0.1'), anonymous('127.0.0.2')];
    const streams = await Promise.all(callers.map(async (caller) => await caller.events()));
    for (const stream of streams) await stream.first(1);
    const ids: string[] = [];
    for (const [number, caller] of callers.entries()) ids.push(await submit(caller, number));
    for (const [number, stream] of streams.entries())
      expect((await stream.first(2)).slice(1).map(idOf)).toEqual([ids[number]]);
    expect(streams.map(({ events }) => events.length)).toEqual([2, 2, 2, 2]);
    const [, anonymously] = await streams[3]!.first(2);
    expect(anonymously?.data.warnings).toMatchObject([{ code: 'no_api_key' }]);
  });

  test('costs nothing against the limits', async () => {
    const { anonymous } = await runServer();
    for (let n = 0; n < 10; n++) await (await anonymous().events()).first(1);
    expect((await anonymous().get('/v2/delay')).body).toMatchObject({ limit: { used: 0 } });
  });

  test('answers HEAD without a stream', async () => {
    const { owner } = await runServer();
    for (let n = 0; n < 25; n++) expect((await owner.send('HEAD', '/v2/queue/events')).status).toBe(200);
    expect((await owner.events()).status).toBe(200);
  });

  test('is what the other answers link to', async () => {
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
  test('are told of as they are accepted there and end there', async () => {
    const here = await runServer({ workers: 0 });
    const owner = await here.owner.events();
    await owner.first(1);
    const there = await runServer({ dataDir: here.dataDir, pace: 100 });
    const caller = there.anonymous();
    const stream = await here.anonymous().events();
    await stream.first(1);
    const id = await submit(caller, 1);
    const done = await poll(
      () => stream.events.at(-1)!,
      (event) => statusOf(event) === 'completed',
    );
    expect(done.data).toEqual((await here.anonymous().get(`/v2/queue/${id}`)).body);
    expect(owner.events).toHaveLength(1);
  });

  test('are told of although they began and ended between two looks', async () => {
    const { owner, dataDir } = await runServer({ workers: 0 });
    await submit(owner, 1);
    const stream = await owner.events();
    const [first] = await stream.first(1);
    const { db } = await openOwnStore(dataDir);
    const row = await db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    const queue = new StoreQueue(db, { self: nameThisProcess() });
    const known = Array.from({ length: 40 }, () =>
      newJob({ owner: row.owner, textureHash: row.texture_hash }),
    );
    for (const job of known) await queue.recordKnown(job, 'f00d');
    expect(first?.data.jobs).toHaveLength(1);
    expect((await stream.first(41)).slice(1).map(idOf)).toEqual(known.map(({ uuid }) => uuid));
  });
});

describe('A stream of events', () => {
  test('gives signs of life', async () => {
    const clock: Clock = {
      ...systemClock,
      sleep: (ms, signal) => systemClock.sleep(ms === 15_000 ? 50 : ms, signal),
    };
    const { owner } = await runServer({ clock });
    const stream = await owner.events();
    await poll(
      () => stream.text,
      (text) => text.split('\n:\n').length > 3,
    );
    expect(stream.events).toHaveLength(1);
  });

  test('is refused to a caller with twenty of them, until one is closed', async () => {
    const { owner, user } = await runServer();
    const streams: EventReader[] = [];
    for (let n = 0; n < 20; n++) streams.push(await owner.events());
    expectRefusal(await owner.get('/v2/queue/events'), 'concurrency_limit');
    expect((await (await user('bob')).events()).status).toBe(200);
    await streams[7]?.close();
    await poll(
      async () => (await owner.events()).status,
      (status) => status === 200,
    );
  });

  test('leaves nothing behind when its reader goes away, however early', async () => {
    const { owner } = await runServer();
    for (let n = 0; n < 30; n++) {
      const stream = await owner.events();
      if (n % 2 === 0) await stream.first(1);
      await stream.close();
    }
    const { hostname, port } = new URL(owner.url);
    for (let n = 0; n < 30; n++) {
      const socket = connect(Number(port), hostname);
      socket.end('GET /v2/queue/events HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.destroy());
    }
    const open = async () => await Promise.all(Array.from({ length: 20 }, () => owner.events()));
    await poll(
      async () => (await open()).map(({ status }) => status),
      (all) => all.every((status) => status === 200),
    );
  });

  test('is not opened with a key that is not valid', async () => {
    const { owner } = await runServer();
    const refused = await owner.get('/v2/queue/events', { authorization: `Bearer sksm_${'0'.repeat(64)}` });
    expectRefusal(refused, 'invalid_api_key');
  });

  test('is ended at once when the service stops, and another can be opened at the next one', async () => {
    const first = await runServer({ workers: 1, pace: 1_500 });
    const stream = await first.owner.events();
    const id = await submit(first.owner, 1);
    await poll(
      () => first.owner.get(`/v2/queue/${id}`),
      ({ body }) => body.job?.status === 'processing',
    );
    const closing = first.close();
    expect(await ended(stream)).toBe('complete');
    expect(stream.events.some((event) => statusOf(event) === 'completed')).toBe(false);
    expectRefusal(await first.owner.get('/v2/queue/events'), 'service_unavailable');
    await closing;
    const next = await runServer({ dataDir: first.dataDir, port: Number(new URL(first.url).port) });
    const again = await first.owner.events();
    const [jobs] = await again.first(1);
    expect(jobs?.data).toEqual({ jobs: [] });
    expect((await first.owner.get(`/v2/queue/${id}`)).body.job?.status).toBe('completed');
    await next.close();
    expect(await ended(again)).toBe('complete');
  });

  test('hears the last job of a service that drains, then ends', async () => {
    const server = await runServer({ embedded: true, workers: 1, pace: 200 });
    const stream = await server.owner.events();
    const ids = [await submit(server.owner, 1), await submit(server.owner, 2)];
    await server.close({ drain: true });
    expect(await ended(stream)).toBe('complete');
    const ends = stream.events.filter((event) => statusOf(event) === 'completed');
    expect(ends.map(idOf)).toEqual(ids);
  });

  test('that nobody reads is cut once too much waits for it, and costs the service nothing more', async () => {
    const server = await runServer({ workers: 0 });
    const socket = await silentReader(server);
    const { db } = await openOwnStore(server.dataDir);
    const id = await submit(server.owner, 1);
    const { owner, texture_hash } = await db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    const queue = new StoreQueue(db, { self: nameThisProcess() });
    const longResult = 'f00d'.repeat(2_000);
    // Ten megabytes: more than the sockets of both ends hold.
    for (let n = 0; n < 600; n++)
      await queue.recordKnown(newJob({ owner, textureHash: texture_hash }), longResult);
    const last = newJob({ owner, textureHash: texture_hash });
    const attentive = await server.owner.events();
    await attentive.first(1);
    await queue.recordKnown(last, 'f00d');
    await poll(
      () => attentive.events.map(idOf),
      (ids) => ids.includes(last.uuid),
    );
    const heard = await readToEnd(socket);
    expect(heard).toContain(id);
    expect(heard).not.toContain(last.uuid);
    expect(heard.endsWith('0\r\n\r\n')).toBe(false);
  });
});
