import { expect, test } from 'vitest';
import { type SlotClaim, SlotLimit, Slots, type Submission } from '../../../src/dispatch/limits.ts';
import { Submitter, type SubmitterPorts, type SubmitterUser } from '../../../src/dispatch/submitter.ts';
import { noAnswer, refusal } from '../../support/client/failures.ts';

interface Around {
  readonly works?: number;
  /** Answers to the requests for a slot, one after the other; then each gets one. */
  readonly takes?: readonly SlotClaim[];
  /** How submissions end, one after the other; then they are accepted. */
  readonly errors?: readonly (Error | undefined)[];
  readonly burst?: number;
  readonly force?: boolean;
  readonly losses?: number;
  /** Jobs that the caller has, as far as known. */
  readonly pending?: number;
  readonly maxNew?: number;
  /** When a rate window ends. */
  readonly paceOpenAt?: number;
  readonly prepare?: SubmitterUser<Submission>['prepare'];
  /** What happens at the end of each wait but the last, which stops the submitter. */
  readonly steps?: readonly Step[];
}

type Step = (made: { readonly submitter: Submitter<Submission>; readonly clock: { now: number } }) => void;

const REQUEST = { source: { url: 'https://example.org/a.png' }, options: {} };

function workOf(key: string, more: Partial<Submission> = {}): Submission {
  return { key, variant: 'auto', visibility: undefined, cape: undefined, attempt: 0, losses: 0, ...more };
}

/** Runs a submitter until it waits with nothing more to happen; all times are of its own clock. */
async function run(around: Around) {
  const {
    works = 1,
    burst = 5,
    force = false,
    losses = 0,
    pending = 5,
    paceOpenAt = 0,
    maxNew = 10,
  } = around;
  const takes = [...(around.takes ?? [])];
  const errors = [...(around.errors ?? [])];
  const steps = [...(around.steps ?? [])];
  const clock = { now: 1_000 };
  const told: unknown[] = [];
  const asked: unknown[] = [];
  const pauses: (number | undefined)[] = [];
  const calls: string[] = [];
  const tasks: Promise<void>[] = [];
  const stop = new AbortController();
  const slots = new Slots<Submission>();
  const slotLimit = new SlotLimit(4);
  let [atOnce, mostAtOnce, notices, limits] = [0, 0, 0, 0];
  const ports = {
    session: {
      now: () => clock.now,
      random: () => 0.5,
      burst,
      isSkinsmith: false,
      newestJobTime: 7,
      tellLimit: () => void limits++,
      slots,
      slotLimit,
      pace: {
        left: () => 1,
        openAt: () => paceOpenAt,
        usedElsewhere: (...heard: unknown[]) => told.push(['windows', ...heard]),
      },
      areResultsShut: false,
      memory: { isAway: false },
      intake: { openAt: Number.NEGATIVE_INFINITY, failed: () => 0 },
      track: (task: Promise<void>) => tasks.push(task.catch((error: Error) => void told.push(error.message))),
      post: async (work: Submission) => {
        mostAtOnce = Math.max(mostAtOnce, ++atOnce);
        await Promise.resolve();
        atOnce--;
        const error = errors.shift();
        if (error) throw error;
        return work.key;
      },
    },
    record: {
      intent: (...intent: unknown[]) => void calls.push(`intent ${intent.join(' ')}`),
      refused: () => {},
    },
    wakeUp: {
      notify: () => void notices++,
      wait: async (pause?: number) => {
        pauses.push(pause);
        await Promise.all(tasks);
        const step = steps.shift();
        if (step) step({ submitter, clock });
        else stop.abort();
      },
    },
    queue: {
      pending,
      enter: () => calls.push('enter'),
      leave: () => calls.push('leave'),
      became: (key: string, job: string | undefined) => calls.push(`${key} became ${job}`),
      take: (limit: number, key: string | undefined) => {
        asked.push([limit, key]);
        return takes.shift() ?? 'mine';
      },
    },
    force,
    user: {
      prepare: around.prepare ?? (async () => REQUEST),
      rejected: ({ key }: Submission) => told.push(`${key} failed`),
      unusable: (_: unknown, problem: unknown) => told.push(problem),
      queueFilledByOthers: (jobs: number) => told.push(`${jobs} of others`),
    },
    stop: stop.signal,
    hardStop: new AbortController().signal,
    onAccepted: (_: unknown, state: string) => {
      told.push(state);
      slots.unsure.clear();
    },
    onLost: ({ key }: Submission) => told.push(`${key} lost`),
    onElsewhere: () => {},
    lookSoon: () => {},
  } as unknown as SubmitterPorts<Submission>;
  const submitter = new Submitter(ports, maxNew);
  for (let n = 0; n < works; n++) submitter.add(workOf(`k${n}`, { losses }));
  const noticesBefore = notices;
  await submitter.run();
  const found = { mostAtOnce, notices: notices - noticesBefore, limits };
  return { submitter, told, asked, pauses, calls, slots, slotLimit, ports, ...found };
}

