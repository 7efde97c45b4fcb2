import { expect, test } from 'vitest';
import type { OpenJob, Submission } from '../../src/dispatch/limits.ts';
import type { LookState } from '../../src/dispatch/look-times.ts';
import { refusal } from '../support/client/failures.ts';
import { jobOf, watch } from '../support/dispatch/watching.ts';

/** One look at an empty list. Answers the jobs that are then polled singly. */
async function missedIn(jobs: readonly OpenJob<Submission>[]): Promise<string[]> {
  const { watcher, asked } = watch(jobs, { queueList: async () => ({ jobs: [], links: {} }) });
  await watcher.look();
  return asked;
}

test('A job that a list no longer shows is polled singly', async () => {
  expect(await missedIn([jobOf('old', 999)])).toEqual(['old']);
});

test('A job that was accepted while the list was on its way is not missed in it', async () => {
  expect(await missedIn([jobOf('same moment', 1_000), jobOf('new', 1_001)])).toEqual([]);
});

test.each([
  ['with a stream of events is ours', { events: '/v2/queue/events' }, true],
  ['without one need not be', {}, undefined],
])('A service whose list comes %s', async (_, links, isSkinsmith) => {
  const { watcher, session } = watch([], { queueList: async () => ({ jobs: [], links }) });
  await watcher.look();
  expect(session.isSkinsmith).toBe(isSkinsmith);
});

test('A caller without a list has its jobs read one by one, and the list is not requested again', async () => {
  let lists = 0;
  const read: string[] = [];
  const { watcher, asked } = watch([jobOf('pending', 0), jobOf('gone', 0)], {
    queueList: async () => {
      lists++;
      throw refusal(401, 'unauthorized');
    },
    job: async (id) => {
      read.push(id);
      if (id === 'gone') throw refusal(404, 'job_not_found');
      return { job: { id, status: 'processing' } };
    },
  });
  await watcher.look();
  await watcher.look();
  expect([lists, read, asked]).toEqual([1, ['pending', 'gone', 'pending', 'gone'], ['gone', 'gone']]);
});

test.each([
  ['of the list', 'queueList'],
  ['of a job', 'job'],
])('A refusal %s for another reason ends the watch', async (_, refused) => {
  const client = {
    queueList: async () => {
      throw refusal(401, 'unauthorized');
    },
    [refused]: async () => {
      throw refusal(403, 'invalid_api_key');
    },
  };
  const { watcher } = watch([jobOf('pending', 0)], client);
  await expect(watcher.look()).rejects.toMatchObject({ code: 'invalid_api_key' });
});

test.each([
  [249, 0],
  [250, 1],
])(
  'The end of a job %i ms after a list makes %i more lists due while no duration is known',
  async (since, due) => {
    const { watcher, ports } = watch([jobOf('running', 0)], {
      queueList: async () => ({ jobs: [], links: {} }),
    });
    await watcher.look();
    let notices = 0;
    Object.assign(ports.session, { now: () => 1_000 + since, times: { typical: undefined } });
    Object.assign(ports.others, { otherJobs: [] });
    Object.assign(ports.wakeUp, { notify: () => void notices++ });
    watcher.sawEnd();
    expect(notices).toBe(due);
  },
);

test('A list that another process requested also shows that the service streams events', () => {
  const { watcher, ports, session } = watch([], {});
  const list = { jobs: [], links: { events: '/v2/queue/events' } };
  Object.assign(ports.others, { takeNews: () => ({ at: 900, list }) });
  watcher.hear();
  expect(session.isSkinsmith).toBe(true);
});

test.each([true, false])('A stream of events that is open or closed (%s) makes a list due', (isListening) => {
  const { watcher, ports } = watch([], {});
  let notices = 0;
  Object.assign(ports.wakeUp, { notify: () => void notices++ });
  watcher.listening(isListening);
  expect(notices).toBe(1);
});

test.each([
  ['nobody else has jobs', { isShared: false, foreignJobs: 0 }, true],
  ['other processes share the queue', { isShared: true, foreignJobs: 0 }, false],
  ['other callers have jobs', { isShared: false, foreignJobs: 1 }, false],
])('A list may be put off for single polls only where %s', async (_, others, isAlone) => {
  const { watcher, ports, pauses } = watch([jobOf('running', 0)], {});
  const seen: (boolean | undefined)[] = [];
  const next = (__: unknown, state: LookState) => {
    seen.push(state.isAlone);
    return 1_300;
  };
  Object.assign(ports.session, { times: { assumeTypical: () => {}, next, nextPoll: () => undefined } });
  Object.assign(ports.others, { otherJobs: [], ...others });
  await watcher.run();
  expect([seen, pauses]).toEqual([[isAlone], [300]]);
});

interface ForeignJobs {
  readonly typical?: number;
  readonly told?: number;
  readonly isListening?: boolean;
}

/** Milliseconds from one look to the next while only other callers have jobs; the random number is 0.25. */
async function pauseForForeignJobs({ typical, told, isListening = false }: ForeignJobs): Promise<unknown> {
  let looks = 0;
  const { watcher, pauses, ports } = watch([], {
    queueList: async () => {
      if (++looks > 1) throw new Error('The list was requested again without a pause.');
      return { jobs: [], links: {} };
    },
  });
  Object.assign(ports.session, { times: { typical }, random: () => 0.25 });
  Object.assign(ports.others, { foreignJobs: 1, foreignJobsPause: told });
  watcher.listening(isListening);
  await watcher.look();
  await watcher.run();
  return pauses[0];
}

test.each<[string, ForeignJobs, number]>([
  ['half a second where no duration is known', {}, 187.5],
  ['a usual job', { typical: 3_000 }, 1_125],
  ['0.2 seconds at least', { typical: 60 }, 75],
])('While only others have jobs, a look comes after a random part of %s', async (_, foreignJobs, pause) => {
  expect(await pauseForForeignJobs(foreignJobs)).toBe(pause);
});

test('While only others have jobs, a look comes when another process says so', async () => {
  expect(await pauseForForeignJobs({ typical: 3_000, told: 700 })).toBe(700);
});

test('While only others have jobs and events tell of them, a look comes after five seconds', async () => {
  expect(await pauseForForeignJobs({ isListening: true, told: 700 })).toBe(5_000);
});

test.each([
  ['fails for now', refusal(500, 'internal_error')],
  ['is refused for now', refusal(429, 'rate_limit')],
])('After a list that %s, the next one waits, as in any trouble', async (_, error) => {
  const { watcher, waits } = watch([], { queueList: async () => await Promise.reject(error) });
  await watcher.look();
  expect(waits).toEqual(['trouble']);
});
