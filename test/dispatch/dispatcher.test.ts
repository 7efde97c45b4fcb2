import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Dispatcher } from '../../src/dispatch/dispatcher.ts';
import type { KnownService } from '../../src/dispatch/first-contact.ts';
import { Reads } from '../../src/dispatch/reads.ts';
import {
  type NumberedWork,
  openSession,
  pixelReading,
  requestOf,
  workOf,
} from '../support/dispatch/numbered-work.ts';
import { cutOff } from '../support/hosted/hosted-in-memory.ts';
import { openInMemory } from '../support/hosted/memory-client.ts';
import type { HostedOptions } from '../support/hosted/options.ts';
import { ownFolder } from '../support/server/own-folder.ts';

interface SetUp extends HostedOptions {
  readonly maxNew?: number;
  readonly follows?: boolean;
  /** Whether the service streams events. */
  readonly isSkinsmith?: boolean;
  readonly knownService?: KnownService;
  /** Another dispatcher with the same key on the same machine. */
  readonly beside?: InMemory & { readonly shareFolder: string };
}

type InMemory = Awaited<ReturnType<typeof openInMemory>>;

/** A dispatcher that has met the service, and what it tells its user. */
async function openDispatcher({
  maxNew = Number.POSITIVE_INFINITY,
  follows = true,
  isSkinsmith = false,
  knownService,
  beside,
  ...options
}: SetUp = {}) {
  const { clock, hosted, client } = beside ?? (await openInMemory(options));
  const shareFolder = beside?.shareFolder ?? join(await ownFolder(), 'shares');
  const told: string[] = [];
  const [stop, hardStop] = [new AbortController(), new AbortController()];
  const session = openSession({ clock, client });
  const tell = (what: string) => (work: NumberedWork) => void told.push(`${work.number} ${what}`);
  const dispatcher = await Dispatcher.open<NumberedWork>({
    session,
    record: { intent: () => {}, refused: () => {} },
    reads: new Reads(session, hardStop.signal),
    user: {
      ...pixelReading(client),
      prepare: async (work) => (work.number < 0 ? { problem: 'none' } : requestOf(work)),
      attempt: async (_, __, step) => await step(),
      settle: async (work, { job }) => tell(job.status)(work),
      settleForgotten: async (work) => tell('forgotten')(work),
      accepted: (_, { id }) => void session.own.add(id),
      rejected: tell('rejected'),
      unusable: tell('unusable'),
      answerLost: tell('lost'),
      queueFilledByOthers: (jobs) => void told.push(`${jobs} of others`),
      sharingBroken: (why) => void told.push(why),
    },
    shareFolder,
    known: knownService,
    follows,
    force: false,
    maxNew,
    stop: stop.signal,
    hardStop: hardStop.signal,
  });
  onTestFinished(async () => {
    hardStop.abort();
    await dispatcher.close();
  });
  await clock.until(dispatcher.meet({ spots: undefined, cape: undefined }));
  session.isSkinsmith = isSkinsmith;
  const events = vi.spyOn(client, 'events').mockImplementation(async function* () {});
  dispatcher.start();
  const pass = async (ms: number) => await clock.until(clock.sleep(ms));
  return { clock, hosted, client, shareFolder, session, dispatcher, told, stop, pass, events };
}

test('Work is submitted through the spots and comes back with its result', async () => {
  const { hosted, dispatcher, told, pass } = await openDispatcher({ serviceTime: 450 });
  for (let n = 0; n < 7; n++) dispatcher.add(workOf(n));
  expect([dispatcher.waiting, dispatcher.isSettled]).toEqual([7, false]);
  await pass(100);
  expect([dispatcher.open, dispatcher.waiting]).toEqual([5, 2]);
  await pass(3_000);
  expect(told.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `${n} completed`));
  expect([dispatcher.isSettled, hosted.records.mostUnfinished]).toEqual([true, 5]);
});

test('A budget of new submissions is not exceeded', async () => {
  const { hosted, dispatcher, pass } = await openDispatcher({ serviceTime: 100, maxNew: 2 });
  for (let n = 0; n < 4; n++) dispatcher.add(workOf(n));
  await pass(3_000);
  expect(hosted.records.accepted).toHaveLength(2);
  expect([dispatcher.isSpent, dispatcher.waiting, dispatcher.isSettled]).toEqual([true, 2, true]);
});

