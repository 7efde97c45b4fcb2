import { expect, test } from 'vitest';
import type { LookState, RunningJob } from '../../../src/dispatch/look-times.ts';
import { refusal } from '../../support/client/failures.ts';
import { jobOf, watch } from '../../support/dispatch/watching.ts';

interface Around {
  /** When an answer that was lost is settled, and when those of dead processes are. */
  readonly lost?: number;
  readonly settled?: number;
  /** When the list is due for the job; undefined: there is no job. */
  readonly next?: number;
}

/** How long a watcher waits at 1,000 ms. */
async function pauseOf({ lost, settled, next }: Around): Promise<number | undefined> {
  const { watcher, ports, session, pauses } = watch(next === undefined ? [] : [jobOf('running', 0)], {});
  Object.assign(session, { times: { assumeTypical: () => {}, next: () => next, nextPoll: () => undefined } });
  Object.assign(ports.lostAnswers, { lookAt: () => lost });
  Object.assign(ports.others, { otherJobs: [], foreignJobs: 0, settledAt: settled });
  await watcher.run();
  return pauses[0];
}

test.each<[what: string, around: Around, pause: number | undefined]>([
  ['nothing', {}, undefined],
  ['a lost answer', { lost: 1_200 }, 200],
  ["a dead process's submission before a lost answer", { lost: 1_200, settled: 1_100 }, 100],
  ['a job', { next: 1_500 }, 500],
  ['a lost answer before a job', { next: 1_500, lost: 1_200 }, 200],
])('With %s to look for, a watcher wakes in time', async (_, around, pause) => {
  expect(await pauseOf(around)).toBe(pause);
});

test('While events tell of the ends of jobs, the list is requested after five seconds', async () => {
  const queueList = async () => ({ jobs: [{ id: 'running', status: 'processing' }], links: {} });
  const { watcher, ports, pauses } = watch([jobOf('running', 0)], { queueList });
  Object.assign(ports.others, { otherJobs: [] });
  watcher.listening(true);
  await watcher.run();
  expect(pauses).toEqual([5_000]);
});

test('The next look is planned from the known jobs, including the jobs of other processes', async () => {
  const queueList = async () => ({ jobs: [{ id: 'ours', status: 'processing' }], links: {} });
  const { watcher, ports, session } = watch([jobOf('ours', 0)], { queueList });
  const seen: unknown[] = [];
  const next = (jobs: readonly RunningJob[], { roundTrip, lastLook }: LookState) => {
    seen.push([roundTrip, lastLook, jobs.map(({ acceptedAt, seenAt }) => [acceptedAt, seenAt])]);
    return 2_000;
  };
  const told: unknown[] = [];
  Object.assign(session, {
    times: { assumeTypical: (typical: unknown) => told.push(typical), next, nextPoll: () => undefined },
    roundTrip: { ms: 30, took: () => {} },
  });
  const otherJobs = [
    { acceptedAt: 100, eta: 5 },
    { acceptedAt: 1_200, eta: 5 },
  ];
  Object.assign(ports.others, { otherJobs, typical: 700 });
  await watcher.look();
  await watcher.run();
  expect([told, seen]).toEqual([
    [700],
    [
      [
        30,
        1_000,
        [
          [0, 1_000],
          [100, 1_000],
          [1_200, 1_200],
        ],
      ],
    ],
  ]);
});

test('The plan for the next look considers when a list last showed jobs of others, even once they are gone', async () => {
  const queueList = async () => ({ jobs: [{ id: 'ours', status: 'processing' }], links: {} });
  const { watcher, ports, session } = watch([jobOf('ours', 0)], { queueList });
  const seen: unknown[] = [];
  const next = (_: unknown, { isAlone, othersAt }: LookState) => void seen.push([isAlone, othersAt]);
  Object.assign(session, { times: { assumeTypical: () => {}, next, nextPoll: () => undefined } });
  Object.assign(ports.others, { otherJobs: [], foreignJobs: 1 });
  await watcher.look();
  session.now = () => 3_000;
  Object.assign(ports.others, { foreignJobs: 0 });
  await watcher.look();
  await watcher.run();
  expect(seen).toEqual([[true, 1_000]]);
});

