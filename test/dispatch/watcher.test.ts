import { expect, test } from 'vitest';
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

/** One look at an empty list, whose request begins at 1,000 ms. Answers the jobs that are then asked for singly. */
async function missedIn(jobs: readonly OpenJob<Submission>[]): Promise<string[]> {
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
      client: { queueList: async () => ({ jobs: [], links: {} }) },
    },
    wakeUp: { notify: () => {} },
    losses: { size: 0, sawList: () => {} },
    others: { takeNews: () => undefined, tryLook: () => 0, endLook: () => {} },
    stop: new AbortController().signal,
    onEnded: () => {},
    onAsk: (job: OpenJob<Submission>) => asked.push(job.id),
    onLooked: () => {},
  } as unknown as WatcherPorts<Submission>;
  await new Watcher(tools).look();
  return asked;
}

test('A job that a list no longer shows is asked for singly', async () => {
  expect(await missedIn([jobOf('old', 999)])).toEqual(['old']);
});

test('A job that was accepted while the list was on its way is not missed in it', async () => {
  expect(await missedIn([jobOf('same moment', 1_000), jobOf('new', 1_001)])).toEqual([]);
});
