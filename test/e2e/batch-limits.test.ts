import { describe, expect, test } from 'vitest';
import type { FaultSource } from '../../src/double/faults.ts';
import { whenAccepted } from '../support/hosted/run-hosted.ts';
import { hostedWorkshop, pixelsOf } from '../support/program/batches.ts';
import { poll } from '../support/server/poll.ts';
import { sampled, testWhole } from '../support/setup/extent.ts';

const MAKE = ['generate', 'skins', '--out', 'out'];

/** Refuses the first submission, however it comes. */
function refuseFirst(says: 'seconds' | 'date' | 'next'): FaultSource {
  let isFirst = true;
  return ({ kind }) => {
    if (kind !== 'submit' || !isFirst) return undefined;
    isFirst = false;
    return { kind: 'rate-limit', wait: 400, says };
  };
}

describe('A limit of submissions', () => {
  // client/rate-limits reads all of them.
  test.each(sampled(['seconds', 'date', 'next'] as const, 3))(
    'announced in %s is obeyed, and is not an error',
    async (says) => {
      const { shop, service } = await hostedWorkshop({ faults: refuseFirst(says) });
      await shop.drawMany('skins', 3);
      const arrivals: number[] = [];
      service.watch((moment, kind) => {
        if (moment === 'arrived' && kind === 'submit') arrivals.push(Date.now());
      });
      const { exitCode, stderr } = await shop.run(...MAKE, '--slots', '1');
      expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^3 sources: 3 made/m)]);
      expect(arrivals).toHaveLength(4);
      expect(arrivals[1]! - arrivals[0]!).toBeGreaterThanOrEqual(395);
    },
  );

  test('that is announced causes no refused request', async () => {
    const { shop, service } = await hostedWorkshop({
      rate: { limit: 2, window: 400 },
      flags: { blockPerMinute: true },
    });
    await shop.drawMany('skins', 6);
    const { exitCode } = await shop.run(...MAKE, '--slots', '1');
    const { accepted, refusals } = service.records;
    expect([exitCode, accepted.length, refusals]).toEqual([0, 6, {}]);
  });

  // Otherwise dispatch/shared-queue/shared-windows knows windows.
  testWhole('in a window of time causes refusals only of requests in flight', async () => {
    const { shop, service } = await hostedWorkshop({
      rate: { limit: 4, window: 600 },
      flags: { blockPerMinute: true },
    });
    await shop.drawMany('skins', 8);
    const { exitCode, stderr } = await shop.run(...MAKE);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^8 sources: 8 made/m)]);
    const { accepted, mostUnfinished, requests } = service.records;
    expect([accepted.length, mostUnfinished <= 5]).toEqual([8, true]);
    expect(requests.submit).toBeLessThanOrEqual(8 + 2 * 4); // those that were sent at once with the last one taken
  });
});

describe('The slots in the queue', () => {
  // Otherwise batch/run/run-batch/figures knows what such a limit costs.
  testWhole('that are fewer than usual, and not announced, are discovered without an error', async () => {
    const { shop, service } = await hostedWorkshop({ limit: 3, serviceTime: 300 });
    await shop.drawMany('skins', 9);
    const { exitCode, stderr } = await shop.run(...MAKE);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^9 sources: 9 made/m)]);
    expect(service.doubleSubmissions).toEqual([]);
    expect(service.records.refusals['job_limit'] ?? 0).toBeLessThanOrEqual(30);
  });

  test('that other programs of the caller use are left to these programs', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.drawMany('skins', 8);
    for (let n = 0; n < 4; n++) service.occupy(Number.POSITIVE_INFINITY);
    const making = shop.run(...MAKE);
    await whenAccepted(service, 2); // one after the other
    service.release();
    const { exitCode } = await making;
    const { accepted, refusals, mostUnfinished } = service.records;
    expect([exitCode, accepted.length, refusals, mostUnfinished]).toEqual([0, 8, {}, 5]);
  });

  // Otherwise dispatch/shared-queue/slots and e2e/batch-sharing share them.
  testWhole(
    'are shared with a later batch of the same caller, which need not wait for the first',
    async () => {
      const { shop, service } = await hostedWorkshop({ serviceTime: 200 });
      service.hold();
      await shop.drawMany('many', 40);
      await shop.drawMany('few', 6, 100);
      const many = shop.start(['generate', 'many', '--out', 'many-made']);
      await whenAccepted(service, 5);
      const asked = service.records.requests.me ?? 0;
      const few = shop.run('generate', 'few', '--out', 'few-made');
      await poll(
        () => service.records.requests.me ?? 0,
        (requests) => requests > asked,
      );
      service.release();
      const ended = await Promise.all([many, few]);
      expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
      const { accepted, mostUnfinished, refusals } = service.records;
      expect([accepted.length, mostUnfinished, service.doubleSubmissions]).toEqual([46, 5, []]);
      const areFew = new Set(Array.from({ length: 6 }, (_, n) => pixelsOf(101 + n)));
      const lastOfFew = accepted.findLastIndex(({ pixels }) => areFew.has(pixels));
      expect(lastOfFew).toBeLessThan(40); // when the first batch had at least 6 to go
      expect(refusals['job_limit'] ?? 0).toBeLessThanOrEqual(5);
    },
  );
});
