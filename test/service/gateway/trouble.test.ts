import { describe, expect, test } from 'vitest';
import type { Fate } from '../../../src/double/plans.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import type { HostedService, ServiceOptions } from '../../support/hosted/hosted-service.ts';
import { runHosted, whenAccepted } from '../../support/hosted/run-hosted.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { ends, numbers, push, runGateway } from '../../support/server/gateway.ts';
import { hurriedClock, WITH_RENEWALS } from '../../support/server/hurried-clock.ts';
import { LogLines } from '../../support/server/log-lines.ts';
import { poll } from '../../support/server/poll.ts';
import { openOwnStore, type ServerUnderTest } from '../../support/server/running-server.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

const allCompleted = (ended: Awaited<ReturnType<typeof ends>>) =>
  ended.every(({ status, attempts }) => status === 'completed' && attempts === 1);

/** A hosted service, and a clock that all gateways to it share with it: they pause for seconds. */
async function runHurried(options: ServiceOptions = {}, times?: number) {
  const clock = hurriedClock(times);
  return { hosted: await runHosted({ clock, ...options }), clock };
}

const submitted = ({ records }: HostedService) => records.accepted.length;

async function untilReady({ owner }: ServerUnderTest, status: number) {
  return await poll(
    () => owner.get('/ready'),
    (heard) => heard.status === status,
  );
}

/** Enough for faults of several kinds. */
const JOBS = isWhole ? 40 : 20;

test('With random faults every job ends with its skin at the first attempt, and nothing is submitted twice', async () => {
  const { hosted, clock } = await runHurried({ serviceTime: 20, latency: 10 }, WITH_RENEWALS);
  const gateway = await runGateway(hosted, { clock });
  hosted.faults = { seed: 3, share: 0.25, longestWait: 30 };
  await push(await gateway.user('ann'), numbers(0, JOBS));
  expect(allCompleted(await ends(gateway.dataDir, JOBS))).toBe(true);
  const { accepted, doubleSubmissions, mostUnfinished, troubles } = hosted.records;
  expect(new Set(accepted.map(({ pixels }) => pixels)).size).toBe(JOBS);
  expect(doubleSubmissions).toEqual([]);
  expect(mostUnfinished).toBeLessThanOrEqual(5);
  expect(Object.keys(troubles).length).toBeGreaterThan(5);
});

test('Without a published key, the key document has none', async () => {
  const { url, key } = await runHosted();
  const gateway = await runGateway({ url, key });
  expect((await gateway.owner.get('/')).body).not.toHaveProperty('signaturePublickey');
});

describe('An upstream service that is down', () => {
  test('at the start is a warning; jobs wait, and continue when it answers', async () => {
    const { hosted, clock } = await runHurried({ faults: () => ({ kind: 'unavailable' }) });
    const log = new LogLines();
    const gateway = await runGateway(hosted, { clock, logLevel: 'warn', logStream: log });
    expect((await untilReady(gateway, 503)).bytes.toString()).toContain('generator_not_ready');
    await push(gateway.owner, [1, 2]);
    await poll(
      () => hosted.records.requests.list ?? 0,
      (looks) => looks >= 3,
    );
    expect(hosted.records.requests.submit).toBeUndefined();
    hosted.faults = undefined;
    expect(allCompleted(await ends(gateway.dataDir, 2))).toBe(true);
    await untilReady(gateway, 200);
    expect(log.text).toMatch(/is unavailable; jobs wait.*\n.*responds again/s);
    expect(log.text.match(/is unavailable; jobs wait/g)).toHaveLength(1);
    expect(log.text).not.toContain(hosted.key);
  });
});

