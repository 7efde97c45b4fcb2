import { describe, expect, test } from 'vitest';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { cutOff, noConnection, timedOut } from '../support/hosted/hosted-in-memory.ts';
import { drawSkin } from '../support/server/drawn-skins.ts';
import type { MakerWorld, OpenWorld, Outcome } from './skin-makers.ts';

const SERVICE_TIME = 450;
const WINDOW = 60_000;

/** What everyone keeps to who has skins made by a service like the hosted one. */
export function describeServiceUser(name: string, open: OpenWorld): void {
  describe(`${name} as a user of a service`, () => {
    describeSlots(open);
    describeLostAnswers(open);
    describeRefusals(open);
    describeOutages(open);
  });
}

function describeSlots(open: OpenWorld): void {
  test("fills all slots and no more, and does not take its own jobs for others'", async () => {
    const world = await open({ serviceTime: SERVICE_TIME });
    world.hosted.occupy(Number.POSITIVE_INFINITY); // so that lists are requested while submissions are in flight
    world.hosted.disturb = async (request, process) => {
      const answer = await process();
      if (request.kind === 'submit') await world.clock.sleep(200);
      return answer;
    };
    expect(await run(world, 12)).toEqual({ made: 12, failed: 0 });
    expect([world.hosted.records.mostUnfinished, world.hosted.refusals]).toEqual([5, []]);
    // Three waves of four jobs; each takes its answer's time as well.
    expect(between(world, 0)).toBeLessThan(3 * (SERVICE_TIME + 200) * 1.5);
  });

  test('keeps the slots full when jobs end in waves', async () => {
    const world = await open({ serviceTime: 800 });
    expect(await run(world, 40)).toEqual({ made: 40, failed: 0 });
    expect(between(world, 0)).toBeLessThan(1.06 * (40 / 5) * 800);
  });

  test('looks at the list after a full queue, and waits for a slot', async () => {
    const world = await open({ serviceTime: SERVICE_TIME });
    for (let n = 0; n < 5; n++) world.hosted.occupy(3_000, { key: 'other' });
    expect(await run(world, 3)).toEqual({ made: 3, failed: 0 });
    const [refused, ...more] = world.hosted.refusals;
    const next = world.hosted.times('list').find((at) => at >= (refused?.at ?? Number.NaN));
    expect((next ?? Number.NaN) - (refused?.at ?? Number.NaN)).toBeLessThan(100);
    expect(refused?.refusal).toBe('job_limit');
    expect(more.length).toBeLessThan(20);
  });

  test('gives the slot of a failed job to the next', async () => {
    const bad = pixelHash(drawSkin(0));
    const world = await open({
      serviceTime: SERVICE_TIME,
      limit: 1,
      grants: { queue: 1 },
      fate: (pixels) => (pixels === bad ? { kind: 'fails', times: 9, code: 'invalid_image' } : undefined),
    });
    expect(await run(world, 3)).toEqual({ made: 2, failed: 1 });
    expect(world.hosted.refusals).toEqual([]);
  });
}

function describeLostAnswers(open: OpenWorld): void {
  test('adopts the jobs of submissions whose answers were lost', async () => {
    const world = await open({ serviceTime: SERVICE_TIME });
    loseAnswers(world, [1, 3, 4]);
    expect(await run(world, 8)).toEqual({ made: 8, failed: 0 });
    const { accepted, doubleSubmissions } = world.hosted.records;
    expect([accepted.length, doubleSubmissions]).toEqual([8, []]);
  });

  test('waits longer for a submission that timed out: the service may still be at it', async () => {
    const world = await open({ serviceTime: SERVICE_TIME });
    let late: Promise<unknown> = Promise.resolve();
    onceFor(world, async (process) => {
      late = world.clock.sleep(3_000).then(process);
      await world.clock.sleep(1_000);
      throw timedOut();
    });
    expect(await run(world, 1)).toEqual({ made: 1, failed: 0 });
    await late;
    expect(world.hosted.times('submit')).toHaveLength(1);
  });

  test('repeats a submission that did not arrive soon, with the same key', async () => {
    const world = await open({ serviceTime: SERVICE_TIME });
    onceFor(world, async () => {
      throw cutOff();
    });
    expect(await run(world, 1)).toEqual({ made: 1, failed: 0 });
    const submissions = world.hosted.seen.filter(({ kind }) => kind === 'submit');
    const keys = submissions.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size, keys[0]]).toEqual([2, 1, expect.any(String)]);
    expect((submissions[1]?.at ?? 0) - (submissions[0]?.at ?? 0)).toBeLessThan(6_000);
  });
}