test('A submission is recorded before it is sent, and in flight until it is answered', async () => {
  const { told, calls, asked, pauses } = await run({});
  expect([told, calls]).toEqual([['k0'], ['intent k0 0 7']]);
  expect([asked, pauses]).toEqual([[[4, 'k0 0']], [undefined]]);
});

test('At most the allowed number are in flight at once', async () => {
  expect((await run({ works: 4, burst: 2, steps: [() => {}] })).mostAtOnce).toBe(2);
});

test.each([
  ['everything is made again', { force: true }],
  ['an answer was lost', { losses: 1 }],
])('Other processes with the same work are not waited for when %s', async (_, around) => {
  expect((await run(around)).asked).toEqual([[4, undefined]]);
});

test("A queue full of others' jobs is reported if no slot is in use, and a slot is tried again", async () => {
  const full: SlotClaim[] = ['full', 'full'];
  const first = await run({ takes: full, steps: [() => {}] });
  expect([first.told, first.pauses]).toEqual([
    ['5 of others', '5 of others'],
    [300, 300],
  ]);
  expect((await run({ takes: full, pending: 0 })).told).toEqual([]);
  const second = await run({ works: 2, takes: ['mine', 'full'], errors: [noAnswer(true)] });
  expect(second.told).toEqual(['k0 lost']);
});

test('Windows that other processes have used up are waited for', async () => {
  const windows = [{ span: 60_000, limit: 20, remaining: 0, endsIn: 9_000 }];
  const { told, asked } = await run({ works: 2, takes: [{ windows }] });
  expect([told, asked.length]).toEqual([[['windows', windows, 1_000]], 1]);
});

test('Work that another process is just submitting is put off', async () => {
  const { told } = await run({ works: 2, takes: [{ job: undefined }], steps: [() => {}] });
  expect(told).toEqual(['k1', 'k0']);
});

test('A repetition that another process is just submitting is put off', async () => {
  const steps: readonly Step[] = [
    ({ submitter }) => {
      submitter.addAgain(workOf('again 1'));
      submitter.addAgain(workOf('again 2'));
    },
    () => {},
  ];
  const { told, calls } = await run({ works: 0, takes: [{ job: undefined }], steps });
  expect(told).toEqual(['again 2', 'again 1']);
  expect(calls.filter((call) => call === 'enter')).toHaveLength(2);
});

test('A limit delays submissions for as long as it lasts', async () => {
  const { told, pauses } = await run({ paceOpenAt: 3_500 });
  expect([told, pauses]).toEqual([[], [2_500]]);
});

test('The slots are left to others once the last work has a slot', async () => {
  const noMore: readonly Step[] = [
    ({ submitter }) => {
      submitter.add(workOf('a'));
      submitter.add(workOf('b'));
      submitter.noMore();
    },
  ];
  const { calls } = await run({ works: 1, steps: noMore });
  expect(calls).toEqual(['intent k0 0 7', 'leave', 'intent a 0 7', 'intent b 0 7']);
});

test('The slots are left to others when it turns out that the last work has one already', async () => {
  const { calls } = await run({ works: 2, steps: [({ submitter }) => submitter.noMore()] });
  expect(calls).toEqual(['intent k0 0 7', 'intent k1 0 7', 'leave']);
});

