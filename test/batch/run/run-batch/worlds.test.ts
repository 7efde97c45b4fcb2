import { describe, expect, test } from 'vitest';
import { ABSENT, altered, pageReply, type Reply, refusalReply } from '../../../../src/double/replies.ts';
import type { DoubleRequest, RequestKind } from '../../../../src/double/requests.ts';
import { openWorld } from '../../../support/hosted/batches-in-memory.ts';
import type { Disturb } from '../../../support/hosted/hosted-in-memory.ts';
import { clientOf } from '../../../support/hosted/memory-client.ts';
import { type Around, runWorld, type World, type WorldOutcome } from '../../../support/hosted/worlds.ts';
import { sampled } from '../../../support/setup/extent.ts';
import { isWhole } from '../../../support/setup/whole-run.ts';

/** Each world is tried with so many seeds: more are tried with WORLD_SEEDS=<number>. */
const SEEDS = Number(process.env['WORLD_SEEDS'] ?? 1);
/** Of a batch whose answers come late. */
const LATE_SKINS = isWhole ? 40 : 20;
const SERVICE_TIME = 450;
/** Begun after that, milliseconds: a batch is under way. */
const UNDER_WAY = 1_000;

type Make = (around: Around) => World;

/** Nothing is taken twice, never more than five are pending, and all is made. */
async function holds(make: Make, { skins = 20 } = {}): Promise<WorldOutcome> {
  let outcome: WorldOutcome | undefined;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const world = (around: Around) => ({ serviceTime: SERVICE_TIME, ...make(around) });
    outcome = await runWorld(world, { skins, seed });
    const { made, failed, twice, mostPending } = outcome;
    expect({ seed, made, failed, twice }).toEqual({ seed, made: skins, failed: 0, twice: 0 });
    expect(mostPending).toBeLessThanOrEqual(5);
  }
  return outcome!;
}

function refuses(code: string): Reply {
  return refusalReply(404, { code, message: code });
}

const isQueue = ({ kind }: DoubleRequest) => kind === 'list' || kind === 'job';

const LOSSES = [
  ['and no answer is lost', false],
  ['and each fifth answer to a submission is lost', true],
] as const;

describe('Nothing is submitted twice where each fifth answer to a submission is lost', () => {
  test.each(sampled([20, 100, 300], 3, 2))('and everything takes some %d ms each way', async (ms) => {
    await holds(({ random }) => ({ loses: true, latency: () => ms * (0.5 + random()) }), {
      skins: LATE_SKINS,
    });
  });

  test.each(sampled([800, 100, 2_000], 3))('and the list takes some %d ms', async (ms) => {
    const latency = (kind: RequestKind) => (kind === 'list' ? ms / 2 : 10);
    await holds(({ random }) => ({ loses: true, latency: (kind) => latency(kind) * (0.5 + random()) }), {
      skins: LATE_SKINS,
    });
  });

  test.each(sampled([3_000, 5_000, 30_000], 3, 1))('and the list is %d ms behind', async (ms) => {
    const { said } = await holds(() => ({ loses: true, lag: ({ kind }) => (kind === 'list' ? ms : 0) }));
    expect(said).toContainEqual(expect.stringContaining('An answer was lost'));
  });

  test('and the submissions in flight are accepted three seconds after their connections broke', async () => {
    await holds(() => ({ loses: { takenAfter: 3_000 } }));
  });
});

describe.each(LOSSES)('Nothing is submitted twice where a job is not found for a moment, %s', (_, loses) => {
  test.each(sampled([500, 2_000, 4_000], 2, loses ? 1 : 0))(
    'because replicas are up to %d ms behind',
    async (ms) => {
      await holds(({ random }) => ({ loses, lag: (request) => (isQueue(request) ? random() * ms : 0) }));
    },
  );

  test('because all replicas are five seconds behind, which is reported', async () => {
    const { said } = await holds(() => ({ loses, lag: (request) => (isQueue(request) ? 5_000 : 0) }));
    expect(said).toContainEqual(expect.stringContaining('cannot find a job'));
  });

  test('because one single read in ten does not find it', async () => {
    const disturb =
      ({ random }: Around): Disturb =>
      async ({ kind }, process) =>
        kind === 'job' && random() < 0.1 ? refuses('job_not_found') : await process();
    await holds((around) => ({ loses, disturb: disturb(around) }));
  });

  test('because the first single read of each job does not find it', async () => {
    const read = new Set<string>();
    const disturb: Disturb = async ({ kind, subject }, process) => {
      if (kind !== 'job' || read.has(subject)) return await process();
      read.add(subject);
      return refuses('job_not_found');
    };
    await holds(() => ({ loses, disturb }));
  });

  test('because the service knows no jobs for five seconds after a restart', async () => {
    const disturb =
      ({ clock }: Around): Disturb =>
      async (request, process) => {
        const { kind } = request;
        const since = clock.monotonic() - UNDER_WAY;
        const answer = await process();
        if (since < 0 || since > 5_000) return answer;
        if (kind === 'job') return refuses('job_not_found');
        return kind === 'list' ? altered(answer, request, { list: { jobs: [] } }) : answer;
      };
    await holds((around) => ({ loses, disturb: disturb(around) }));
  });
});

