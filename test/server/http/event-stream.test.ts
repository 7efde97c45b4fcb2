import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { EventStream } from '../../../src/server/http/event-stream.ts';
import { poll } from '../../support/server/poll.ts';

/** Sleeps end when they are told to, the first that began first. */
function handClock() {
  const sleeps: { ms: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: (ms, signal) =>
      new Promise((wake, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        sleeps.push({ ms, wake });
      }),
  };
  return { clock, sleeps };
}

/** A request whose connection is open until either side hangs up. */
function openRequest() {
  const closed = new AbortController();
  const held: number[] = [];
  const holdUnread = (bytes: number) => void held.push(bytes);
  return { signal: closed.signal, hangUp: () => closed.abort(), holdUnread, held };
}

function open() {
  const { clock, sleeps } = handClock();
  const request = openRequest();
  const stream = new EventStream({ greeting: 'hello', request, clock });
  return { stream, request, sleeps };
}

/** The next sleep, once someone sleeps. */
async function wakeNext(sleeps: { ms: number; wake: () => void }[]): Promise<number> {
  await poll(
    () => sleeps.length,
    (count) => count > 0,
  );
  const { ms, wake } = sleeps.shift()!;
  wake();
  return ms;
}

test('A stream begins with a greeting and the delay for reconnecting; its events are numbered', async () => {
  const { stream } = open();
  stream.send('jobs', { jobs: [] });
  stream.send('job', 'two\nlines');
  void stream.end();
  expect(await text(stream.body)).toBe(
    ': hello\nretry: 1000\n\nid: 1\nevent: jobs\ndata: {"jobs":[]}\n\nid: 2\nevent: job\ndata: "two\\nlines"\n\n',
  );
});

test('Nothing is written to a stream after its end', async () => {
  const { stream } = open();
  void stream.end();
  stream.send('job', 'late');
  void stream.end();
  expect(await text(stream.body)).not.toContain('late');
});

test('The stream sends a ping every 15 s, and ends after a quarter of an hour', async () => {
  const { stream, sleeps } = open();
  const beating = stream.beat();
  const heard = text(stream.body);
  for (let beat = 0; beat < 60; beat++) expect(await wakeNext(sleeps)).toBe(15_000);
  expect((await heard).match(/^:$/gm)).toHaveLength(60);
  await wakeNext(sleeps);
  await beating;
});

test('A reader that has gone gets nothing, and leaves no timer', async () => {
  const { stream, request, sleeps } = open();
  const beating = stream.beat();
  const gone: string[] = [];
  stream.whenGone(() => void gone.push('told'));
  expect(gone).toEqual([]);
  request.hangUp();
  await beating;
  stream.whenGone(() => void gone.push('told late'));
  expect(gone).toEqual(['told', 'told late']);
  expect(sleeps).toHaveLength(1);
});

test('A reader that had gone before the stream began is noticed', async () => {
  const { clock } = handClock();
  const request = openRequest();
  request.hangUp();
  const stream = new EventStream({ greeting: 'hello', request, clock });
  const gone: string[] = [];
  stream.whenGone(() => void gone.push('told'));
  await stream.beat();
  expect(gone).toEqual(['told']);
});

test('A reader that does not read the last event is cut off', async () => {
  const { stream, request, sleeps } = open();
  const ending = stream.end();
  expect(request.signal.aborted).toBe(false);
  await wakeNext(sleeps);
  await ending;
  expect(request.signal.aborted).toBe(true);
});

test('A stream with more than a megabyte unread is cut off', () => {
  const { stream } = open();
  stream.send('job', 'x'.repeat(1_000_000));
  expect(stream.body.destroyed).toBe(false);
  stream.send('job', 'x'.repeat(100_000));
  expect(stream.body.destroyed).toBe(true);
  stream.send('job', 'y');
});

test('A stream reports how many of its bytes are unread', () => {
  const { stream, request } = open();
  stream.send('job', { id: 1 });
  stream.body.read();
  stream.send('job', { id: 2 });
  const [greeting = 0, both = 0, last = 0] = request.held;
  expect([both > greeting, last]).toEqual([true, both - greeting]);
});
