/** Batches while the service answers some kinds of requests, or all, with something else for a time. */
import { describe, expect, test } from 'vitest';
import type { RequestKind } from '../../../../src/double/requests.ts';
import { openWorld } from '../../../support/hosted/batches-in-memory.ts';
import { OUTAGES, type Outage, outage } from '../../../support/hosted/outages.ts';
import { sampled } from '../../../support/setup/extent.ts';
import { isWhole } from '../../../support/setup/whole-run.ts';

/** What is wrong with one single job is not known from a 404. */
const MISSING: readonly Outage[] = ['a 404 in JSON', 'a 404 in HTML'];
const ALL = (Object.keys(OUTAGES) as Outage[]).filter((name) => !MISSING.includes(name));
const FROM = 1_000;
/** Skins of a batch: enough that most of them come after an outage. */
const COUNT = 30;

interface During {
  readonly count: number;
  readonly lasts: number;
  /** The requests that fail; absent: all. */
  readonly kinds?: readonly RequestKind[];
}

/** A batch of which requests fail from its second second on, for so long. */
async function during(name: Outage, { count, lasts, kinds }: During) {
  const world = await openWorld({ serviceTime: 300 });
  const { clock, hosted, batch } = world;
  const when = { from: FROM, to: FROM + lasts, ...(kinds && { kinds }) };
  hosted.disturb = outage(name, when, () => clock.monotonic());
  return { ...world, when, summary: await clock.until(batch(count)) };
}

describe('While reads of single jobs are answered with', () => {
  test.each([
    ...sampled(ALL, 4).map((name) => [name, COUNT, 60_000] as const),
    ['a 502 in HTML', isWhole ? 60 : 20, 600_000],
    ...(isWhole ? [['a refusal without a time', 60, 600_000] as const] : []),
  ] as const)('%s, no skin of %i fails in %i ms, and requests are few', async (name, count, lasts) => {
    const world = await during(name, { count, lasts, kinds: ['job'] });
    const { summary, hosted, mostInTenSeconds, when, waits } = world;
    expect(summary).toMatchObject({ made: count, failed: 0, end: 'complete' });
    expect([hosted.records.doubleSubmissions, hosted.records.mostUnfinished]).toEqual([[], 5]);
    expect(mostInTenSeconds(when)).toBeLessThanOrEqual(20); // 2,500 when each read had a back-off of its own
    expect(waits.length).toBeGreaterThan(0);
  });
});

describe('While everything is answered with', () => {
  test.each(MISSING)('%s by a gateway, a batch waits, because all requests worked before', async (name) => {
    for (const lasts of sampled([12_000, 60_000], 2, MISSING.indexOf(name))) {
      const { summary, hosted, mostInTenSeconds } = await during(name, {
        count: COUNT,
        lasts,
        kinds: ['submit', 'list', 'job', 'skin', 'me', 'root'],
      });
      expect(summary).toMatchObject({ made: COUNT, failed: 0, end: 'complete' });
      expect(hosted.records.accepted).toHaveLength(COUNT);
      expect(mostInTenSeconds({ from: FROM + 10_000, to: FROM + lasts })).toBeLessThanOrEqual(40);
    }
  });

  test.each(sampled(ALL, 4, 1))('%s, a batch waits and continues, and asks rarely', async (name) => {
    const { summary, hosted, mostInTenSeconds } = await during(name, { count: COUNT, lasts: 60_000 });
    expect(summary).toMatchObject({ made: COUNT, failed: 0, end: 'complete' });
    expect(hosted.records.doubleSubmissions).toEqual([]);
    expect(mostInTenSeconds({ from: FROM + 10_000, to: FROM + 60_000 })).toBeLessThanOrEqual(12);
  });

  test('a refusal without a time for ten minutes, requests are few and no skin fails', async () => {
    const count = isWhole ? 60 : 20;
    const world = await during('a refusal without a time', { count, lasts: 600_000 });
    expect(world.summary).toMatchObject({ made: count, failed: 0 });
    expect(world.times().filter((at) => at >= FROM && at < FROM + 600_000).length).toBeLessThanOrEqual(300); // 3,701
  });
});

const OF_SUBMISSIONS = ['a 502 in HTML', 'a 500 in JSON', 'a 503 in HTML', 'a reset connection'] as const;

describe.each(sampled(OF_SUBMISSIONS, 3))('While submissions alone are answered with %s', (name) => {
  test('that counts as one outage: all skins are made when it ends, and none twice', async () => {
    const world = await during(name, { count: COUNT, lasts: 60_000, kinds: ['submit'] });
    expect(world.summary).toMatchObject({ made: COUNT, failed: 0 });
    expect(world.hosted.records.accepted).toHaveLength(COUNT);
  });

  test('for too long, the batch ends with that error, and nothing counts as in the queue', async () => {
    const world = await openWorld({ serviceTime: 300 });
    const { clock, hosted, batch, events } = world;
    hosted.disturb = outage(name, { kinds: ['submit'], from: 0, to: 7_200_000 }, () => clock.monotonic());
    let queued = -1;
    const onProgress = (read: () => { queued: number }) => {
      void clock.sleep(60_000).then(() => {
        queued = read().queued;
      });
    };
    await expect(clock.until(batch(COUNT, { onProgress }))).rejects.toMatchObject({
      name: 'ServiceLostError',
    });
    expect([queued, hosted.times('submit').length < 40]).toEqual([0, true]);
    const isPage = name !== 'a reset connection';
    if (isPage) expect(events.filter(({ type }) => type === 'again')).toEqual([]);
    expect(clock.monotonic()).toBeLessThan(16 * 60_000);
  });
});

