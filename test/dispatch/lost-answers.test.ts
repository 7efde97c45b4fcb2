import { describe, expect, test } from 'vitest';
import type { JobAnswer } from '../../src/client/types.ts';
import type { Submission } from '../../src/dispatch/limits.ts';
import { LostAnswers, type LostAnswersPorts } from '../../src/dispatch/lost-answers.ts';
import { Lag, SETTLES_LATE, ServiceMemory, settlingTime } from '../../src/dispatch/service-facts.ts';
import type { Job } from '../../src/protocol/job.ts';
import type { SkinVisibility } from '../../src/protocol/skin.ts';
import { buildTexturesValue } from '../../src/textures/property.ts';
import { noAnswer } from '../support/client/failures.ts';

const SOON = settlingTime(noAnswer(true));

const PIXELS = 'a'.repeat(64);
const CAPE = 'c'.repeat(32);
const finished: Job = { id: 'unknown', status: 'completed' };

interface Origin {
  /** Whether a job is this program's. */
  readonly isOwn?: (id: string) => boolean;
  /** Whether all are another process's on this machine. */
  readonly isElsewhere?: boolean;
  readonly ports?: Partial<LostAnswersPorts<Submission>>;
}

interface MadeSkin {
  readonly cape?: boolean;
  readonly variant?: 'classic' | 'slim';
  readonly visibility?: SkinVisibility;
  /** Where its texture is. */
  readonly url?: string;
}

/** The answer for a finished job that made this. */
function stateOf(job: Job, skin: MadeSkin): JobAnswer {
  const { url = 'https://example.org/skin', variant = 'classic', visibility = 'public' } = skin;
  const value = buildTexturesValue({
    timestamp: 0,
    profileId: '0'.repeat(32),
    profileName: 'Steve',
    skin: { url, variant },
    ...(skin.cape && { cape: { url: 'https://example.org/cape' } }),
  });
  return { job, skin: { visibility, texture: { data: { value } } } } as unknown as JobAnswer;
}

/** LostAnswers on a service whose finished jobs all have this skin. */
function openLosses(
  skin: MadeSkin = {},
  { isOwn = () => false, isElsewhere = false, ports = {} }: Origin = {},
) {
  const told: string[] = [];
  const waits: [message: string, ms: number][] = [];
  const tasks: Promise<void>[] = [];
  const clock = { now: 0 };
  const lag = new Lag();
  const session = {
    clockDisorder: 0,
    lag,
    memory: new ServiceMemory(0),
    slots: { unsure: { size: 0 } },
    tellWait: (message: string, ms: number) => waits.push([message, ms]),
  };
  const tools = {
    session: Object.assign(session, {
      now: () => clock.now,
      submissions: { isOwnJob: isOwn },
      track: (task: Promise<void>) => tasks.push(task),
    }),
    isElsewhere: () => isElsewhere,
    fetchJob: async () => stateOf(finished, skin),
    pixelsOf: () => PIXELS,
    texturePixels: async () => PIXELS,
    onFound: () => told.push('found'),
    onGone: () => told.push('gone'),
    onDue: () => {},
    ...ports,
  } as unknown as LostAnswersPorts<Submission>;
  const lostAnswers = new LostAnswers(tools);
  return {
    lostAnswers,
    told,
    waits,
    session,
    /** A list requested at this time, and what follows from it. */
    async sees(jobs: readonly Job[], at: number, answeredAt = at): Promise<void> {
      clock.now = answeredAt;
      lostAnswers.sawList(jobs, at);
      await Promise.all(tasks);
    },
  };
}

function workOf(input: Partial<Submission> = {}): Submission {
  const inputs = { variant: 'auto', visibility: undefined, cape: undefined } as const;
  return { key: 'k', ...inputs, attempt: 0, losses: 0, ...input };
}

const sent = { at: 0, mark: 0 };

describe('A finished job of unknown origin', () => {
  /** Listed twice: first it is examined, then judged; the second list comes when the answer is settled. */
  async function judge(work: Submission, skin: Parameters<typeof openLosses>[0]): Promise<string[]> {
    const service = openLosses(skin);
    service.lostAnswers.add(work, sent, SOON);
    await service.sees([finished], 100);
    await service.sees([finished], SOON);
    return service.told;
  }

  test('belongs to the lost answer if it has the same pixels', async () => {
    expect(await judge(workOf(), {})).toEqual(['found']);
  });

  test('does not belong to the lost answer if a cape was requested and it has none', async () => {
    expect(await judge(workOf({ cape: CAPE }), {})).toEqual(['gone']);
    expect(await judge(workOf({ cape: CAPE }), { cape: true })).toEqual(['found']);
  });

  test('may have a cape without a request, because the account may wear one', async () => {
    expect(await judge(workOf(), { cape: true })).toEqual(['found']);
  });

  test('does not belong to the lost answer if it has other arms than requested', async () => {
    expect(await judge(workOf({ variant: 'slim' }), { variant: 'classic' })).toEqual(['gone']);
    expect(await judge(workOf({ variant: 'slim' }), { variant: 'slim' })).toEqual(['found']);
  });

  test('does not belong to the lost answer if its visibility differs from the requested one', async () => {
    expect(await judge(workOf({ visibility: 'private' }), { visibility: 'public' })).toEqual(['gone']);
    expect(await judge(workOf({ visibility: 'private' }), { visibility: 'private' })).toEqual(['found']);
    expect(await judge(workOf(), { visibility: 'private' })).toEqual(['found']);
  });
});

