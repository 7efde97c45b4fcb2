import { expect, test } from 'vitest';
import { ServiceError } from '../../src/client/errors.ts';
import { SpotLimit } from '../../src/dispatch/spot-limit.ts';
import { type OpenJob, Spots } from '../../src/dispatch/spots.ts';
import type { Submission } from '../../src/dispatch/submission.ts';
import { Watcher, type WatcherPorts } from '../../src/dispatch/watcher.ts';

function jobOf(id: string, acceptedAt: number): OpenJob<Submission> {
  return {
    id,
    work: { key: id } as Submission,
    isTimed: true,
    timestamp: undefined,
    acceptedAt,
    eta: undefined,
  };
}

/** A watcher of these jobs, at 1,000 ms, and the jobs that it asks for singly; nobody has any others. */
function watch(
  jobs: readonly OpenJob<Submission>[],
  client: Partial<Record<'queueList' | 'job', (id: string) => Promise<unknown>>>,
) {
  const asked: string[] = [];
  const spots = new Spots(5);
  for (const job of jobs) spots.took(job);
  const tools = {
    session: {
      spots,
      spotLimit: new SpotLimit(5),
      now: () => 1_000,
      call: () => ({}),
      roundTrip: { took: () => {} },
      trouble: { passed: () => {} },
      sawJobTime: () => {},
      client,
    },
    wakeUp: { notify: () => {} },
    losses: { size: 0, sawList: () => {} },
    others: { takeNews: () => undefined, tryLook: () => 0, endLook: () => {} },
    stop: new AbortController().signal,
    onEnded: () => {},
    onAsk: (job: OpenJob<Submission>) => asked.push(job.id),
    onLooked: () => {},
  } as unknown as WatcherPorts<Submission>;
  return { watcher: new Watcher(tools), asked, session: tools.session };
}

/** One look at an empty list. Answers the jobs that are then asked for singly. */
async function missedIn(jobs: readonly OpenJob<Submission>[]): Promise<string[]> {
  const { watcher, asked } = watch(jobs, { queueList: async () => ({ jobs: [], links: {} }) });
  await watcher.look();
  return asked;
}

function refusal(status: number, code: string): ServiceError {
  const errors = [{ code, message: 'No.' }];
  const rest = { links: {}, rateLimit: undefined, retryAfter: undefined };
  return new ServiceError({ method: 'GET', path: '/v2/queue', status, errors, ...rest });
}

test('A job that a list no longer shows is asked for singly', async () => {
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
