import { expect, test } from 'vitest';
import type { Job } from '../../../src/protocol/job.ts';
import { page, refusal } from '../../support/client/failures.ts';
import { jobOf, watch } from '../../support/dispatch/watching.ts';

const EMPTY = { jobs: [], links: {} };

/** Lists that end like this, one after the other, and how many were requested. */
function lists(answers: readonly (Error | 'empty')[]) {
  const left = [...answers];
  const seen = { count: 0 };
  const queueList = async () => {
    seen.count++;
    const answer = left.shift();
    if (answer instanceof Error) throw answer;
    return EMPTY;
  };
  return { seen, queueList };
}

test('All conclusions from a list are reported, as of its request', async () => {
  const jobs: readonly Job[] = [
    { id: 'ended', status: 'completed', timestamp: 7 },
    { id: 'running', status: 'processing' },
    { id: 'of others', status: 'waiting' },
  ];
  let now = 1_000;
  const queueList = async () => {
    now += 40;
    return { jobs, links: {} };
  };
  const { watcher, ports, session } = watch([jobOf('ended', 0), jobOf('running', 0)], { queueList });
  const told: unknown[] = [];
  const tell = (...what: unknown[]) => void told.push(what);
  Object.assign(session, {
    now: () => now,
    sawJobTime: ({ timestamp }: Job) => tell('time', timestamp),
    outage: { passed: () => tell('passed') },
    roundTrip: { took: (ms: number) => tell('took', ms) },
    slotLimit: { fitted: (count: number, at: number) => tell('fitted', count, at) },
  });
  Object.assign(ports, {
    lostAnswers: { size: 0, sawList: (_: unknown, at: number) => tell('lost answers', at) },
    onEnded: ({ id }: Job, { status }: Job, at: number) => tell(id, status, at),
    onLooked: () => tell('looked'),
  });
  Object.assign(ports.others, {
    catchUp: async () => tell('caught up'),
    endLook: (age: number, list: typeof EMPTY) => tell('shared', age, list.jobs.length),
  });
  await watcher.look();
  expect(told).toEqual([
    ['shared', 40, 3],
    ['passed'],
    ['took', 40],
    ['caught up'],
    ['time', 7],
    ['time', undefined],
    ['time', undefined],
    ['ended', 'completed', 1_000],
    ['fitted', 2, 1_040],
    ['lost answers', 1_000],
    ['looked'],
  ]);
  expect([session.slots.jobs.get('running')?.seenAt, session.slots.others]).toEqual([1_000, 1]);
});

test('A failed look is not shared, and another one follows', async () => {
  const { seen, queueList } = lists([refusal(500, 'internal_error'), 'empty']);
  const { watcher, ports, waits } = watch([], { queueList });
  const shared: unknown[] = [];
  Object.assign(ports.others, { endLook: (_: number, list: unknown) => void shared.push(list) });
  await watcher.look();
  await watcher.run();
  expect([seen.count, shared, waits]).toEqual([2, [undefined, EMPTY], ['trouble']]);
});

test('A page instead of the list counts the fourth time in a row', async () => {
  const { queueList } = lists(Array.from({ length: 4 }, () => page(404)));
  const { watcher, waits } = watch([], { queueList });
  for (let n = 0; n < 3; n++) await watcher.look();
  await expect(watcher.look()).rejects.toMatchObject({ status: 404 });
  expect(waits).toEqual(Array(3).fill('trouble'));
});

test.each([
  ['a page', page(404)],
  ['a refusal', refusal(404, 'not_found')],
])(
  'A service that once sent a list counts as away when it sends %s instead, however often',
  async (_, instead) => {
    const { queueList } = lists(['empty', ...Array.from({ length: 9 }, () => instead)]);
    const { watcher, waits } = watch([], { queueList });
    for (let n = 0; n < 10; n++) await watcher.look();
    expect(waits).toEqual(Array(9).fill('trouble'));
  },
);

test('A look that fails after the stop is not awaited', async () => {
  const { queueList } = lists([refusal(500, 'internal_error')]);
  const { watcher, ports, waits } = watch([], { queueList });
  Object.assign(ports, { stop: AbortSignal.abort() });
  await expect(watcher.look()).rejects.toMatchObject({ status: 500 });
  expect(waits).toEqual([]);
});