/** For so long after the first request for one of this kind, `instead` is the answer. */
function lateTo(kind: RequestKind, ms: number, instead: () => Reply) {
  const firstAt = new Map<string, number>();
  return ({ clock }: Around) =>
    (request: DoubleRequest, answer: Reply): Reply => {
      if (request.kind !== kind) return answer;
      const now = clock.monotonic();
      firstAt.set(request.subject, firstAt.get(request.subject) ?? now);
      return now < firstAt.get(request.subject)! + ms ? instead() : answer;
    };
}

/** The answer without its skin. */
function halved(request: DoubleRequest, answer: Reply): Reply {
  return altered(answer, request, { job: { skin: ABSENT } });
}

describe('Nothing is submitted twice where each fifth answer to a submission is lost, and for a finished job', () => {
  test.each(sampled([0, 1_000, 5_000, 25_000], 3))(
    'the answer has only the UUID of the skin, which is not found for %d ms',
    async (ms) => {
      const late = lateTo('skin', ms, () => refuses('skin_not_found'));
      await holds((around) => ({
        loses: true,
        disturb: async (request, process) => late(around)(request, halved(request, await process())),
      }));
    },
  );

  test.each(
    sampled(
      [
        [404, 1_000],
        [404, 5_000],
        [404, 25_000],
        [500, 70_000],
      ] as const,
      2,
      1,
    ),
  )('the texture is answered with %d for %d ms', async (status, ms) => {
    const late = lateTo('texture', ms, () => pageReply(status, 'none'));
    const make: Make = (around) => ({
      loses: true,
      disturb: async (request, process) => late(around)(request, await process()),
    });
    await holds(make);
  });
});

interface TimedJob {
  readonly id: string;
  readonly timestamp: number;
}

/** Changes the times of jobs in all answers. */
function timed(change: (job: TimedJob, begun: number) => number): Make {
  return ({ clock }) => {
    const begun = clock.now();
    const moved = (job: unknown) => ({
      ...(job as TimedJob),
      timestamp: change(job as TimedJob, begun),
    });
    const alter: World['alter'] = (content) => {
      if (Array.isArray(content['jobs'])) return { ...content, jobs: content['jobs'].map(moved) };
      return content['job'] ? { ...content, job: moved(content['job']) } : content;
    };
    return { loses: true, alter };
  };
}

describe('Nothing is submitted twice where each fifth answer to a submission is lost, and', () => {
  test.each(sampled([200, 5_000], 2, 1))('clocks of two nodes differ by %d ms', async (ms) => {
    const isOther = ({ id }: TimedJob) => Number.parseInt(id.slice(-1), 16) % 2 === 1;
    await holds(timed((job) => job.timestamp + (isOther(job) ? ms : 0)));
  });

  test.each(sampled([5_000, 3_600_000], 2))('the clock is set back by %d ms meanwhile', async (ms) => {
    await holds(timed(({ timestamp }, begun) => timestamp - (timestamp > begun + UNDER_WAY ? ms : 0)));
  });
});

test('A picture whose submission a killed run got no answer to is submitted again with another key and a warning', async () => {
  const { clock, hosted, events, batch } = await openWorld({ serviceTime: 45_000 });
  const stop = new AbortController();
  hosted.disturb = async (request, process) => {
    const answer = await process();
    if (request.kind !== 'submit') return answer;
    if (hosted.records.accepted.length === 3) stop.abort();
    return await new Promise<never>(() => {});
  };
  const { submitted } = await clock.until(batch(3, { signal: stop.signal }));
  hosted.disturb = async (_, process) => await process();
  hosted.replaceKey();
  const client = clientOf(hosted, clock);
  const { caller, baseUrl: name } = client;
  const service = { name, caller, connect: async () => await Promise.resolve(client) };
  const summary = await clock.until(batch(3, { service }));
  expect([submitted, summary]).toEqual([0, expect.objectContaining({ made: 0, finished: 3, failed: 0 })]);
  expect(events.filter((event) => event.type === 'again' && event.mayCost)).toHaveLength(3);
  const { accepted, doubleSubmissions } = hosted.records;
  const seconds = accepted.filter(({ job }) => doubleSubmissions.some(({ second }) => second === job));
  expect(seconds.map(({ duplicate }) => duplicate)).toEqual(Array(3).fill(true));
});
