import { expect, test } from 'vitest';
import { seededRandom } from '../../../../src/double/seed.ts';
import type { Generator } from '../../../../src/server/generators/port.ts';
import type { ClaimBounds, Lease, SubmitLimits } from '../../../../src/server/queue/port.ts';
import { expectedEnd } from '../../../../src/server/service/forecast.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { TestQueue } from '../../../support/server/test-queue.ts';

const TYPICAL = 3_000;

interface Plans {
  readonly [owner: string]: Partial<SubmitLimits>;
}

/** A queue whose workers take exactly the typical time, by a clock that the test moves. */
async function workshop({ workers, bounds = {} }: { workers: number; bounds?: ClaimBounds }) {
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const clock = new MovableClock();
  const self = { host: 'here', pid: 1, nonce: 'x' };
  const queue = new TestQueue(db, { self, clock, bounds: () => bounds });
  const generator = { bounds: () => bounds } as Generator;
  const context = {
    clock,
    db,
    generator,
    workers: {
      count: workers,
      typicalTime: () => TYPICAL,
      isOwn: (_by: string): boolean => true,
    },
  };
  const busy: { lease: Lease; until: number }[] = [];
  const take = async () => {
    while (busy.length < workers) {
      const lease = await queue.claim(`here/1/x#${busy.length}`);
      if (!lease) return;
      busy.push({ lease, until: clock.now() + TYPICAL });
    }
  };
  const ends = new Map<string, number>();
  /** Works for so long. */
  const pass = async (ms: number) => {
    const over = clock.now() + ms;
    for (await take(); busy.length > 0; await take()) {
      const next = busy.toSorted((a, b) => a.until - b.until)[0]!;
      if (next.until > over) break;
      clock.forward(next.until - clock.now());
      busy.splice(busy.indexOf(next), 1);
      await queue.complete(next.lease, generated());
      ends.set(next.lease.job.uuid, clock.now());
    }
    if (Number.isFinite(over)) clock.forward(over - clock.now());
  };
  /** Works until all is done; when each job was. */
  const workOff = async () => {
    await pass(Number.POSITIVE_INFINITY);
    return ends;
  };
  return { clock, queue, context, take, pass, workOff };
}

/** Submits and tells at once when the job is expected to end, in seconds from then. */
async function told(
  { queue, context, clock }: Awaited<ReturnType<typeof workshop>>,
  owner: string,
  plans: Plans,
) {
  const submission = await queue.submit(newJob({ owner }), { ...LIMITS, ...plans[owner] });
  if (submission.kind !== 'queued') throw new Error(submission.kind);
  return {
    uuid: submission.job.uuid,
    seconds: ((await expectedEnd(context, submission.job))! - clock.now()) / 1000,
  };
}

test.each([
  ['free: one at a time', { concurrency: 1 }, [3, 6, 9, 12, 15]],
  ['lite: two at a time', { concurrency: 2 }, [3, 3, 6, 6, 9]],
  ['an owner, who has all three workers', { concurrency: 64 }, [3, 3, 3, 6, 6]],
  ['free on a gateway: all that is idle', { concurrency: 1, burst: 5 }, [3, 3, 3, 6, 6]],
])('Five jobs of %s end at the estimated times', async (_, limits, expected) => {
  const shop = await workshop({ workers: 3 });
  const begun = shop.clock.now();
  const jobs = [];
  for (let n = 0; n < 5; n++) {
    jobs.push(await told(shop, 'ann', { ann: limits }));
    await shop.take();
  }
  expect(jobs.map(({ seconds }) => seconds)).toEqual(expected);
  const ends = await shop.workOff();
  expect(jobs.map(({ uuid }) => (ends.get(uuid)! - begun) / 1000)).toEqual(expected);
});

const PLANS: Plans = {
  ann: { concurrency: 1, priority: 1 },
  bob: { concurrency: 2, priority: 4 },
  cid: { concurrency: 1, burst: 4, priority: 2 },
  dee: { concurrency: 5, priority: 12 },
};

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'The estimate for the last job comes true, whoever else waits (random owners from seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const shop = await workshop({ workers: 1 + random(4) });
    const owners = Object.keys(PLANS).flatMap((owner) => Array.from({ length: 5 }, () => owner));
    let last: { uuid: string; seconds: number } | undefined;
    let at = 0;
    for (let n = 2 + random(16); n > 0; n--) {
      const [owner = 'ann'] = owners.splice(random(owners.length), 1);
      at = shop.clock.now();
      last = await told(shop, owner, PLANS);
      if (random(2) === 0) await shop.take();
      if (n > 1 && random(3) === 0) await shop.pass(random(TYPICAL / 2));
    }
    const ends = await shop.workOff();
    expect((ends.get(last!.uuid)! - at) / 1000).toBe(last!.seconds);
  },
);

test('Slots that the generator lacks are not counted', async () => {
  const shop = await workshop({ workers: 5, bounds: { processing: 2 } });
  const seconds = [];
  for (let n = 0; n < 4; n++) seconds.push((await told(shop, 'ann', {})).seconds);
  expect(seconds).toEqual([3, 3, 6, 6]);
});

test('The workers of another process count once they are seen at work', async () => {
  const shop = await workshop({ workers: 1 });
  const context = {
    ...shop.context,
    workers: { ...shop.context.workers, isOwn: (by: string): boolean => by === 'here/1/x#0' },
  };
  for (let n = 0; n < 2; n++) await shop.queue.submit(newJob({ owner: `o${n}` }), LIMITS);
  await shop.queue.claim('here/1/x#0');
  shop.clock.forward(1_000);
  await shop.queue.claim('there/9/y#0');
  expect((await told({ ...shop, context }, 'ann', {})).seconds).toBe(5);
  expect((await told({ ...shop, context }, 'ann', {})).seconds).toBe(6);
});

test('Beyond the simulated jobs, workers are assumed to take jobs one by one', async () => {
  const shop = await workshop({ workers: 2 });
  for (let n = 0; n < 520; n++) await shop.queue.submit(newJob({ owner: `o${n % 200}` }), LIMITS);
  const { seconds } = await told(shop, 'o0', {});
  expect(seconds).toBe((520 / 2) * 3 + 3);
});

test('Estimates are whole milliseconds, as Java clients read them, however long jobs take', async () => {
  const shop = await workshop({ workers: 1 });
  const workers = { ...shop.context.workers, typicalTime: () => TYPICAL + 0.4 };
  const context = { ...shop.context, workers };
  const { uuid } = await told({ ...shop, context }, 'ann', {});
  const waiting = await expectedEnd(context, (await shop.queue.find(uuid))!);
  await shop.take();
  const running = await expectedEnd(context, (await shop.queue.find(uuid))!);
  expect([waiting, running]).toEqual([shop.clock.now() + TYPICAL + 1, shop.clock.now() + TYPICAL + 1]);
});

test('Without workers or experience there is no estimate', async () => {
  const shop = await workshop({ workers: 0 });
  const { job } = (await shop.queue.submit(newJob(), LIMITS)) as { job: Parameters<typeof expectedEnd>[1] };
  expect(await expectedEnd(shop.context, job)).toBeUndefined();
  const workers = { count: 2, typicalTime: () => undefined, isOwn: () => true };
  expect(await expectedEnd({ ...shop.context, workers }, job)).toBeUndefined();
});
