import { expect, test } from 'vitest';
import { systemClock } from '../../../../../src/base/clock.ts';
import { JobSignals } from '../../../../../src/server/events/job-signals.ts';
import { waitForEnds } from '../../../../../src/server/service/jobs/jobs.ts';

/** A service with these pending jobs; all others have ended. */
function serviceWith(pending: readonly string[]) {
  const left = new Set(pending);
  const pages: number[] = [];
  const looks: string[] = [];
  const queue = {
    findEnded: async (uuids: readonly string[]) => {
      pages.push(uuids.length);
      return uuids.filter((uuid) => !left.has(uuid)).map((uuid) => ({ uuid, owner: 'ann' }));
    },
    find: async (uuid: string) => {
      looks.push(uuid);
      return { uuid, status: left.has(uuid) ? 'waiting' : 'completed' };
    },
  };
  const signals = new JobSignals();
  const context = {
    ...{ clock: systemClock, queue, signals },
    isStopping: () => false,
    trouble: () => undefined,
  } as unknown as Parameters<typeof waitForEnds>[0];
  const end = (uuid: string) => {
    left.delete(uuid);
    signals.finished({ uuid, owner: 'ann' });
  };
  return { context, pages, looks, end };
}

test('Of a thousand jobs, only those that have not ended are looked at singly', async () => {
  const { context, pages, looks, end } = serviceWith(['7', '900']);
  const uuids = Array.from({ length: 1_000 }, (_, number) => `${number}`);
  let isOver = false;
  const waited = waitForEnds(context, uuids, 60_000).then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect([isOver, looks]).toEqual([false, ['7']]);
  end('7');
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  end('900');
  await waited;
  expect(pages).toEqual([500, 500]);
  expect(new Set(looks)).toEqual(new Set(['7', '900']));
});