describe('Of two lost answers', () => {
  /** The keys of the lost answers that a list of jobs with these results settles, each with its job. */
  async function judge(works: readonly Submission[], made: Readonly<Record<string, MadeSkin>>) {
    const found: Record<string, string> = {};
    const own = new Set<string>();
    const ports: Origin['ports'] = {
      fetchJob: async (id) => stateOf({ ...finished, id }, made[id] ?? {}),
      pixelsOf: ({ key }) => key.split(' ')[0],
      texturePixels: async (url) => url.split('/').at(-1) ?? '',
      onFound: ({ key }, { job }) => {
        own.add(job.id);
        found[key] = job.id;
      },
    };
    const service = openLosses({}, { isOwn: (id) => own.has(id), ports });
    const jobs = Object.keys(made).map((id) => ({ ...finished, id }));
    for (const work of works) service.lostAnswers.add(work, sent, SOON);
    await service.sees(jobs, 100);
    await service.sees(jobs, SOON);
    return found;
  }
  const RED = 'https://example.org/red';

  test.each([
    ['arms', { variant: 'slim' }, { variant: 'slim' }],
    ['a cape', { cape: CAPE }, { cape: true }],
    ['a visibility', { visibility: 'private' }, { visibility: 'private' }],
  ] as const)(
    'for one picture, the one that asked for %s gets the job that has it',
    async (_, input, skin) => {
      const works = [workOf({ key: 'red' }), workOf({ key: 'red with options', ...input })];
      const made = { theOneAsked: { url: RED, ...skin }, thePlainOne: { url: RED } };
      for (const lost of [works, works.toReversed()])
        expect(await judge(lost, made)).toEqual({ red: 'thePlainOne', 'red with options': 'theOneAsked' });
    },
  );

  test('each gets the job that shows its picture, even if the service mixed them up', async () => {
    const works = [workOf({ key: 'red' }), workOf({ key: 'blue' })];
    const made = { blues: { url: RED }, reds: { url: 'https://example.org/blue' } };
    expect(await judge(works, made)).toEqual({ red: 'blues', blue: 'reds' });
  });
});