test('A caller that cannot list jobs shares nothing with other processes, and reads its own jobs rarely', async () => {
  const { watcher, ports, session } = watch([jobOf('ours', 0)], {
    queueList: async () => await Promise.reject(refusal(401, 'unauthorized')),
    job: async (id) => ({ job: { id, status: 'processing' } }),
  });
  const shared: unknown[] = [];
  const roundTrips: number[] = [];
  let [tries, asks] = [0, 0];
  const next = (_: unknown, { roundTrip, isAlone }: LookState) => {
    expect(isAlone).toBe(false);
    roundTrips.push(roundTrip);
    return 2_000;
  };
  Object.assign(session, { times: { assumeTypical: () => {}, next, nextPoll: () => void asks++ } });
  Object.assign(ports.others, {
    otherJobs: [],
    endLook: (_: number, list: unknown) => void shared.push(list),
    tryLook: () => {
      tries++;
      return 0;
    },
  });
  await watcher.look();
  await watcher.look();
  await watcher.run();
  expect([shared, tries, asks, roundTrips]).toEqual([[undefined, undefined], 1, 0, [600]]);
});

test('A job that is due is polled singly, and the next one is waited for', async () => {
  const { watcher, ports, session, asked, pauses } = watch([jobOf('first', 0), jobOf('second', 0)], {});
  const [first, second] = [...session.slots.jobs.values()];
  const asks = [
    { job: first, at: 1_000 },
    { job: second, at: 1_250 },
  ];
  Object.assign(session, {
    times: { assumeTypical: () => {}, next: () => 1_900, nextPoll: () => asks.shift() },
  });
  Object.assign(ports.others, { otherJobs: [] });
  await watcher.run();
  expect([asked, pauses]).toEqual([['first'], [250]]);
});

test('While events tell of the ends of jobs, none is polled singly', async () => {
  const queueList = async () => ({ jobs: [{ id: 'ours', status: 'processing' }], links: {} });
  const { watcher, ports, session, asked } = watch([jobOf('ours', 0)], { queueList });
  const job = session.slots.jobs.get('ours');
  Object.assign(session, {
    times: { assumeTypical: () => {}, next: () => 1_900, nextPoll: () => ({ job, at: 900 }) },
  });
  Object.assign(ports.others, { otherJobs: [] });
  watcher.listening(true);
  await watcher.run();
  expect(asked).toEqual([]);
});

interface Wave {
  readonly isListening?: boolean;
  readonly typical?: number;
  readonly hasJob?: boolean;
}

test.each<[what: string, wave: Wave, due: number]>([
  ['events tell of ends', { isListening: true }, 0],
  ['it is known how long jobs take', { typical: 300 }, 0],
  ['there is no other job', { hasJob: false }, 0],
  ['neither is so', {}, 1],
])('The end of a job asks for a look at the jobs only if needed (%s): %j, %i', (_, wave, due) => {
  const { isListening = false, typical, hasJob = true } = wave;
  const { watcher, ports, session } = watch(hasJob ? [jobOf('running', 0)] : [], {});
  Object.assign(session, { times: { typical } });
  Object.assign(ports.others, { otherJobs: [] });
  if (isListening) watcher.listening(true);
  let notices = 0;
  Object.assign(ports.wakeUp, { notify: () => void notices++ });
  watcher.sawEnd();
  expect(notices).toBe(due);
});

test('A new job to follow wakes the watcher', () => {
  const { watcher, ports } = watch([], {});
  let notices = 0;
  Object.assign(ports.wakeUp, { notify: () => void notices++ });
  watcher.added();
  expect(notices).toBe(1);
});