test('A job and a submission of an earlier process are gone on with', async () => {
  const { clock, hosted, client, dispatcher, told, pass } = await openDispatcher({ serviceTime: 450 });
  const [first, second] = [workOf(1), workOf(2)];
  const { job } = await clock.until(client.queue(requestOf(first).source));
  await clock.until(client.queue(requestOf(second).source));
  dispatcher.attach(first, job.id);
  dispatcher.addUnsure(second, job.timestamp ?? 0);
  await pass(3_000);
  expect(told.toSorted()).toEqual(['1 completed', '2 completed']);
  expect(hosted.records.accepted).toHaveLength(2);
});

test('A submission that did not arrive is sent again', async () => {
  const { hosted, dispatcher, told, pass } = await openDispatcher({ serviceTime: 450 });
  hosted.disturb = async (request, process) => {
    if (request.kind === 'submit' && hosted.times('submit').length === 1) throw cutOff();
    return await process();
  };
  dispatcher.add(workOf(1));
  await pass(3_000);
  expect(told).toEqual(['1 lost', '1 completed']);
});

test('What there is nothing to send of, or is refused for good, is told and frees its spot', async () => {
  const { dispatcher, told, pass } = await openDispatcher({
    fate: () => ({ kind: 'refused', times: 9, code: 'invalid_image' }),
  });
  dispatcher.add(workOf(-1));
  dispatcher.add(workOf(1));
  await pass(100);
  expect(told.toSorted()).toEqual(['-1 unusable', '1 rejected']);
  expect(dispatcher.isSettled).toBe(true);
});

test('Where results are not wanted, work is settled when it is accepted', async () => {
  const { dispatcher, told, pass } = await openDispatcher({ serviceTime: 60_000, follows: false });
  dispatcher.add(workOf(1));
  await pass(100);
  expect([dispatcher.isSettled, dispatcher.open, told]).toEqual([true, 1, []]);
});

test('Nothing is submitted once it is stopped, and jobs in flight are still answered', async () => {
  const { hosted, dispatcher, stop, pass } = await openDispatcher({ serviceTime: 450 });
  dispatcher.add(workOf(1));
  await pass(1);
  stop.abort();
  dispatcher.add(workOf(2));
  await pass(1_000);
  expect(hosted.records.accepted).toHaveLength(1);
});

test('Others who have the whole queue are told of', async () => {
  const { hosted, dispatcher, told, pass } = await openDispatcher();
  for (let n = 0; n < 5; n++) hosted.occupy(2_000);
  dispatcher.lookSoon();
  await pass(100);
  dispatcher.add(workOf(1));
  await pass(100);
  expect(told).toContain('5 of others');
  await pass(5_000);
  expect(told.at(-1)).toBe('1 completed');
});

test('A dispatcher that has long had nothing new still has its share of the spots', async () => {
  const first = await openDispatcher({ serviceTime: 60_000 });
  first.dispatcher.add(workOf(0));
  await first.pass(30_000);
  const second = await openDispatcher({ beside: first });
  for (let n = 1; n < 6; n++) second.dispatcher.add(workOf(n));
  await second.pass(5_000);
  expect([first.dispatcher.open, second.dispatcher.open]).toEqual([1, 3]);
});

test.each<[string, SetUp, number]>([
  ['begin at once where the service streams them', { isSkinsmith: true }, 1],
  ['are not asked for where it does not', {}, 0],
  [
    'wait for a job where the service is known beforehand',
    { isSkinsmith: true, knownService: { spots: 5, signingKey: async () => undefined } },
    0,
  ],
])('Events %s', async (_, setUp, count) => {
  const { dispatcher, events } = await openDispatcher(setUp);
  expect(events).toHaveBeenCalledTimes(count);
  await dispatcher.close();
});

test('Closing waits for what is under way', async () => {
  const { session, dispatcher } = await openDispatcher();
  const steps: string[] = [];
  const task = Promise.withResolvers<void>();
  session.track(task.promise.then(() => void steps.push('done')));
  const closing = dispatcher.close().then(() => void steps.push('closed'));
  await setImmediate();
  task.resolve();
  await closing;
  expect(steps).toEqual(['done', 'closed']);
});