describe('An answer that was lost', () => {
  test('is settled by a list requested five seconds later', async () => {
    const service = openLosses();
    service.lostAnswers.add(workOf(), sent, SOON);
    await service.sees([], 4_999);
    expect([service.told, service.lostAnswers.lookAt()]).toEqual([[], 5_000]);
    await service.sees([], 5_000);
    expect([service.told, service.lostAnswers.lookAt()]).toEqual([['gone'], undefined]);
  });

  test('by a timeout is settled only 15 s later, because the service may still be working', async () => {
    const service = openLosses();
    service.lostAnswers.add(workOf(), sent, SETTLES_LATE);
    await service.sees([], 14_999);
    expect([service.told, service.lostAnswers.lookAt()]).toEqual([[], 15_000]);
    await service.sees([], 15_000);
    expect(service.told).toEqual(['gone']);
  });

  test('is not settled while a job that may be its own is unfinished', async () => {
    const service = openLosses();
    service.lostAnswers.add(workOf(), sent, SOON);
    const unfinished = [{ id: 'unknown', status: 'processing' }] as const;
    for (const [at, lookAt] of [
      [1_000, 1_250],
      [5_000, 5_500],
      [15_000, 16_500],
      [600_000, 605_000],
    ] as const) {
      await service.sees(unfinished, at);
      expect([service.told, service.lostAnswers.lookAt()]).toEqual([[], lookAt]);
    }
  });

  test('is not matched to a job that appears after it was settled, and does not wait for that job', async () => {
    const failed: Job = { id: 'first', status: 'failed' };
    const service = openLosses({}, { ports: { fetchJob: async () => stateOf(failed, {}) } });
    service.lostAnswers.add(workOf(), sent, SOON);
    await service.sees([{ id: 'first', status: 'processing' }], SOON);
    const jobs: Job[] = [failed, { id: 'later', status: 'processing' }];
    await service.sees(jobs, SOON + 200);
    await service.sees(jobs, SOON + 201);
    expect(service.told).toEqual(['gone']);
  });

  test('is not settled by a list that lacks a job of ours that an earlier list has shown', async () => {
    const service = openLosses();
    service.lostAnswers.add(workOf(), sent, SOON);
    service.session.lag.sawList(new Set(), SOON, ['ours']);
    await service.sees([], SOON);
    expect([service.told, service.lostAnswers.lookAt()]).toEqual([[], SOON + 500]);
    service.session.lag.sawList(new Set(['ours']), SOON + 500, ['ours']);
    await service.sees([], SOON + 500);
    expect(service.told).toEqual(['gone']);
  });

  test('is settled later where lists lag, and waits for a job that only a later list shows', async () => {
    const service = openLosses();
    service.session.lag.accepted('ours', -1_000);
    service.lostAnswers.add(workOf(), sent, SOON);
    service.session.lag.sawList(new Set(), SOON, []);
    await service.sees([], SOON);
    expect([service.told, service.lostAnswers.lookAt()]).toEqual([[], SOON + 2 * 6_000]);
    service.session.lag.sawList(new Set(['ours', 'unknown']), 7_000, []);
    await service.sees([finished], 7_000);
    await service.sees([finished], 7_100);
    expect(service.told).toEqual(['found']);
  });

  test('may belong to a job that only an earlier list has shown, because a later one may lag', async () => {
    const service = openLosses();
    service.lostAnswers.add(workOf(), sent, SOON);
    await service.sees([{ ...finished, status: 'processing' }], 100);
    await service.sees([], SOON);
    await service.sees([], SOON + 200);
    expect(service.told).toEqual(['found']);
  });

  test('is reported if it takes long', async () => {
    const service = openLosses();
    service.lostAnswers.add(workOf(), sent, SOON);
    await service.sees([], 2_999);
    expect(service.waits).toEqual([]);
    await service.sees([], 3_000);
    const words = 'An answer was lost: waiting to see whether the service has accepted the submission.';
    expect(service.waits).toEqual([[words, 3_000]]);
  });

  test('does not belong to a job that was listed before the submission was sent', async () => {
    const service = openLosses();
    await service.sees([finished], 50);
    service.lostAnswers.add(workOf(), { at: 100, mark: 0 }, SOON);
    await service.sees([finished], 100 + SOON);
    expect(service.told).toEqual(['gone']);
  });
});

describe('A submission of unknown pixels, such as a player', () => {
  const other: Job = { ...finished, id: 'also unknown' };

  /** What becomes of submissions when these jobs are listed. */
  async function judge(works: readonly Submission[], jobs: readonly Job[]): Promise<string[]> {
    const service = openLosses({}, { ports: { pixelsOf: () => undefined } });
    for (const work of works) service.lostAnswers.add(work, sent, SOON);
    await service.sees(jobs, 100);
    await service.sees(jobs, SOON);
    return service.told;
  }

  test('is matched to the only unknown job', async () => {
    expect(await judge([workOf()], [finished])).toEqual(['found']);
  });

  test('is never matched to a job with a hidden skin, unless that was requested', async () => {
    const judgeHidden = async (work: Submission) => {
      const service = openLosses({ visibility: 'private' }, { ports: { pixelsOf: () => undefined } });
      service.lostAnswers.add(work, sent, SOON);
      await service.sees([finished], 100);
      await service.sees([finished], SOON);
      return service.told;
    };
    expect(await judgeHidden(workOf())).toEqual(['gone']);
    expect(await judgeHidden(workOf({ visibility: 'private' }))).toEqual(['found']);
  });

  test('is never matched to a job older than one listed before the submission', async () => {
    const service = openLosses({}, { ports: { pixelsOf: () => undefined } });
    service.lostAnswers.add(workOf(), { at: 0, mark: 7_001 }, SOON);
    await service.sees([{ ...finished, timestamp: 7_000 }], SOON);
    expect(service.told).toEqual(['gone']);
  });

  test('is not settled while the job may belong to a submission whose answer is on its way', async () => {
    const service = openLosses({}, { ports: { pixelsOf: () => undefined } });
    service.lostAnswers.add(workOf(), sent, SOON);
    service.session.slots.unsure.size = 2;
    for (const at of [100, 200, SOON]) await service.sees([finished], at);
    expect(service.told).toEqual([]);
    service.session.slots.unsure.size = 1;
    await service.sees([finished], SOON + 200);
    expect(service.told).toEqual(['found']);
  });

  test('is matched to neither of two unknown jobs', async () => {
    expect(await judge([workOf()], [finished, other])).toEqual(['gone']);
  });

  test('is not matched while there may be another unknown job', async () => {
    // Once the first is settled, the other is the only one.
    expect(await judge([workOf(), workOf()], [finished])).toEqual(['gone', 'found']);
  });
});

