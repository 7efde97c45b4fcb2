import { expect, onTestFinished, test, vi } from 'vitest';
import type { JobAnswer, JobEvent } from '../../src/client/types.ts';
import { JobTracker } from '../../src/dispatch/job-tracker.ts';
import { RetryingReader } from '../../src/dispatch/session.ts';
import { Watcher } from '../../src/dispatch/watcher.ts';
import type { HostedOptions } from '../../src/double/hosted/options.ts';
import { altered, refusalReply } from '../../src/double/replies.ts';
import type { Job } from '../../src/protocol/job.ts';
import {
  type NumberedWork,
  openSession,
  pixelReading,
  requestOf,
  workOf,
} from '../support/dispatch/numbered-work.ts';
import { openInMemory } from '../support/hosted/memory-client.ts';

/** A tracker of a process that knows of no other, and what it tells. */
async function openTracker(options?: HostedOptions) {
  const { clock, hosted, client } = await openInMemory(options);
  const told: string[] = [];
  const rooms: number[] = [];
  const waits: string[] = [];
  const stop = new AbortController();
  const session = openSession({ clock, client, onWaiting: (_, message) => waits.push(message) });
  const tell = (what: string) => (work: NumberedWork) => void told.push(`${work.number} ${what}`);
  const tracker = new JobTracker<NumberedWork>({
    session,
    reader: new RetryingReader(session, stop.signal),
    user: {
      ...pixelReading(client),
      attempt: async (_, __, step) => await step(),
      settle: async (work, { job }) => tell(job.status)(work),
      settleForgotten: async (work) => tell('forgotten')(work),
    },
    others: {
      foreignJobs: 0,
      isShared: false,
      otherJobs: [],
      settledAt: undefined,
      typical: undefined,
      isElsewhere: () => false,
      takeNews: () => undefined,
      tryLook: () => 0,
      endLook: () => {},
    },
    follows: true,
    stop: stop.signal,
    onAccepted: (_, { id }) => void session.own.add(id),
    onGone: tell('gone'),
    onRoom: () => void rooms.push(clock.monotonic()),
    onLooked: () => {},
  });
  const submit = async (work: NumberedWork) => {
    const sent = { at: session.now(), mark: session.newestJobTime };
    return { sent, state: await clock.until(session.post(work, requestOf(work), stop.signal)) };
  };
  const start = () => session.run(tracker.run(), stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await session.settled();
  });
  const pass = async (ms: number) => await clock.until(clock.sleep(ms));
  return { clock, hosted, session, tracker, told, rooms, waits, submit, start, pass };
}

test('A job that was just accepted is followed to its end, which frees its slot', async () => {
  const { session, tracker, told, submit, start, pass } = await openTracker({ serviceTime: 450 });
  start();
  const { state, sent } = await submit(workOf(1));
  tracker.accepted(workOf(1), state, sent);
  expect([session.slots.ours, session.own.has(state.job.id)]).toEqual([1, true]);
  await pass(1_000);
  expect([told, session.slots.ours]).toEqual([['1 completed'], 0]);
});

test('Events are listened to for a job under way, and not for one that has ended at once', async () => {
  const { session, tracker, told, submit, pass } = await openTracker({ serviceTime: 450 });
  const events = vi.spyOn(session.client, 'events').mockImplementation(async function* () {});
  session.isSkinsmith = true;
  const { state, sent } = await submit(workOf(1));
  tracker.accepted(workOf(1), { ...state, job: { ...state.job, status: 'failed' } }, sent);
  await pass(50);
  expect(events).toHaveBeenCalledTimes(0);
  expect(told).toEqual(['1 failed']);
  tracker.accepted(workOf(1), state, sent);
  await pass(1);
  expect(events).toHaveBeenCalledTimes(1);
});

test('A job ends with the event of its end, before any list shows it', async () => {
  const { hosted, session, tracker, told, submit, pass } = await openTracker({ serviceTime: 60_000 });
  session.isSkinsmith = true;
  const { state, sent } = await submit(workOf(1));
  const ended = { ...state, job: { ...state.job, status: 'failed' as const } };
  vi.spyOn(session.client, 'events').mockImplementation(async function* () {
    yield { type: 'job', state: ended };
  });
  tracker.accepted(workOf(1), state, sent);
  await pass(10);
  expect([told, hosted.times('list')]).toEqual([['1 failed'], []]);
});

test('A job with only a known id is followed, and is not used as a duration', async () => {
  const { session, tracker, told, submit, start, pass } = await openTracker({ serviceTime: 450 });
  start();
  const { state } = await submit(workOf(1));
  tracker.follow(workOf(1), state.job.id);
  await pass(1_500);
  expect([told, session.times.typical]).toEqual([['1 completed'], undefined]);
});

test('A job that the service does not find counts as forgotten after ten seconds, and the wait is reported', async () => {
  const { hosted, tracker, told, waits, start, pass } = await openTracker();
  start();
  tracker.follow(workOf(1), '0'.repeat(24));
  tracker.lookSoon();
  await pass(9_900);
  expect([told, new Set(waits)]).toEqual([
    [],
    new Set(['The service cannot find a job that it accepted: waiting for it to appear.']),
  ]);
  await pass(4_000);
  expect(told).toEqual(['1 forgotten']);
  expect(hosted.times('job').length).toBeLessThanOrEqual(12);
});

