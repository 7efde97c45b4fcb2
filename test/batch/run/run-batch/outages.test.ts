/** Batches while the service answers some kinds of requests, or all, with something else for a time. */
import { describe, expect, test } from 'vitest';
import { openWorld } from '../../../support/hosted/batches-in-memory.ts';
import { OUTAGES, type Outage, outage } from '../../../support/hosted/outages.ts';
import type { RequestKind } from '../../../support/hosted/requests.ts';

const ALL = Object.keys(OUTAGES) as Outage[];
const FROM = 3_000;

interface During {
  readonly count: number;
  readonly lasts: number;
  /** The requests that fail; absent: all. */
  readonly kinds?: readonly RequestKind[];
}

/** A batch of which requests fail from its third second on, for so long. */
async function during(name: Outage, { count, lasts, kinds }: During) {
  const world = await openWorld({ serviceTime: 300 });
  const { clock, hosted, batch } = world;
  const when = { from: FROM, to: FROM + lasts, ...(kinds && { kinds }) };
  hosted.disturb = outage(name, when, () => clock.monotonic());
  return { ...world, when, summary: await clock.until(batch(count)) };
}

describe('While single jobs are answered with', () => {
  test.each([
    ...ALL.map((name) => [name, 60, 60_000] as const),
    ['a 502 in HTML', 200, 600_000],
    ['a refusal without a time', 200, 600_000],
  ] as const)('%s, no skin of %i fails in %i ms, and requests are few', async (name, count, lasts) => {
    const world = await during(name, { count, lasts, kinds: ['job'] });
    const { summary, hosted, mostInTenSeconds, when, waits } = world;
    expect(summary).toMatchObject({ made: count, failed: 0, end: 'complete' });
    expect([hosted.records.doubleSubmissions, hosted.records.mostUnfinished]).toEqual([[], 5]);
    expect(mostInTenSeconds(when)).toBeLessThanOrEqual(20); // 2,500 when each read had a back-off of its own
    expect(waits.length).toBeGreaterThan(0);
  });
});
