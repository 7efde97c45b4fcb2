import { describe, expect, test } from 'vitest';
import { DoubleClock } from '../../../../../src/double/clock.ts';
import type { Texture } from '../../../../../src/server/generators/port.ts';
import {
  isBeingSent,
  sendingUntil,
  settlesIn,
} from '../../../../../src/server/generators/upstream/submitting.ts';
import { openGateway } from '../../../../support/hosted/gateway.ts';
import { runHosted, whenAccepted } from '../../../../support/hosted/run-hosted.ts';
import { ends, push, runGateway, runGatewayProcess } from '../../../../support/server/gateway.ts';
import { holdSubmissionsTo } from '../../../../support/server/holding-front.ts';
import { hurry, WITH_RENEWALS } from '../../../../support/server/hurried-clock.ts';
import { poll } from '../../../../support/server/poll.ts';
import { openOwnStore } from '../../../../support/server/running-server.ts';

const NOW = 1_000_000;
const TIMEOUT = 20_000;
const GONE = 'here/1/gone#1';

describe('A submission', () => {
  const sent = { sender: 'here/1/alive#1', sending_until: sendingUntil(NOW, TIMEOUT), settles_at: null };
  const isSent = (change: object, now = NOW) =>
    isBeingSent({ ...sent, ...change }, { now, timeout: TIMEOUT, gone: new Set([GONE]) });

  test('is in flight until it has ended, or must have ended', () => {
    expect([isSent({}), isSent({}, NOW + 21_000), isSent({}, NOW + 21_001)]).toEqual([true, true, false]);
    expect(isSent({ settles_at: NOW + 300 })).toBe(false);
  });

  test('of a process that is gone, or of another clock, is not in flight', () => {
    expect([isSent({ sender: GONE }), isSent({ sender: null })]).toEqual([false, false]);
    expect(isSent({ sender: 'another-machine/1/x#1' })).toBe(true);
    expect(isSent({}, NOW - 86_400_000)).toBe(false);
  });

  test('counts as visible shortly after an error answer, and later after no answer', () => {
    expect(settlesIn({ ...sent, settles_at: NOW + 300 }, NOW)).toBe(300);
    expect(settlesIn({ ...sent, settles_at: NOW - 300 }, NOW)).toBe(0);
    expect(settlesIn({ ...sent, settles_at: NOW + 86_400_000 }, NOW)).toBe(15_000);
    expect(settlesIn(sent, NOW)).toBe(15_000);
  });
});

test('A key that is refused at a submission is tried again after a minute, without a failure of the job', async () => {
  const { clock, hosted, opened, keepPicture } = await openGateway();
  const { generator } = opened;
  const hash = await keepPicture(1);
  hosted.disturb = async (request, process) => {
    if (request.kind !== 'submit') return await process();
    hosted.replaceKey();
    const reply = await process();
    hosted.replaceKey(); // the first one again: only the submission has told
    return reply;
  };
  const texture: Texture = {
    ...{ owner: 'ann', identity: hash, hash, capeHash: null },
    ...{ variant: 'classic', visibility: 'public' },
  };
  const generated = generator.generate(texture, new AbortController().signal);
  const error = await clock.until(generated.catch((reason: unknown) => reason));
  expect(error).toMatchObject({ name: 'GenerationPostponed', until: clock.now() + 60_000 });
  expect([generator.isReady?.(), hosted.times('submit').length]).toEqual([false, 1]);
});

/** Textures are not where the submissions go. */
const REACHING = { allowedNetworks: ['127.0.0.0/8'] };

describe('No picture is sent twice', () => {
  test('to a service that is still at work on it when the request has timed out', async () => {
    const clock = new DoubleClock();
    const hosted = await runHosted({ clock, serviceTime: 20 });
    const front = await holdSubmissionsTo(hosted);
    const gateway = await runGateway(
      { url: front.url, key: hosted.key },
      {
        clock,
        upstream: { url: front.url, apiKey: hosted.key, timeout: 400 },
        ...REACHING,
      },
    );
    await push(gateway.owner, [1]);
    const { db } = await openOwnStore(gateway.dataDir);
    await poll(
      () => db.selectFrom('upstream_jobs').select('settles_at').executeTakeFirst(),
      (row) => (row?.settles_at ?? null) !== null,
    );
    front.release();
    await whenAccepted(hosted, 1);
    hurry(clock, WITH_RENEWALS); // until the service must show a job of which nobody knows whether it arrived
    const [job] = await ends(gateway.dataDir, 1);
    expect(job).toMatchObject({ status: 'completed', attempts: 1 });
    expect([front.submissions, hosted.records.doubleSubmissions]).toEqual([1, []]);
  });

  test('by two gateways when one has lost its lease while the service is slow to answer', async () => {
    const hosted = await runHosted({ serviceTime: 20 });
    const front = await holdSubmissionsTo(hosted);
    const slow = { url: front.url, key: hosted.key };
    const one = await runGateway(slow, REACHING);
    await push(one.owner, [1]);
    await poll(
      () => front.submissions,
      (count) => count === 1,
    );
    await runGatewayProcess(slow, { ...REACHING, dataDir: one.dataDir });
    const { db } = await openOwnStore(one.dataDir);
    const lost = { status: 'waiting', lease_owner: null, lease_until: null } as const;
    await db.updateTable('jobs').set(lost).execute();
    const job = db.selectFrom('jobs').select(['run_at', 'created_at']);
    await poll(
      () => job.executeTakeFirstOrThrow(),
      ({ run_at, created_at }) => run_at > created_at || front.submissions > 1,
    );
    front.release();
    const [ended] = await ends(one.dataDir, 1);
    expect(ended).toMatchObject({ status: 'completed' });
    expect([front.submissions, hosted.records.accepted.length]).toEqual([1, 1]);
  });
});
