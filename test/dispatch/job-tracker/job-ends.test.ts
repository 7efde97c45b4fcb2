import { expect, test } from 'vitest';
import type { JobAnswer } from '../../../src/client/types.ts';
import { type JobEnd, JobEnds, type JobEndsPorts } from '../../../src/dispatch/job-tracker.ts';
import type { OpenJob, Submission } from '../../../src/dispatch/limits.ts';
import { pollableAt } from '../../../src/dispatch/look-times.ts';
import { Lag, ServiceMemory } from '../../../src/dispatch/service-facts.ts';
import { refusal } from '../../support/client/failures.ts';

const DONE = { id: 'a', status: 'completed' } as const;
const SKIN = { uuid: 'b' };
const END: JobEnd = { seen: DONE, at: 3_000 };

function stateOf(status: string, skin?: object): JobAnswer {
  return { job: { id: 'a', status }, skin } as unknown as JobAnswer;
}

interface Around {
  readonly follows?: boolean;
  readonly isSkinsmith?: boolean;
  readonly job?: Partial<OpenJob<Submission>>;
  /** What the service answers when the job is read, one answer after the other. */
  readonly answers?: readonly (JobAnswer | Error | undefined)[];
  /** Whether reads of jobs fail now. */
  readonly isShut?: boolean;
}

/** The ends of the job `a`, which was accepted at 1,000 ms, and what they lead to; it is 3,000 ms. */
function open({
  follows = true,
  isSkinsmith = false,
  job: more = {},
  answers = [stateOf('completed', SKIN)],
  isShut = false,
}: Around = {}) {
  const told: unknown[] = [];
  const tasks: Promise<void>[] = [];
  const left = [...answers];
  const job = {
    id: 'a',
    work: {},
    acceptedAt: 1_000,
    isTimed: true,
    ...more,
  } as OpenJob<Submission>;
  const jobs = new Map([['a', job]]);
  const clock = { now: 3_000 };
  const freed = (id: string) => {
    jobs.delete(id);
    told.push('freed');
  };
  const tools = {
    session: {
      now: () => clock.now,
      slots: { jobs, freed },
      gates: { job: { isShut } },
      isSkinsmith,
      lag: new Lag(),
      memory: new ServiceMemory(3_000),
      tellWait: (message: string) => told.push(message),
      times: { ended: (_: unknown, duration: number) => told.push(`took ${duration}`) },
      track: (task: Promise<void>) => tasks.push(task),
    },
    reader: {
      job: async () => {
        told.push('read');
        const answer = left.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      },
      lagged: async (tries: number) => {
        told.push(`lagged ${tries}`);
        return tries < 2;
      },
    },
    results: {
      attempt: async (_: unknown, id: string, step: () => Promise<void>) =>
        await step().catch((error: Error) => void told.push(`${id}: ${error.message}`)),
      settle: async (_: unknown, { job: { status } }: JobAnswer) => void told.push(status),
      settleForgotten: async (_: unknown, __: string, result: string | undefined) =>
        void told.push(`forgotten ${result}`),
    },
    follows,
    onRoom: () => told.push('room'),
    onHint: () => told.push('hint'),
  } as unknown as JobEndsPorts<Submission>;
  const settled = async () => await Promise.all(tasks);
  return { ends: new JobEnds(tools), job, jobs, told, clock, settled, tasks };
}

test.each([
  ['has the result', [stateOf('completed', SKIN)], 1],
  ['came too early', [stateOf('processing'), stateOf('completed', SKIN)], 2],
  ['is missing', [refusal(500, 'internal_error'), stateOf('completed', SKIN)], 2],
])(
  'A job whose end a list shows while it is polled is read once, or again if needed, when the answer to the poll %s: %#',
  async (_, answers, reads) => {
    const { ends, job, told, settled } = open({ answers });
    ends.poll(job);
    ends.ended(job, END);
    await settled();
    expect(told.filter((one) => one === 'read')).toHaveLength(reads);
    expect(told.filter((one) => one === 'completed')).toHaveLength(1);
    expect(told.filter((one) => /lagged/.test(String(one)))).toEqual([]);
  },
);

