import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { writeGone, writeOwnRow } from '../../src/dispatch/peers.ts';
import { requestOf, workOf } from '../support/dispatch/numbered-work.ts';
import { type DispatcherSetUp, openDispatcher } from '../support/dispatch/open-dispatcher.ts';
import { cutOff } from '../support/hosted/hosted-in-memory.ts';

test('Work is submitted through the slots and comes back with its result', async () => {
  const { hosted, dispatcher, told, accepted, pass } = await openDispatcher({ serviceTime: 450 });
  for (let n = 0; n < 7; n++) dispatcher.add(workOf(n));
  expect([dispatcher.waiting, dispatcher.isSettled]).toEqual([7, false]);
  await pass(100);
  expect([dispatcher.open, dispatcher.waiting]).toEqual([5, 2]);
  await pass(3_000);
  expect(accepted.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
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

test('A job and a submission of an earlier process are resumed', async () => {
  const { clock, hosted, client, dispatcher, told, pass } = await openDispatcher({ serviceTime: 450 });
  const [first, second] = [workOf(1), workOf(2)];
  const { job } = await clock.until(client.queue(requestOf(first).source));
  await clock.until(client.queue(requestOf(second).source));
  dispatcher.attach(first, job.id);
  dispatcher.addUnsure(second, job.timestamp ?? 0, 0);
  expect([dispatcher.open, dispatcher.isSettled]).toEqual([1, false]);
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
  await pass(6_000);
  expect(told).toEqual(['1 lost', '1 completed']);
});

test('Submissions that did not arrive leave their slots while they wait to be sent again', async () => {
  const { hosted, dispatcher, told, pass } = await openDispatcher({ serviceTime: 450 });
  hosted.disturb = async (request, process) => {
    if (request.kind === 'submit' && hosted.times('submit').length <= 10) throw cutOff();
    return await process();
  };
  for (let n = 0; n < 5; n++) dispatcher.add(workOf(n));
  await pass(120_000);
  expect(told.filter((what) => what.endsWith('completed'))).toHaveLength(5);
  const at = hosted.times('submit');
  expect((at[9] ?? 0) - (at[8] ?? 0)).toBeGreaterThan(5_000); // the service accepts nothing
});

test('A submission of an earlier process is repeated at a service that recognizes repetitions', async () => {
  const { hosted, dispatcher, told, pass } = await openDispatcher({ serviceTime: 450, isSkinsmith: true });
  dispatcher.addUnsure(workOf(1), 0, 0);
  await pass(1_500);
  expect([told, hosted.seen.find(({ kind }) => kind === 'submit')?.headers['idempotency-key']]).toEqual([
    ['1 completed'],
    'skin 1 0',
  ]);
});

test.each(['attach', 'addUnsure'] as const)(
  'The list is requested at once for work that %s adds',
  async (kind) => {
    const { hosted, dispatcher, pass } = await openDispatcher();
    await pass(100);
    const before = hosted.times('list').length;
    if (kind === 'attach') dispatcher.attach(workOf(1), '0'.repeat(24));
    else dispatcher.addUnsure(workOf(1), 0, 0);
    await pass(20);
    expect(hosted.times('list').length).toBe(before + 1);
  },
);

test('Work without a picture, or permanently refused, is reported and frees its slot', async () => {
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

test('A stopped dispatcher submits nothing, and jobs in flight are still answered', async () => {
  const { hosted, dispatcher, stop, pass } = await openDispatcher({ serviceTime: 450 });
  dispatcher.add(workOf(1));
  await pass(1);
  stop.abort();
  dispatcher.add(workOf(2));
  await pass(1_000);
  expect(hosted.records.accepted).toHaveLength(1);
});

test('Other callers whose jobs fill the queue are reported', async () => {
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

test('A dispatcher without new work for a long time keeps its share of the slots', async () => {
  const first = await openDispatcher({ serviceTime: 60_000 });
  first.dispatcher.add(workOf(0));
  await first.pass(30_000);
  const second = await openDispatcher({ beside: first });
  for (let n = 1; n < 6; n++) second.dispatcher.add(workOf(n));
  await second.pass(5_000);
  expect([first.dispatcher.open, second.dispatcher.open]).toEqual([1, 3]);
});

const KNOWN = { slots: 5, signingKey: async () => undefined };

test.each<[string, DispatcherSetUp, number]>([
  ['begin at once where the service streams them', { isSkinsmith: true }, 1],
  ['are not asked for where it does not', {}, 0],
  ['wait for a job where the service is known beforehand', { knownService: KNOWN }, 0],
])('Events %s', async (_, setUp, count) => {
  const { dispatcher, events } = await openDispatcher(setUp);
  expect(events).toHaveBeenCalledTimes(count);
  await dispatcher.close();
});

test('Events of a service that is known beforehand begin with its first job', async () => {
  const { dispatcher, events, pass } = await openDispatcher({ knownService: KNOWN, serviceTime: 60_000 });
  dispatcher.add(workOf(1));
  await pass(100);
  expect(events).toHaveBeenCalledTimes(1);
});

test('Closing waits for tasks in progress', async () => {
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

test('Two processes with the same work make it once', async () => {
  const first = await openDispatcher({ serviceTime: 450 });
  const second = await openDispatcher({ beside: first });
  for (const { dispatcher } of [first, second]) dispatcher.add(workOf(1));
  await first.pass(3_000);
  expect(first.hosted.records.accepted).toHaveLength(1);
  expect([first.told, second.told]).toEqual([['1 completed'], ['1 completed']]);
});

test('A process that has ended leaves its slots to the others', async () => {
  const first = await openDispatcher({ serviceTime: 60_000 });
  const second = await openDispatcher({ beside: first });
  await first.dispatcher.close();
  for (let n = 0; n < 6; n++) second.dispatcher.add(workOf(n));
  await second.pass(1_000);
  expect(second.dispatcher.open).toBe(5);
});

test('The list that one process has requested shows the others the slots in use', async () => {
  const first = await openDispatcher();
  const second = await openDispatcher({ beside: first });
  first.hosted.occupy(60_000);
  await first.pass(2_000);
  first.dispatcher.lookSoon();
  await first.pass(200);
  expect(second.session.slots.others).toBe(1);
});

test('The jobs that a dead process left are looked for', async () => {
  const { clock, hosted, shareFolder, pass } = await openDispatcher();
  await pass(100);
  const before = hosted.times('list').length;
  const db = new DatabaseSync(join(shareFolder ?? '', 'queue-2.db'));
  const jobs = [{ id: 'orphan', at: clock.now(), eta: undefined }];
  writeOwnRow(db, { name: 'dead', wants: false, unsure: 0, jobs, typical: undefined }, clock.now());
  writeGone(db, 'dead');
  db.close();
  await pass(1_100);
  expect(hosted.times('list').length).toBe(before + 1);
});

test('A dispatcher with a queue of its own needs no file', async () => {
  const { dispatcher, told, pass } = await openDispatcher({ isShared: false, serviceTime: 450 });
  for (let n = 0; n < 6; n++) dispatcher.add(workOf(n));
  await pass(100);
  expect(dispatcher.open).toBe(5);
  await pass(2_000);
  expect(told.toSorted()).toEqual([0, 1, 2, 3, 4, 5].map((n) => `${n} completed`));
});
