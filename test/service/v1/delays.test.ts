import { describe, expect, test } from 'vitest';
import type { V1ErrorAnswer } from '../../../src/protocol/v1.ts';
import {
  expectOldRefusal,
  readGenerated,
  switchedKey,
  type V1Generated,
} from '../../support/http/v1/old-format.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';
import { testWhole } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

guardAgainstLeaks();

/** More than an anonymous caller may have in a minute. */
const SKINS = 22;
/** For readers whose times are the same ones in other units. */
const FEWER = isWhole ? SKINS : 6;

/** A client of version 1: which of the times it is told it obeys, each in milliseconds. */
interface Reader {
  afterSkin(made: V1Generated): number;
  afterRefusal(refused: V1ErrorAnswer): number;
}

/** As the clients read them: whole seconds from now, or milliseconds. */
const READERS = {
  delay: { afterSkin: ({ delay }) => delay * 1000, afterRefusal: ({ delay }) => delay * 1000 },
  delayInfo: {
    afterSkin: ({ delayInfo }) => delayInfo.millis,
    afterRefusal: ({ delayInfo }) => delayInfo.millis,
  },
  nextRequest: {
    afterSkin: ({ nextRequest }) => nextRequest * 1000,
    afterRefusal: ({ nextRequest }) => nextRequest * 1000,
  },
} satisfies Record<string, Reader>;

type Turn = 'skin' | 'refused';

/** Generates one picture after the other, sleeping as the reader does; what each request came to. */
async function generateAll(
  caller: TestCaller,
  {
    reader,
    clock,
    query = '',
    count = SKINS,
  }: { reader: Reader; clock: MovableClock; query?: string; count?: number },
): Promise<Turn[]> {
  const turns: Turn[] = [];
  for (let n = 0; n < count; ) {
    const heard = await caller.upload(`/generate/upload${query}`, skinPng(n));
    if (heard.status === 429) {
      turns.push('refused');
      clock.forward(reader.afterRefusal(expectOldRefusal(heard, 'rate_limit')));
    } else {
      turns.push('skin');
      clock.forward(reader.afterSkin(readGenerated(heard)));
      n++;
    }
    expect(turns.join(' ')).not.toContain('refused refused');
  }
  return turns;
}

describe.each(Object.entries<Reader>(READERS))('A client that sleeps as %s says', (name, reader) => {
  const count = name === 'delay' ? SKINS : FEWER;

  test('is never refused', async () => {
    const clock = new MovableClock();
    const { anonymous } = await runServer({ clock });
    expect(await generateAll(anonymous(), { reader, clock, count })).not.toContain('refused');
  });

  // The times of refusals are the same ones in other units, too.
  (name === 'delay' ? test : testWhole)(
    'is refused at most once in a row when it sleeps only after refusals',
    async () => {
      const clock = new MovableClock();
      const { anonymous } = await runServer({ clock });
      const turns = await generateAll(anonymous(), {
        reader: { ...reader, afterSkin: () => 100 },
        clock,
        count: FEWER,
      });
      expect(turns.filter((turn) => turn === 'refused')).toHaveLength(FEWER - 1);
    },
  );
});