test('A job whose last answer is still outstanding counts as polled again, so that it is not due forever', () => {
  const { ends, job, clock, tasks } = open();
  ends.poll(job);
  clock.now = 5_000;
  ends.poll(job);
  expect([tasks.length, job.polledAt]).toEqual([1, 5_000]);
});

test.each([
  ['shows it unfinished', stateOf('processing')],
  ['lacks it', undefined],
])('A job is polled again a second after the answer to its last poll, if that %s', async (_, answer) => {
  const { ends, job, clock, settled } = open({ answers: [answer] });
  ends.poll(job);
  clock.now = 3_900; // the request waited for its turn, or was on its way
  await settled();
  expect([job.polledAt, pollableAt(job)]).toEqual([3_000, 4_900]);
});

test('The end of a job frees its slot, and its result teaches how long jobs take', async () => {
  const { ends, job, told, settled } = open();
  ends.ended(job, END);
  expect(told).toEqual(['freed', 'room', 'read']);
  await settled();
  expect(told.slice(3)).toEqual(['took 2000', 'hint', 'completed']);
});

test("The end of an earlier run's job is not used as a duration, because its start is unknown", async () => {
  const { ends, job, told, settled } = open({ job: { isTimed: false } });
  ends.ended(job, END);
  await settled();
  expect(told).toEqual(['freed', 'room', 'read', 'completed']);
});

test('A job ends once', async () => {
  const { ends, job, told, settled } = open();
  ends.ended(job, END);
  ends.ended(job, END);
  await settled();
  expect(told.filter((what) => what === 'completed')).toHaveLength(1);
});

test('Where results are not wanted, the end of a job only frees its slot', async () => {
  const { ends, job, told, tasks } = open({ follows: false });
  ends.ended(job, END);
  expect([told, tasks]).toEqual([['freed', 'room'], []]);
});

test.each([
  ['has its skin', stateOf('completed', SKIN), false],
  ['says that it failed', stateOf('failed'), false],
  ['lacks the skin', stateOf('completed'), true],
])(
  'A job whose end comes by an event is read again only if needed: the event %s',
  async (_, state, isRead) => {
    const { ends, job, told, settled } = open();
    ends.ended(job, { ...END, state });
    await settled();
    expect(told.includes('read')).toBe(isRead);
  },
);

test('An ended job that the service has forgotten gets the skin from the list', async () => {
  const { ends, job, told, settled } = open({ answers: [undefined] });
  ends.ended(job, { ...END, seen: { ...DONE, result: 'a skin' } });
  await settled();
  expect(told).toEqual(['freed', 'room', 'read', 'forgotten a skin']);
});

test('A job that is polled too early counts as seen unfinished at that time, or later if it was seen since', async () => {
  const { ends, job, told, clock, settled } = open({
    answers: [stateOf('processing'), stateOf('processing')],
  });
  ends.poll(job);
  await settled();
  expect([told, job.seenAt]).toEqual([['read', 'hint'], 3_000]);
  clock.now = 4_000;
  ends.poll(job);
  job.seenAt = 4_500;
  await settled();
  expect([told.length, job.seenAt]).toEqual([4, 4_500]);
});

test('A job that a list lacks is not polled within a second of its last poll', async () => {
  const { ends, job, told, clock, settled } = open({ answers: [stateOf('processing')] });
  ends.poll(job);
  await settled();
  clock.now = 3_999;
  ends.poll(job);
  expect([told, job.polledAt]).toEqual([['read', 'hint'], 3_000]);
});

test('A job that has ended when it is polled needs no other request', async () => {
  const { ends, job, told, settled } = open();
  ends.poll(job);
  await settled();
  expect(told).toEqual(['read', 'freed', 'room', 'took 2000', 'hint', 'completed']);
});

test('A job is not polled while reads of jobs fail', async () => {
  const { ends, job, told, settled } = open({ isShut: true });
  ends.poll(job);
  await settled();
  expect([told, job.polledAt]).toEqual([[], 3_000]);
});

/** Polls a job that is never found at these times. */
async function pollAt(times: readonly number[], around: Around = {}) {
  const polled = open({ answers: times.map(() => undefined), ...around });
  for (const now of times) {
    polled.clock.now = now;
    polled.ends.poll(polled.job);
    await polled.settled();
  }
  return polled;
}