describe('Upstream limits', () => {
  test('of requests are obeyed, and use up no attempts', async () => {
    const { hosted, clock } = await runHurried({
      serviceTime: 10,
      // More than jobs are under way at once: while the answers of a whole window are awaited, its end is guessed a minute on.
      rate: { limit: 6, window: 300 },
      flags: { blockPerMinute: true },
    });
    const gateway = await runGateway(hosted, { clock });
    await push(gateway.owner, numbers(0, 16));
    expect(allCompleted(await ends(gateway.dataDir, 16))).toBe(true);
    expect(hosted.records.refusals['rate_limit'] ?? 0).toBeLessThan(30);
  });

  test('of slots are respected while other programs use some of them', async () => {
    const { hosted, clock } = await runHurried({ serviceTime: 150, slack: 10 });
    hosted.hold();
    for (let n = 0; n < 3; n++) hosted.occupy(Number.POSITIVE_INFINITY);
    const gateway = await runGateway(hosted, { clock });
    await push(gateway.owner, numbers(0, 12));
    await whenAccepted(hosted, 2);
    hosted.release();
    expect(allCompleted(await ends(gateway.dataDir, 12))).toBe(true);
    expect(hosted.records.mostUnfinished).toBe(5);
  });

  test('of slots are waited for when others have all of them', async () => {
    const { hosted, clock } = await runHurried({ serviceTime: 150 });
    const gateway = await runGateway(hosted, { clock });
    for (let n = 0; n < 5; n++) hosted.occupy(Number.POSITIVE_INFINITY);
    await push(gateway.owner, [1, 2]);
    const looks = hosted.records.requests.list ?? 0;
    await poll(
      () => hosted.records.requests.list ?? 0,
      (more) => more >= looks + 2,
    );
    expect(hosted.records.accepted).toEqual([]);
    hosted.release();
    expect(allCompleted(await ends(gateway.dataDir, 2))).toBe(true);
    expect(hosted.records.refusals['job_limit'] ?? 0).toBeLessThan(5);
  });

  test('that the operator sets lower than the plan are respected', async () => {
    const { hosted, clock } = await runHurried({ serviceTime: 150 });
    const gateway = await runGateway(hosted, {
      clock,
      upstream: { url: hosted.url, apiKey: hosted.key, slots: 2 },
    });
    hosted.hold();
    await push(gateway.owner, numbers(0, 8));
    await whenAccepted(hosted, 2);
    hosted.release();
    await ends(gateway.dataDir, 8);
    expect(hosted.records.mostUnfinished).toBe(2);
  });
});

describe('An upstream job', () => {
  const over = async (fate: Fate, times?: number) => {
    const bad = pixelHash(drawSkin(1));
    const serviceOptions = { serviceTime: 20, fate: (pixels: string) => (pixels === bad ? fate : undefined) };
    const { hosted, clock } = await runHurried(serviceOptions, times);
    const gateway = await runGateway(hosted, { clock });
    // To believe that a job was forgotten takes ten seconds, as long as a request waits by default.
    const { status, body } = await gateway.owner.upload('/v2/generate?timeout=30', skinPng(1));
    const [{ attempts } = {}] = await ends(gateway.dataDir, 1);
    const { db } = await openOwnStore(gateway.dataDir);
    // A record that stays keeps a slot for hours.
    await poll(
      () => db.selectFrom('upstream_jobs').selectAll().execute(),
      ({ length }) => length === 0,
      60_000,
    );
    return { status, code: body.errors?.[0]?.code, attempts, submitted: submitted(hosted) };
  };

  test('that fails because of the picture fails here, with its reason', async () => {
    const failed = await over({ kind: 'fails', times: 9, code: 'invalid_image' });
    expect(failed).toEqual({ status: 400, code: 'invalid_image', attempts: 1, submitted: 1 });
  });

  test('that is refused because of the picture fails here too', async () => {
    const failed = await over({ kind: 'refused', times: 9, code: 'invalid_image' });
    expect(failed).toEqual({ status: 400, code: 'invalid_image', attempts: 1, submitted: 0 });
  });

  test('that fails for a temporary reason is tried again, as another job', async () => {
    const made = await over({ kind: 'fails', times: 1, code: 'skin_change_failed' });
    expect(made).toEqual({ status: 200, code: undefined, attempts: 2, submitted: 2 });
  });

  test('that shows another picture is tried again', async () => {
    const made = await over({ kind: 'wrong', times: 1 });
    expect(made).toEqual({ status: 200, code: undefined, attempts: 2, submitted: 2 });
  });

  test('that is forgotten before its skin was fetched is submitted again, in the same attempt', async () => {
    const made = await over({ kind: 'forgotten', times: 1, after: 0, keepsSkin: false }, WITH_RENEWALS);
    expect(made).toEqual({ status: 200, code: undefined, attempts: 1, submitted: 2 });
  });
});