test('A job that was seen and is not found for a while is not forgotten', async () => {
  const { clock, hosted, tracker, told, submit, start, pass } = await openTracker({ serviceTime: 9_000 });
  const { sent, state } = await submit(workOf(1));
  const isGone = () => clock.monotonic() > 1_000 && clock.monotonic() < 7_000;
  const NOBODY = { code: 'job_not_found', message: 'Job not found' };
  hosted.disturb = async (request, process) => {
    const answer = await process();
    if (!isGone()) return answer;
    if (request.kind === 'job') return refusalReply(404, NOBODY);
    return altered(answer, request, { list: { jobs: [] } });
  };
  start();
  tracker.accepted(workOf(1), state, sent);
  await pass(12_000);
  expect(told).toEqual(['1 completed']);
});

test('A submission without an answer is found again by its pixels', async () => {
  const { session, tracker, told, submit, start, pass } = await openTracker({ serviceTime: 450 });
  start();
  const { sent } = await submit(workOf(1));
  session.slots.unsure.add(workOf(1));
  tracker.lost(workOf(1), sent, 300);
  await pass(2_000);
  expect(told).toEqual(['1 completed']);
});

test('A submission that did not become a job is reported as gone once that is certain', async () => {
  const { clock, tracker, told, start, pass } = await openTracker();
  start();
  tracker.lost(workOf(1), { at: clock.monotonic(), mark: 0 }, 300);
  await pass(299);
  expect(told).toEqual([]);
  await pass(50);
  expect(told).toEqual(['1 gone']);
});

test('A forgotten submission is not reported any more', async () => {
  const { clock, tracker, told, start, pass } = await openTracker();
  start();
  const work = workOf(1);
  tracker.lost(work, { at: clock.monotonic(), mark: 0 }, 300);
  tracker.forget(work);
  await pass(1_000);
  expect(told).toEqual([]);
});

/** An event about a job that is like this one but for that. */
function eventOf(state: JobAnswer, changes: Partial<Job>): JobEvent {
  return { type: 'job', state: { ...state, job: { ...state.job, ...changes } } };
}

test('A job is identified by the times that the service gives', async () => {
  const { session, tracker, submit } = await openTracker();
  const { state, sent } = await submit(workOf(1));
  vi.spyOn(session, 'acceptedAt').mockReturnValue(123);
  tracker.accepted(workOf(1), { ...state, job: { ...state.job, timestamp: 1_000, eta: 1_450 } }, sent);
  const known = { acceptedAt: 123, eta: 450, isTimed: true };
  expect(session.slots.jobs.get(state.job.id)).toMatchObject(known);
});

test('A job whose end an event told before its submission was answered ends at once', async () => {
  const { hosted, session, tracker, told, submit, pass } = await openTracker({ serviceTime: 60_000 });
  session.isSkinsmith = true;
  const { state, sent } = await submit(workOf(1));
  vi.spyOn(session.client, 'events').mockImplementation(async function* () {
    yield eventOf(state, { status: 'failed' });
  });
  tracker.listenIfStreamed();
  await pass(10);
  tracker.accepted(workOf(1), state, sent);
  await pass(10);
  expect([told, hosted.times('job')]).toEqual([['1 failed'], []]);
});

test.each([
  ['take a slot until they tell of the end', false, [1, 0]],
  ['may be those of submissions without an answer, and take none', true, [0, 0]],
])('Jobs of others that events tell of %s', async (_, isUnsure, others) => {
  const { session, tracker, rooms, submit, pass } = await openTracker({ serviceTime: 60_000 });
  session.isSkinsmith = true;
  const { state, sent } = await submit(workOf(1));
  const seen: number[] = [];
  vi.spyOn(session.client, 'events').mockImplementation(async function* () {
    yield eventOf(state, { id: 'theirs', status: 'waiting', timestamp: 9e12 });
    seen.push(session.slots.others);
    yield eventOf(state, { id: 'theirs', status: 'completed' });
    seen.push(session.slots.others);
  });
  tracker.accepted(workOf(1), state, sent);
  if (isUnsure) session.slots.unsure.add(workOf(2));
  await pass(10);
  expect([seen, session.newestJobTime, rooms.length]).toEqual([others, 9e12, 1]);
});

test('A list is requested when a stream of events opens, because slots may be free, and when it closes', async () => {
  const { hosted, session, tracker, rooms, submit, start, pass } = await openTracker({ serviceTime: 60_000 });
  start();
  session.isSkinsmith = true;
  const { state, sent } = await submit(workOf(1));
  const closed = Promise.withResolvers<void>();
  vi.spyOn(session.client, 'events').mockImplementation(async function* () {
    yield { type: 'jobs', jobs: [] };
    await closed.promise;
  });
  tracker.accepted(workOf(1), state, sent);
  await pass(50);
  expect([hosted.times('list').length, rooms.length]).toEqual([1, 1]);
  closed.resolve();
  await pass(50);
  expect([hosted.times('list').length, rooms.length]).toEqual([2, 1]);
});

test('The end of a job may end a wave, unless the answer to its submission announced it', async () => {
  const { session, tracker, rooms, submit, pass } = await openTracker({ serviceTime: 60_000 });
  const sawEnd = vi.spyOn(Watcher.prototype, 'sawEnd');
  onTestFinished(() => void sawEnd.mockRestore());
  const { state, sent } = await submit(workOf(1));
  tracker.accepted(workOf(1), { ...state, job: { ...state.job, status: 'failed' } }, sent);
  expect([sawEnd.mock.calls.length, rooms.length]).toEqual([0, 1]);
  session.isSkinsmith = true;
  vi.spyOn(session.client, 'events').mockImplementation(async function* () {
    yield eventOf(state, { status: 'failed' });
  });
  tracker.accepted(workOf(1), state, sent);
  await pass(10);
  expect(sawEnd).toHaveBeenCalledTimes(1);
});