test('A job that the service does not find keeps its slot for ten seconds', async () => {
  const { jobs, told } = await pollAt([3_000, 5_000, 8_000, 10_999]);
  expect([told.filter((what) => what === 'hint').length, jobs.size]).toEqual([4, 1]);
  expect(told.at(-1)).toBe('hint');
});

test('A job that the service has forgotten is reported as such, and frees its slot', async () => {
  const { told } = await pollAt([3_000, 5_000, 8_000, 11_000]);
  expect(told.slice(-3)).toEqual(['read', 'freed', 'forgotten undefined']);
});

test('A job counts as missing from the first time it was not found', async () => {
  const { jobs } = await pollAt([3_000, 5_000, 8_000, 12_999], { job: { seenAt: 2_000 } });
  expect(jobs.size).toBe(1);
  const later = await pollAt([3_000, 5_000, 8_000, 13_000], { job: { seenAt: 2_000 } });
  expect(later.jobs.size).toBe(0);
});

test('A job that is not found is not polled after every list', async () => {
  const { told } = await pollAt([3_000, 3_100, 3_999, 4_000]);
  expect(told.filter((what) => what === 'read')).toHaveLength(2);
});

test('A job that is not found is reported after three seconds', async () => {
  const { told } = await pollAt([3_999, 5_000]);
  expect(told).toEqual([
    ...['read', 'hint', 'read'],
    'The service cannot find a job that it accepted: waiting for it to appear.',
    'hint',
  ]);
});

test('A skinsmith service has one store, so its first answer counts', async () => {
  const { told } = await pollAt([3_000], { isSkinsmith: true });
  expect(told).toEqual(['read', 'freed', 'forgotten undefined']);
});

test('A job that came back is awaited again if it disappears again', async () => {
  const around = open({ answers: [undefined, undefined, stateOf('processing'), undefined] });
  for (const now of [3_000, 5_000, 8_000, 30_000]) {
    around.clock.now = now;
    around.ends.poll(around.job);
    await around.settled();
  }
  expect([around.jobs.size, around.job.absent]).toEqual([1, { since: 30_000, at: 30_000, times: 1 }]);
});

test.each<[string, JobAnswer | undefined]>([
  ['is still at work', stateOf('processing')],
  ['has no skin yet', stateOf('completed')],
  ['is not known yet', undefined],
])(
  'A job that has ended according to the list, but %s according to its own answer, is read again',
  async (_, answer) => {
    const late = open({ answers: [answer, answer, stateOf('completed', SKIN)] });
    late.ends.ended(late.job, END);
    await late.settled();
    expect(late.told.slice(2)).toEqual([
      ...['read', 'lagged 0', 'read', 'lagged 1', 'read'],
      ...['took 2000', 'hint', 'completed'],
    ]);
    const never = open({ answers: [answer, answer, answer, answer] });
    never.ends.ended(never.job, END);
    await never.settled();
    expect(never.told.at(-1)).toBe(
      'a: The service says that the job has ended, but does not return its result.',
    );
  },
);

test('A job done at once is not used as a duration of other jobs', async () => {
  const { ends, job, told, settled } = open();
  ends.ended(job, { ...END, isAtOnce: true, state: stateOf('completed', SKIN) });
  await settled();
  expect(told).toEqual(['freed', 'room', 'completed']);
});

test('A job that cannot be polled frees its slot and fails', async () => {
  const { ends, job, told, settled } = open({ answers: [refusal(400, 'invalid_request')] });
  ends.poll(job);
  await settled();
  expect(told).toEqual(['read', 'freed', expect.stringMatching(/^a: /)]);
});

test.each([
  ['is not known', undefined],
  ['cannot be read', refusal(400, 'invalid_request')],
])(
  'A job whose end a list shows while it is polled, and that then %s, is left to the list',
  async (_, answer) => {
    const { ends, job, jobs, told, settled } = open({ answers: [answer] });
    ends.poll(job);
    jobs.delete('a');
    await settled();
    expect(told).toEqual(['read']);
  },
);