describe('The delay of version 1', () => {
  test.each([
    ['of the query', '?v2=true', false],
    ['of the key', '', true],
  ])('does not apply with the switch %s on', async (_, query, isSetting) => {
    const clock = new MovableClock();
    const server = await runServer({ clock });
    const key = isSetting ? await switchedKey(server, 'bob') : undefined;
    const bob = key === undefined ? await server.user('bob') : new TestCaller(server.url, { key });
    const start = clock.now();
    const turns = await generateAll(bob, { reader: READERS.delay, clock, query, count: FEWER });
    expect([turns.includes('refused'), clock.now() - start]).toEqual([false, 0]);
  });

  test('is that of the plan, to the millisecond, counted from the last accepted request', async () => {
    const clock = new MovableClock();
    const { user } = await runServer({ clock });
    const bob = await user('bob');
    const made = readGenerated(await bob.upload('/generate/upload', skinPng(1)));
    expect(made.delayInfo).toEqual({ millis: 1_000, seconds: 1 });
    clock.forward(999);
    const refused = expectOldRefusal(await bob.upload('/generate/upload', skinPng(2)), 'rate_limit');
    expect(refused).toMatchObject({ delay: 1, delayInfo: { millis: 1, seconds: 1 } });
    expect(refused.nextRequest).toBe(1);
    clock.forward(1);
    readGenerated(await bob.upload('/generate/upload', skinPng(2)));
  });

  test('is returned in full although the request itself took part of that time', async () => {
    const clock = new MovableClock();
    const { anonymous } = await runServer({ clock, pace: 2_000 });
    const answer = anonymous().upload('/generate/upload', skinPng(1));
    await poll(
      () => anonymous().get('/v2/queue'),
      ({ body }) => body.jobs?.[0]?.status === 'processing',
    );
    clock.forward(2_000);
    const made = readGenerated(await answer);
    expect([made.delay, made.rateLimit?.next.relative]).toEqual([3, 1_000]);
  });

  test('is zero after an existing skin', async () => {
    const clock = new MovableClock();
    const { owner, anonymous } = await runServer({ clock });
    await owner.upload('/generate/upload', skinPng(1));
    for (const name of ['a', 'b', 'c']) {
      const made = readGenerated(await anonymous().upload('/generate/upload', skinPng(1), { name }));
      expect(made).toMatchObject({ duplicate: true, delay: 0, nextRequest: 0 });
    }
    readGenerated(await anonymous().upload('/generate/upload', skinPng(2)));
  });

  test('is in every refusal of a valid request', async () => {
    const { anonymous } = await runServer({ clock: new MovableClock() });
    await anonymous().upload('/generate/upload', skinPng(1));
    const refused = await anonymous().upload('/generate/upload', Buffer.from('no picture'));
    expect(expectOldRefusal(refused, 'invalid_image').delayInfo).toEqual({ millis: 3_000, seconds: 3 });
  });
});

describe('A request of version 1', () => {
  test('is refused while another one of the caller is under way, and taken after it', async () => {
    const work = new HeldWork();
    const { owner } = await runServer(work.options);
    const first = owner.upload('/generate/upload', skinPng(1));
    await poll(
      () => owner.get('/v2/queue'),
      ({ body }) => body.jobs?.length === 1,
    );
    const refused = await owner.upload('/generate/upload', skinPng(2));
    expectOldRefusal(refused, 'concurrency_limit');
    work.release();
    readGenerated(await first);
    readGenerated(await owner.upload('/generate/upload', skinPng(2)));
  });

  test('has to wait until the other one is done', async () => {
    const work = new HeldWork();
    const { pace } = work.options;
    const { owner } = await runServer(work.options);
    const first = owner.upload('/generate/upload', skinPng(1));
    await poll(
      () => owner.get('/v2/queue'),
      ({ body }) => body.jobs?.[0]?.status === 'processing',
    );
    const refused = await owner.upload('/generate/upload', skinPng(2));
    const { delayInfo } = expectOldRefusal(refused, 'concurrency_limit');
    expect(delayInfo.millis).toBeGreaterThan(pace - 600_000); // the test takes no longer than that
    expect(delayInfo.millis).toBeLessThanOrEqual(pace * 1.1 + 100); // a little late, so that it is over by then
    work.release();
    readGenerated(await first);
  });

  test('waits for an identical one that is under way', async () => {
    const { owner } = await runServer({ pace: 300 });
    const both = await Promise.all([1, 1].map((n) => owner.upload('/generate/upload', skinPng(n))));
    const [first, second] = both.map(readGenerated);
    expect(second?.uuid).toBe(first?.uuid);
  });

  test.each([
    ['of the query', '?v2=true', false],
    ['of the key', '', true],
  ])('runs beside others of the caller with the switch %s on', async (_, query, isSetting) => {
    const work = new HeldWork();
    const server = await runServer(work.options);
    const key = isSetting ? await switchedKey(server) : server.key;
    const caller = new TestCaller(server.url, { key });
    let answered = 0;
    const all = [1, 2, 3].map(async (n) => {
      const heard = await caller.upload(`/generate/upload${query}`, skinPng(n));
      answered++;
      return heard;
    });
    await poll(
      async () => (await caller.get('/v2/queue')).body.jobs?.length,
      (queued) => queued === 3 || answered > 0,
    );
    work.release();
    for (const heard of await Promise.all(all)) readGenerated(heard);
  });
});