test('The first look waits until other processes have looked, and is urgent', async () => {
  const { seen, queueList } = lists([]);
  const { watcher, ports, waits } = watch([], { queueList });
  const [pauses, urgent] = [[100, 0], [] as boolean[]];
  const tryLook = ({ isUrgent }: { isUrgent: boolean }) => {
    urgent.push(isUrgent);
    return pauses.shift() ?? 0;
  };
  Object.assign(ports.others, { tryLook });
  await watcher.firstLook();
  expect([waits, urgent, seen.count]).toEqual([['0 ms', '100 ms'], [true, true], 1]);
});

test.each([
  ['that is wanted', true, 0, true],
  ['for a lost answer', false, 1, true],
  ['that is only due', false, 0, false],
])('A look %s stays as urgent while another process looks', async (_, isWanted, losses, isUrgent) => {
  const { watcher, ports, session, pauses } = watch([jobOf('running', 0)], {});
  const urgent: boolean[] = [];
  const stop = new AbortController();
  const wait = async (pause?: number) => {
    pauses.push(pause);
    Object.assign(session, { now: () => 1_100 });
    if (pauses.length > 1) stop.abort();
  };
  Object.assign(ports, { stop: stop.signal });
  Object.assign(ports.wakeUp, { wait });
  Object.assign(ports.lostAnswers, { size: losses });
  Object.assign(ports.others, {
    otherJobs: [],
    tryLook: (how: { isUrgent: boolean }) => {
      urgent.push(how.isUrgent);
      return 100;
    },
  });
  Object.assign(session, { times: { assumeTypical: () => {}, next: () => 900, nextPoll: () => undefined } });
  if (isWanted) watcher.lookSoon();
  await watcher.run();
  expect([pauses, urgent]).toEqual([
    [100, 100],
    [isUrgent, isUrgent],
  ]);
});

test('No look is made if another process has just requested the list', async () => {
  const { seen, queueList } = lists([]);
  const { watcher, ports, pauses } = watch([], { queueList });
  const news = [{ at: 990, list: EMPTY }];
  let heard = 0;
  Object.assign(ports, { onLooked: () => void heard++ });
  Object.assign(ports.others, { takeNews: () => news.shift() });
  watcher.lookSoon();
  await watcher.run();
  expect([seen.count, heard, pauses]).toEqual([0, 1, [undefined]]);
});

test('A list that another process has requested is judged like one of its own', async () => {
  const { watcher, ports, session, pauses } = watch([jobOf('ended', 0), jobOf('new', 950)], {});
  const jobs = [{ id: 'ended', status: 'completed' }];
  const ended: unknown[] = [];
  const looked: number[] = [];
  let notices = 0;
  const next = (_: unknown, { lastLook }: { lastLook: number }) => {
    looked.push(lastLook);
    return 1_300;
  };
  Object.assign(ports.wakeUp, { notify: () => void notices++ });
  Object.assign(session, { times: { assumeTypical: () => {}, next, nextPoll: () => undefined } });
  Object.assign(ports, { onEnded: ({ id }: Job, _: Job, at: number) => ended.push([id, at]) });
  const news = [{ at: 900, list: { jobs, links: {} } }];
  Object.assign(ports.others, { otherJobs: [], takeNews: () => news.shift() });
  watcher.lookSoon();
  watcher.hear();
  expect([ended, notices, session.isSkinsmith]).toEqual([[['ended', 900]], 2, undefined]);
  await watcher.run();
  expect([looked, pauses]).toEqual([[900], [300]]);
});

test("Without another process's list there is nothing to evaluate", () => {
  const { watcher, ports } = watch([jobOf('running', 0)], {});
  let looks = 0;
  Object.assign(ports, { onLooked: () => void looks++ });
  watcher.hear();
  expect(looks).toBe(0);
});

test('A list is due if the service could not be reached since the last one', async () => {
  const { seen, queueList } = lists(['empty']);
  const { watcher, session, ports } = watch([], { queueList });
  Object.assign(session, { isUnproven: true });
  Object.assign(ports, { onLooked: () => Object.assign(session, { isUnproven: false }) });
  await watcher.run();
  expect(seen.count).toBe(1);
});
