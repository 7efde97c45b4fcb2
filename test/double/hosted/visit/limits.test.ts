import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { callHosted, submit } from '../../../support/hosted/run-hosted.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';

/** Twelve minutes and some past an hour. */
const NOW = Date.UTC(2026, 1, 3, 10, 12, 34, 500);
const STOPPED = { ...systemClock, now: () => NOW };
const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000);

describe('The limits in an answer to POST /v2/queue', () => {
  test('consist of zeros and the present second if no limit was looked up', async () => {
    const { caller } = await callHosted({ clock: STOPPED });
    const { body, headers } = await submit(caller, 1);
    const zeros = { used: 0, limit: 0, remaining: 0, reset: Math.floor(NOW / 1000) };
    expect(body.rateLimit).toEqual({
      next: { absolute: NOW, relative: 0 },
      delay: { millis: 0, seconds: 0 },
      limit: { ...zeros, minute: zeros, hour: zeros },
    });
    expect(headers).toMatchObject({
      'x-ratelimit-limit': '0',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-delay': '0',
      'x-ratelimit-nextrequest': `${NOW}`,
    });
  });

  test('consist of the minute, and an hour without an end', async () => {
    const { caller } = await callHosted({ clock: STOPPED, rate: { limit: 20 } });
    await submit(caller, 1);
    const { body, headers } = await submit(caller, 2);
    const minute = { used: 2, limit: 20, remaining: 18, reset: seconds(NOW + 60_000) };
    const hour = { used: 1, limit: 0, remaining: 0, reset: Date.UTC(2026, 1, 3, 11) / 1000 };
    expect(body.rateLimit?.limit).toEqual({ ...minute, minute, hour });
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '18' });
    expect(body.rateLimit?.next.relative).toBe(0);
  });

  test('have the end of the minute as `next` once nothing remains, although nothing is refused', async () => {
    const { caller } = await callHosted({ clock: STOPPED, rate: { limit: 2 } });
    await submit(caller, 1);
    const { status, body } = await submit(caller, 2);
    const absolute = seconds(NOW + 60_000) * 1000;
    expect([status, body.rateLimit?.next]).toEqual([202, { absolute, relative: absolute - NOW }]);
    expect((await submit(caller, 3)).status).toBe(202);
  });

  test("have the caller's pause between requests, which the queue does not enforce", async () => {
    const { caller } = await callHosted({ clock: STOPPED, delay: 3_000 });
    await submit(caller, 1);
    const { status, body } = await submit(caller, 2);
    expect([status, body.rateLimit?.next.relative]).toEqual([202, 6_000]);
    const refused = await caller.upload('/v2/generate', skinPng(3));
    expect([refused.status, refused.body.errors[0]?.code, refused.headers['retry-after']]).toEqual([
      429,
      'rate_limit',
      '6',
    ]);
  });

  test('add a wait of 50 ms for each pending job', async () => {
    const { caller } = await callHosted({ clock: STOPPED, workers: 0 });
    const waits: unknown[] = [];
    for (const number of [1, 2, 3, 4])
      waits.push((await submit(caller, number)).body.rateLimit?.next.relative);
    expect(waits).toEqual([0, 0, 100, 150]);
  });

  test('use the clock of the service', async () => {
    const { caller } = await callHosted({ clock: STOPPED, clockOffset: 30_000 });
    const { body, headers } = await submit(caller, 1);
    expect([body.job?.timestamp, headers['date']]).toEqual([
      NOW + 30_000,
      new Date(NOW + 30_000).toUTCString(),
    ]);
  });
});

test('Each answer has the quota of the hour, beyond which submissions are refused until the hour ends', async () => {
  let now = NOW;
  const rate = { limit: 1_000, perHour: 100 };
  const { caller } = await callHosted({
    clock: { ...systemClock, now: () => now },
    rate,
    limit: 200,
    known: 'nothing',
  });
  expect((await caller.get('/v2/me')).body.grants).toMatchObject({ per_hour: 100 });
  const end = Date.UTC(2026, 1, 3, 11);
  for (let number = 1; number < 100; number++) await submit(caller, number);
  const last = await submit(caller, 100);
  const hour = { used: 100, limit: 100, remaining: 0, reset: end / 1000 };
  expect([last.status, last.body.rateLimit?.limit.hour]).toEqual([202, hour]);
  const refused = await submit(caller, 101);
  expect([refused.status, refused.body.errors[0]?.code]).toEqual([429, 'rate_limit']);
  expect(refused.body.rateLimit?.next.absolute).toBe(end);
  expect(refused.headers['retry-after']).toBe(String(seconds(end - NOW)));
  now = end;
  expect((await submit(caller, 102)).status).toBe(202);
});

describe('A rate', () => {
  test('is enforced only with the flag, one request later than announced', async () => {
    const { caller, service } = await callHosted({ clock: STOPPED, rate: { limit: 2 }, limit: 9 });
    for (const number of [1, 2, 3, 4]) expect((await submit(caller, number)).status).toBe(202);
    service.flags = { blockPerMinute: true };
    const { status, body, headers } = await submit(caller, 5);
    expect([status, body.errors[0]?.code, headers['retry-after'], body.rateLimit?.limit.minute.used]).toEqual(
      [429, 'rate_limit', '61', 4],
    );
    service.rate = undefined;
    expect((await submit(caller, 5)).status).toBe(202);
  });

  test('of concurrent requests is enforced in the same way', async () => {
    const { caller } = await callHosted({ workers: 0, concurrency: 1, flags: { blockConcurrency: true } });
    await submit(caller, 1);
    const { status, body } = await submit(caller, 2);
    expect([status, body.errors[0]?.code]).toEqual([429, 'concurrency_limit']);
  });
});

test('GET /v2/delay nests the fields of the limits, and has no windows', async () => {
  const { caller } = await callHosted({ clock: STOPPED, delay: 3_000, rate: { limit: 20 } });
  await submit(caller, 1);
  const { bytes } = await caller.get('/v2/delay');
  expect(JSON.parse(bytes.toString())).toEqual({
    success: true,
    rateLimit: {
      delay: { millis: 3_000, seconds: 3 },
      next: { absolute: NOW + 3_000, relative: 3_000 },
      limit: { limit: 20, remaining: 19, reset: seconds(NOW + 60_000) },
    },
  });
});
