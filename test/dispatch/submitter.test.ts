import { expect, test } from 'vitest';
import { SlotLimit, Slots, type Submission } from '../../src/dispatch/limits.ts';
import { Submitter, type SubmitterPorts } from '../../src/dispatch/submitter.ts';
import { noAnswer, refusal } from '../support/client/failures.ts';

interface Around {
  readonly isSkinsmith?: boolean;
  /** Answers to the work that were lost before. */
  readonly losses?: number;
  readonly maxNew?: number;
  /** Pieces of work. */
  readonly count?: number;
  /** Submissions that the rate windows leave. */
  readonly left?: number;
  /** Whether the service could not be reached since the last list. */
  readonly isUnproven?: boolean;
  /** Jobs that other processes have for the first pieces of work. */
  readonly elsewhere?: readonly string[];
}

/** Submissions that end like this, one after the other, until all are settled; then they are accepted. */
function prepare(
  errors: readonly Error[],
  {
    isSkinsmith = false,
    isUnproven = false,
    losses = 0,
    maxNew = 10,
    count = 1,
    left: open = 1,
    elsewhere = [],
  }: Around = {},
) {
  const told: string[] = [];
  const keys: string[] = [];
  let limits = 0;
  const stop = new AbortController();
  const tasks: Promise<void>[] = [];
  const left = [...errors];
  const jobs = [...elsewhere];
  const take = () => (jobs.length > 0 ? { job: jobs.shift() } : 'mine');
  const tools = {
    session: {
      now: () => 0,
      random: () => 0,
      burst: 5,
      isSkinsmith,
      isUnproven,
      clock: { sleep: async () => void told.push('pause') },
      newestJobTime: 7,
      tellLimit: () => void limits++,
      slots: new Slots(),
      slotLimit: new SlotLimit(5),
      pace: { left: () => open, openAt: () => 0 },
      intake: {
        isOn: false,
        openAt: Number.NEGATIVE_INFINITY,
        failed: () => void told.push('none accepted'),
      },
      areResultsShut: false,
      memory: { isAway: false },
      track: (task: Promise<void>) => tasks.push(task),
      post: async ({ key }: Submission) => {
        keys.push(key);
        const error = left.shift();
        if (error) throw error;
      },
    },
    record: {
      intent: (_: string, __: number, mark: number) => void (mark === 7 || told.push('no mark')),
      refused: () => told.push('not taken'),
    },
    wakeUp: {
      notify: () => {},
      wait: async () => {
        await Promise.all(tasks);
        stop.abort();
      },
    },
    queue: { take, became: () => {}, pending: 5, leave: () => {}, enter: () => {} },
    user: {
      prepare: async () => ({ source: { url: 'https://example.org/a.png' }, options: {} }),
      rejected: () => told.push('failed'),
      queueFilledByOthers: () => told.push('filled by others'),
    },
    stop: stop.signal,
    hardStop: new AbortController().signal,
    onAccepted: () => told.push('accepted'),
    onLost: () => told.push('lost'),
    onElsewhere: ({ key }: Submission, job: string) => told.push(`${key} is ${job}`),
    lookSoon: () => told.push('look'),
  } as unknown as SubmitterPorts<Submission>;
  const submitter = new Submitter(tools, maxNew);
  for (let n = 0; n < count; n++) submitter.add({ key: `k${n}`, attempt: 0, losses } as Submission);
  return { submitter, told, keys, tells: () => limits };
}

/** What the submitter has asked for. */
async function after(error: Error, around: Around = {}): Promise<string[]> {
  const { submitter, told } = prepare([error], around);
  await submitter.run();
  if (submitter.waiting > 0) told.push('again');
  return told;
}

test('After a full queue, the list shows how many slots are free', async () => {
  expect(await after(refusal(429, 'job_limit'))).toEqual(['not taken', 'look', 'filled by others', 'again']);
});

test('After a rate limit, the list is not requested', async () => {
  expect(await after(refusal(429, 'rate_limit', 1_000))).toEqual(['not taken', 'again']);
});

test('A source that is refused permanently is not sent again', async () => {
  expect(await after(refusal(400, 'invalid_image'))).toEqual(['not taken', 'failed']);
});

test('A lost answer is left to the list, or sent again to a service that recognizes it', async () => {
  const lost = noAnswer(true);
  expect(await after(lost)).toEqual(['none accepted', 'lost']);
  expect(await after(lost, { isSkinsmith: true })).toEqual(['none accepted', 'pause', 'accepted']);
});

test('Work whose answers are lost again and again is given up', async () => {
  expect(await after(noAnswer(true), { losses: 39 })).toEqual(['none accepted', 'lost']);
  expect(await after(noAnswer(true), { losses: 40 })).toEqual(['none accepted', 'failed']);
});

test('A submission that certainly did not arrive is sent again once the service accepts any submission', async () => {
  expect(await after(noAnswer(false))).toEqual(['not taken', 'none accepted', 'again']);
});

test('After a service could not be reached, nothing is sent until a list has shown that it has its data', async () => {
  const { submitter, keys } = prepare([], { isUnproven: true });
  await submitter.run();
  expect([submitter.waiting, keys]).toEqual([1, []]);
});

test.each([
  [2, 1, true],
  [1, 1, false],
  [0, 0, false],
])('Of %i skins with a budget of %i some are left: %s', async (count, maxNew, isSpent) => {
  const { submitter, keys } = prepare([], { count, maxNew });
  await submitter.run();
  expect([submitter.isSpent, submitter.waiting, keys.length]).toEqual([isSpent, count - maxNew, maxNew]);
});

test('A repetition is sent before new work, and does not count in the budget', async () => {
  const { submitter, keys } = prepare([], { count: 1, maxNew: 1 });
  submitter.addAgain({ key: 'again', attempt: 1, losses: 0 } as Submission);
  expect(submitter.isSpent).toBe(false);
  await submitter.run();
  expect(keys).toEqual(['again', 'k0']);
});

test('A budget does not count as spent while a repetition is left', () => {
  const { submitter } = prepare([], { count: 1, maxNew: 0 });
  expect(submitter.isSpent).toBe(true);
  submitter.addAgain({ key: 'again', attempt: 1, losses: 0 } as Submission);
  expect(submitter.isSpent).toBe(false);
});

test('Work for which another process has a job is followed and not sent, repetitions first', async () => {
  const { submitter, told, keys } = prepare([], { count: 2, elsewhere: ['job 1', 'job 2'] });
  submitter.addAgain({ key: 'again', attempt: 1, losses: 0 } as Submission);
  await submitter.run();
  expect([told, keys]).toEqual([['again is job 1', 'k0 is job 2', 'accepted'], ['k1']]);
});

test.each([
  ['waits for a rate window is', 0, 1],
  ['is submitted is not', 1, 0],
])('The fact that work %s reported', async (_, left, times) => {
  const { submitter, tells } = prepare([], { left });
  await submitter.run();
  expect(tells()).toBe(times);
});
