import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { nameThisNode } from '../../../src/server/queue/leases.ts';
import { newJob } from '../../contract/jobs.ts';
import { queueSkin } from '../../support/http/sending.ts';
import { type EventReader, statusOf } from '../../support/server/event-reader.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { poll } from '../../support/server/poll.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';
import { TestQueue } from '../../support/server/test-queue.ts';

guardAgainstLeaks();

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

describe('A stream of events', () => {
  test('sends regular signs of life', async () => {
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

  test('is refused to a caller that has twenty open, until one is closed', async () => {
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

  test('ends at once when the service stops, and can be opened again after a restart', async () => {
    const work = new HeldWork();
    const first = await runServer({ workers: 1, ...work.options });
    const stream = await first.owner.events();
    const id = await queueSkin(first.owner, 1);
    await jobAt(first.owner, id, 'processing');
    const closing = first.close();
    expect(await ended(stream)).toBe('complete');
    expect(stream.events.some((event) => statusOf(event) === 'completed')).toBe(false);
    expectRefusal(await first.owner.get('/v2/queue/events'), 'service_unavailable');
    work.release();
    await closing;
    const next = await runServer({ dataDir: first.dataDir, port: Number(new URL(first.url).port) });
    const again = await first.owner.events();
    const [jobs] = await again.first(1);
    expect(jobs?.data).toEqual({ jobs: [] });
    expect((await first.owner.get(`/v2/queue/${id}`)).body.job?.status).toBe('completed');
    await next.close();
    expect(await ended(again)).toBe('complete');
  });

  test('that nobody reads is cut once too much waits for it, and costs the service nothing more', async () => {
    const server = await runServer({ workers: 0 });
    const socket = await silentReader(server);
    const { db } = await openOwnStore(server.dataDir);
    const id = await queueSkin(server.owner, 1);
    const { owner, texture_hash } = await db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    const queue = new TestQueue(db, { self: nameThisNode() });
    const longResult = 'f00d'.repeat(20_000);
    const attentive = await server.owner.events();
    await attentive.first(1);
    const record = async (count: number) => {
      let last = '';
      for (let n = 0; n < count; n++) {
        const job = newJob({ owner, textureHash: texture_hash });
        await queue.recordKnown(job, longResult);
        last = job.uuid;
      }
      await poll(
        () => attentive.text,
        (text) => text.includes(last),
      );
      return last;
    };
    // Ten megabytes: more than the sockets of both ends hold. At once, they would be too much for an attentive reader, too.
    for (let part = 0; part < 20; part++) await record(3);
    const last = await record(1);
    const heard = await readToEnd(socket);
    expect(heard).toContain(id);
    expect(heard).not.toContain(last);
    expect(heard.endsWith('0\r\n\r\n')).toBe(false);
  });
});