describe('A job of unknown origin', () => {
  /** What becomes of a lost answer, sent at 100 ms, with a list in which this job was there from `listedAt` on. */
  async function judge(job: Job, listedAt: number, mark = 0) {
    const service = openLosses();
    await service.sees([job], listedAt);
    service.lostAnswers.add(workOf(), { at: 100, mark }, SOON);
    await service.sees([job], 300);
    await service.sees([job], 100 + SOON);
    return service;
  }

  test('may belong to an answer sent at the moment when the job was first listed', async () => {
    expect((await judge(finished, 100)).told).toEqual(['found']);
    expect((await judge(finished, 99)).told).toEqual(['gone']);
  });

  test('may belong to an answer sent while the first list with the job was under way', async () => {
    const service = openLosses();
    await service.sees([finished], 50, 150);
    service.lostAnswers.add(workOf(), { at: 100, mark: 0 }, SOON);
    await service.sees([finished], 300);
    await service.sees([finished], 100 + SOON);
    expect(service.told).toEqual(['found']);
  });

  test('does not belong to an answer sent when a clearly newer job was already listed', async () => {
    const job = { ...finished, timestamp: 7_000 };
    expect((await judge(job, 100, 17_000)).told).toEqual(['found']);
    expect((await judge(job, 100, 17_001)).told).toEqual(['gone']);
  });

  test('may seem older than a job that existed when the answer was sent, if a clock was set back', async () => {
    const service = openLosses();
    service.session.clockDisorder = 3_600_000;
    service.lostAnswers.add(workOf(), { at: 100, mark: 3_617_000 }, SOON); // the one that taught it was later
    await service.sees([{ ...finished, timestamp: 7_000 }], 300);
    await service.sees([{ ...finished, timestamp: 7_000 }], 100 + SOON);
    expect(service.told).toEqual(['found']);
  });

  test('is found once', async () => {
    const service = await judge(finished, 100);
    expect([service.lostAnswers.size, service.lostAnswers.lookAt()]).toEqual([0, undefined]);
  });

  test('is examined once, and then makes a list due a quarter of a second after the last one', async () => {
    const fetches: string[] = [];
    const answer = Promise.withResolvers<JobAnswer>();
    let looks = 0;
    const fetchJob = async (id: string) => {
      fetches.push(id);
      return await answer.promise;
    };
    const service = openLosses({}, { ports: { fetchJob, onDue: () => void looks++ } });
    service.lostAnswers.add(workOf(), sent, SOON);
    const seen = [service.sees([finished], 100), service.sees([finished], 200)];
    expect([fetches, looks, service.lostAnswers.lookAt()]).toEqual([['unknown'], 0, SOON]);
    answer.resolve(stateOf(finished, {}));
    await Promise.all(seen);
    expect([looks, service.lostAnswers.lookAt()]).toEqual([1, 450]);
  });

  const broken = { job: finished, skin: { texture: { data: { value: 'no skin data' } } } };
  test.each([
    ['has failed', { job: { ...finished, status: 'failed' } }],
    ['has no skin that can be read', broken],
  ])('that %s does not belong to a lost answer, but another job still may', async (_, state) => {
    const other = { ...finished, id: 'the right one' };
    const fetchJob = async (id: string) =>
      id === other.id ? stateOf(other, {}) : (state as unknown as JobAnswer);
    const service = openLosses({}, { ports: { fetchJob } });
    service.lostAnswers.add(workOf(), sent, SOON);
    await service.sees([finished, other], 100);
    await service.sees([finished, other], SOON);
    expect(service.told).toEqual(['found']);
  });

  test('that cannot be examined for another reason is a failure', async () => {
    const texturePixels = async () => await Promise.reject(new TypeError('a bug'));
    const service = openLosses({}, { ports: { texturePixels } });
    service.lostAnswers.add(workOf(), sent, SOON);
    await expect(service.sees([finished], 100)).rejects.toThrow('a bug');
  });
});

test('An answer that nothing waits for any more needs no request for the list', () => {
  const service = openLosses();
  const work = workOf();
  service.lostAnswers.add(work, sent, SOON);
  expect([service.lostAnswers.size, service.lostAnswers.lookAt()]).toEqual([1, SOON]);
  service.lostAnswers.forget(work);
  expect([service.lostAnswers.size, service.lostAnswers.lookAt()]).toEqual([0, undefined]);
});

test.each([
  ['of this program', { isOwn: () => true }],
  ['of another process on this machine', { isElsewhere: true }],
])('A job %s does not belong to a lost answer', async (_, origin) => {
  const service = openLosses({}, origin);
  service.lostAnswers.add(workOf(), sent, SOON);
  await service.sees([finished], SOON);
  expect(service.told).toEqual(['gone']);
});