test('The slots are left to others once no more skins may be made', async () => {
  const { calls } = await run({ works: 3, maxNew: 2 });
  expect(calls).toEqual(['leave', 'intent k0 0 7', 'intent k1 0 7']);
});

test('The slots are left to others when another process has the last work', async () => {
  const noMore: Step = ({ submitter }) => {
    submitter.add(workOf('a'));
    submitter.noMore();
  };
  const { calls } = await run({ works: 0, takes: [{ job: 'j1' }], steps: [noMore] });
  expect(calls).toEqual(['leave']);
});

test.each([
  ['was refused for now', refusal(429, 'job_limit')],
  ['did not arrive', noAnswer(false)],
])('Slots are claimed again for the last work when it %s', async (_, error) => {
  const noMore: Step = ({ submitter }) => {
    submitter.add(workOf('a'));
    submitter.noMore();
  };
  const { calls } = await run({ works: 0, errors: [error], steps: [noMore] });
  expect(calls.slice(0, 4)).toEqual(['leave', 'intent a 0 7', 'enter', 'a 0 became undefined']);
});

test('A submission that did not become a job gives its slot and its work back', async () => {
  const failed = await run({ errors: [refusal(400, 'invalid_image')] });
  expect([failed.told, failed.calls.at(-1)]).toEqual([['k0 failed'], 'k0 0 became undefined']);
  expect(failed.slots.ours).toBe(0);
  const lost = await run({ errors: [noAnswer(true)], losses: 40 });
  expect([lost.told, lost.calls.at(-1), lost.slots.ours]).toEqual([
    ['k0 failed'],
    'k0 0 became undefined',
    0,
  ]);
  const late = await run({ errors: [noAnswer(false)] });
  expect([late.calls.at(-1), late.slots.ours, late.notices]).toEqual(['k0 0 became undefined', 0, 1]);
});

test('Work with nothing to send returns its slot', async () => {
  const { told, calls, slots } = await run({ prepare: async () => ({ problem: 'gone' }) });
  expect([told, calls, slots.ours]).toEqual([['gone'], ['k0 0 became undefined'], 0]);
});

test('A bug in preparing a submission is reported', async () => {
  const { told } = await run({ prepare: async () => await Promise.reject(new TypeError('a bug')) });
  expect(told).toEqual(['a bug']);
});

const full = refusal(429, 'job_limit');
const pass =
  (ms: number): Step =>
  ({ clock }) => {
    clock.now += ms;
  };

test('A queue that was full gets fewer jobs, and is tried again later each time', async () => {
  const steps = [0, 299, 1, 0, 480, 0].map(pass);
  const { pauses, slotLimit } = await run({ errors: [full, full, full], pending: 2, steps });
  expect(pauses).toEqual([undefined, 300, 1, undefined, 480, undefined, 768]);
  expect(slotLimit.at(1_780)).toBe(2);
});

test('An accepted submission makes the pause after a full queue short again', async () => {
  const next: Step = ({ submitter, clock }) => {
    clock.now += 1_000;
    submitter.add(workOf('next'));
  };
  const steps = [pass(0), pass(300), next, pass(0)];
  const { told, pauses } = await run({ errors: [full, undefined, full], steps });
  expect([told, pauses]).toEqual([
    ['5 of others', 'k0', '5 of others'],
    [undefined, 300, undefined, undefined, 300],
  ]);
});

test('A queue that was full is tried again at once when a job has ended', async () => {
  const { told } = await run({ errors: [full], steps: [({ submitter }) => submitter.roomSeen()] });
  expect(told).toEqual(['5 of others', 'k0']);
});

test('Accepted work raises the number of jobs that fit, and a limit is reported while work is left', async () => {
  const { slotLimit, limits } = await run({ works: 2, pending: 12, burst: 1 });
  expect([slotLimit.burst, limits]).toEqual([12, 2]);
});

test('News of slots wakes the submitter', async () => {
  const steps: readonly Step[] = [
    ({ submitter }) => {
      submitter.looked();
      submitter.roomSeen();
      submitter.noMore();
      submitter.addAgain(workOf('again'));
    },
  ];
  expect((await run({ works: 0, steps })).notices).toBe(4);
});