function describeRefusals(open: OpenWorld): void {
  test('waits as long as a refusal says', async () => {
    const world = await open({ serviceTime: SERVICE_TIME });
    world.hosted.disturb = async (request, process) =>
      request.kind === 'submit' && world.hosted.times('submit').length === 1
        ? world.hosted.refuse(request, { kind: 'rate-limit', wait: 7_000, says: 'seconds' })
        : await process();
    expect(await run(world, 1)).toEqual({ made: 1, failed: 0 });
    const [first = 0, second = 0, ...more] = world.hosted.times('submit');
    expect([second - first >= 7_000, second - first < 8_000, more]).toEqual([true, true, []]);
  });

  test("keeps a limit that refers to the service's clock, which is ten minutes ahead", async () => {
    const world = await open({
      serviceTime: SERVICE_TIME,
      clockOffset: 600_000,
      rate: { limit: 4, window: WINDOW },
      spread: false,
      flags: { blockPerMinute: true },
      alter: { submit: { rateLimit: { next: { relative: '(absent)' } } } },
    });
    expect(await run(world, 8)).toEqual({ made: 8, failed: 0 });
    expect(world.hosted.refusals).toEqual([]);
    expect(between(world, 0)).toBeLessThan(1.2 * WINDOW);
  });
}

function describeOutages(open: OpenWorld): void {
  test('waits out a service that is gone for a minute, asks it ever more rarely and loses nothing', async () => {
    const world = await open({ serviceTime: SERVICE_TIME });
    let goneAt = Number.POSITIVE_INFINITY;
    const isGone = () => world.clock.monotonic() >= goneAt && world.clock.monotonic() < goneAt + WINDOW;
    const during: number[] = [];
    world.hosted.disturb = async (request, process) => {
      if (request.kind === 'submit') goneAt = Math.min(goneAt, world.clock.monotonic() + 300);
      if (!isGone()) return await process();
      during.push(world.clock.monotonic());
      throw noConnection();
    };
    expect(await run(world, 10)).toEqual({ made: 10, failed: 0 });
    const { accepted, doubleSubmissions } = world.hosted.records;
    expect([accepted.length, doubleSubmissions]).toEqual([10, []]);
    const within = (from: number, to: number) =>
      during.filter((at) => at >= goneAt + from && at < goneAt + to).length;
    expect(within(0, 20_000)).toBeGreaterThan(within(40_000, 60_000));
    expect(within(40_000, 60_000)).toBeLessThan(20);
  });
}

async function run({ clock, make }: MakerWorld, count: number): Promise<Outcome> {
  return await clock.until(make(Array.from({ length: count }, (_, n) => n)));
}

/** Milliseconds from the first submission until now. */
function between({ clock, hosted }: MakerWorld, first: number): number {
  return clock.monotonic() - (hosted.times('submit')[first] ?? Number.NaN);
}

/** The submissions of these numbers, from 1, are processed, but their answers do not arrive. */
function loseAnswers({ hosted }: MakerWorld, numbers: readonly number[]): void {
  hosted.disturb = async (request, process) => {
    const isLost = request.kind === 'submit' && numbers.includes(hosted.times('submit').length);
    const answer = await process();
    if (isLost) throw cutOff();
    return answer;
  };
}

/** Disturbs the first submission only. */
function onceFor({ hosted }: MakerWorld, disturb: (process: () => Promise<unknown>) => Promise<never>): void {
  hosted.disturb = async (request, process) =>
    request.kind === 'submit' && hosted.times('submit').length === 1
      ? await disturb(process)
      : await process();
}