test('A process that is asleep for a minute, with all its connections closed meanwhile, fails no skin', async () => {
  const { clock, hosted, batch } = await openWorld({ serviceTime: 300 });
  let isAsleep = false;
  const [from, until] = [2_100, 62_100];
  hosted.disturb = async (_, process) => {
    const answer = await process();
    if (clock.monotonic() < from || isAsleep) return answer;
    // The first request after the time finds the machine asleep, and so do those that are sent until it wakes.
    if (clock.monotonic() < until) {
      await clock.sleep(until - clock.monotonic());
      isAsleep = true;
      return OUTAGES['a reset connection']();
    }
    return answer;
  };
  const summary = await clock.until(batch(30));
  expect(summary).toMatchObject({ made: COUNT, failed: 0 });
  expect(hosted.records.doubleSubmissions).toEqual([]);
});

test('A host of textures that is down for 70 s costs no skin and few requests', async () => {
  const count = isWhole ? 60 : COUNT;
  const { hosted, summary } = await during('a 500 in JSON', { count, lasts: 70_000, kinds: ['texture'] });
  expect(summary).toMatchObject({ made: count, failed: 0 });
  expect(hosted.times('texture').length).toBeLessThanOrEqual(count + 30);
});

test('A batch that is interrupted in an outage ends at once', async () => {
  const { clock, hosted, batch } = await openWorld({ serviceTime: 300 });
  hosted.disturb = outage('a 502 in HTML', { from: 2_000, to: 7_200_000 }, () => clock.monotonic());
  const stop = new AbortController();
  const interrupted = clock.sleep(20_000).then(() => stop.abort());
  const summary = await clock.until(batch(60, { signal: stop.signal }));
  await interrupted;
  expect([summary.end, clock.monotonic() - 20_000 < 300]).toEqual(['interrupted', true]);
});

/** Longest time without a word on what is waited for, milliseconds. */
const SOON = 5_000;

describe('A batch that waits says so', () => {
  test('while the user’s other key fills the queue', async () => {
    const { clock, hosted, batch, waits, longestSilence } = await openWorld({ serviceTime: 300 });
    for (let n = 0; n < 5; n++) hosted.occupy(30_000, { key: 'other' });
    expect(await clock.until(batch(3))).toMatchObject({ made: 3 });
    expect(waits[0]?.message).toBe('Jobs that this user submitted with another key fill the queue.');
    expect(longestSilence({ from: 0, to: 29_000 })).toBeLessThanOrEqual(SOON);
  });

  test('for the submissions of a killed run', async () => {
    const { clock, hosted, batch, waits } = await openWorld({ serviceTime: 300 });
    const stop = new AbortController();
    hosted.disturb = async ({ kind }, process) => {
      if (kind !== 'submit') return await process();
      stop.abort();
      return await new Promise<never>(() => {});
    };
    await clock.until(batch(3, { signal: stop.signal }));
    hosted.disturb = async (_, process) => await process();
    const from = clock.monotonic();
    expect(await clock.until(batch(3))).toMatchObject({ made: 3 });
    const told = waits.find(({ message }) =>
      message.includes('An earlier run ended while it was submitting'),
    );
    expect((told?.at ?? Number.NaN) - from).toBeLessThanOrEqual(SOON);
    expect(told?.ms).toBeGreaterThan(15_000);
  });

  test.each([
    ['results', ['skin']],
    ['the list', ['list']],
    ['first contact', ['me', 'root']],
    ['a submission', ['submit']],
  ] as const)('for %s that come late', async (_, kinds) => {
    const { clock, hosted, batch, longestSilence } = await openWorld({
      serviceTime: 300,
      ...(kinds[0] === 'skin' && { alter: { job: { skin: '(absent)' } } }),
    });
    hosted.disturb = async ({ kind }, process) => {
      if ((kinds as readonly string[]).includes(kind) && clock.monotonic() < 15_000)
        await clock.sleep(15_000 - clock.monotonic());
      return await process();
    };
    expect(await clock.until(batch(3))).toMatchObject({ made: 3 });
    expect(longestSilence({ from: 2_000, to: 14_000 })).toBeLessThanOrEqual(SOON);
  });
});

test.each(sampled([300, 1_000, 2_900], 3, 1))(
  'A batch that is interrupted %d ms after its service stopped answering ends at once',
  async (ms) => {
    const { clock, hosted, batch } = await openWorld({ serviceTime: 300 });
    hosted.disturb = async (_, process) =>
      clock.monotonic() < 2_000 ? await process() : await new Promise<never>(() => {});
    const stop = new AbortController();
    const interrupted = clock.sleep(2_000 + ms).then(() => stop.abort());
    const summary = await clock.until(batch(60, { signal: stop.signal }));
    await interrupted;
    expect([summary.end, clock.monotonic() - 2_000 - ms < 300]).toEqual(['interrupted', true]);
  },
);

test('A batch that is interrupted while submissions take a second still gets the answers to the ones in flight', async () => {
  const latency = (kind: string) => (kind === 'submit' ? 500 : 5);
  const { clock, hosted, batch } = await openWorld({ serviceTime: 300, latency });
  const stop = new AbortController();
  hosted.disturb = async (request, process) => {
    const answer = await process();
    if (request.kind === 'submit' && hosted.records.accepted.length >= 12) stop.abort();
    return answer;
  };
  const { end, submitted } = await clock.until(batch(60, { signal: stop.signal }));
  expect([end, submitted]).toEqual(['interrupted', hosted.records.accepted.length]);
});
