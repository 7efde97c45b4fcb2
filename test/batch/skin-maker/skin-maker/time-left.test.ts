import { expect, test } from 'vitest';
import type { RunningProgress } from '../../../../src/batch/options.ts';
import { openWorld } from '../../../support/hosted/batches-in-memory.ts';

/** The time left that was read at each acceptance, with the time since the plan, and the plan's own minimum; seconds. */
async function timesLeft(skins: number, grants: object, extra: object = {}) {
  const { clock, batch } = await openWorld({ grants: { ...grants } });
  let read: (() => RunningProgress) | undefined;
  let plan: { readonly at: number; readonly seconds: number } | undefined;
  const left: { least: number; planned: number; toGo: number }[] = [];
  const stop = new AbortController();
  await clock.until(
    batch(skins, {
      signal: stop.signal,
      onProgress: (progress) => {
        read = progress;
      },
      onEvent: (event) => {
        if (event.type === 'planned') plan = { at: clock.monotonic(), seconds: event.seconds ?? 0 };
        if (event.type !== 'accepted' || !plan || !read) return;
        const { leastSeconds, submitted } = read();
        const planned = plan.seconds - (clock.monotonic() - plan.at) / 1_000;
        left.push({ least: leastSeconds, planned, toGo: skins - submitted });
        if (submitted >= skins / 2) stop.abort();
      },
      ...extra,
    }),
  );
  return { left, plan: plan?.seconds };
}

test('The time left is never less than the minimum of the plan', async () => {
  const { left, plan } = await timesLeft(40, { per_hour: 8 });
  expect(plan).toBeGreaterThanOrEqual(4 * 3_600);
  expect(left.length).toBeGreaterThan(5);
  for (const { least, planned } of left) expect(least).toBeGreaterThanOrEqual(planned - 2);
});

test('The plan counts what --max-new allows, no more', async () => {
  expect((await timesLeft(40, { per_hour: 8 }, { maxNew: 4 })).plan).toBeLessThan(60);
});
