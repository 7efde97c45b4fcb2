import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { Slots, type Submission } from '../../../src/dispatch/limits.ts';
import { machine, openJob } from '../../support/dispatch/machine.ts';

const STALE = 10_000;
const MINUTE = 60_000;
const inFlight = (key: string) => ({ key }) as Submission;

/** The slots of a process with so many submissions in flight. */
function slotsWith(...keys: readonly string[]): Slots<Submission> {
  const slots = new Slots<Submission>();
  for (const key of keys) slots.unsure.add(inFlight(key));
  return slots;
}

describe('The slots that a process may take', () => {
  test('are the ones that other processes and other callers leave free', async () => {
    const { open } = await machine();
    const [slots, theirs] = [slotsWith(), slotsWith()];
    const [one, other] = [await open(slots), await open(theirs)];
    theirs.took(openJob('theirs'));
    slots.sawList(
      [
        { id: 'theirs', status: 'waiting' },
        { id: 'of another caller', status: 'waiting' },
      ],
      1,
    );
    expect([one.take(2, 'a'), one.take(3, 'a')]).toEqual(['full', 'mine']);
    expect(other.take(2, 'b')).toBe('full');
    expect(other.take(3, 'b')).toBe('mine');
  });

  test('are one fewer with each submission, and repetitions are not checked', async () => {
    const { open, broken } = await machine();
    const [one, other] = [await open(), await open()];
    expect([one.take(2, undefined), other.take(2, undefined)]).toEqual(['mine', 'mine']);
    expect(broken).toEqual([]);
  });

  test('are known from the first moment, as are its processes', async () => {
    const { open } = await machine();
    const one = await open();
    expect(one.take(1, 'picture')).toBe('mine');
    const other = await open();
    expect([other.isShared, one.isShared]).toEqual([true, false]);
    expect([other.take(1, 'another'), other.take(5, 'picture')]).toEqual(['full', { job: undefined }]);
    expect(one.take(1, 'another')).toBe('mine');
    expect(one.isShared).toBe(true);
  });

  test('are as many as are free where nothing can be shared', async () => {
    const { open, folder } = await machine();
    await writeFile(folder, 'This is no folder.');
    const slots = slotsWith('a');
    const queue = await open(slots);
    slots.sawJob({ id: 'of another caller', status: 'waiting' }, 0);
    expect([queue.take(2, 'b'), queue.take(3, 'b')]).toEqual(['full', 'mine']);
  });

  test('are all of them once the others have left', async () => {
    const { open, orphans } = await machine();
    const [one, other] = [await open(), await open()];
    one.enter();
    other.enter();
    expect(other.isShared).toBe(true);
    one.close();
    expect([other.take(1, 'picture'), other.isShared, orphans]).toEqual(['mine', false, []]);
  });
});

test('The pending jobs include the jobs of all processes and of other callers', async () => {
  const { open } = await machine();
  const [slots, theirs] = [slotsWith(), slotsWith()];
  const [one] = [await open(slots), await open(theirs)];
  slots.took(openJob('a'));
  for (const id of ['b', 'c']) theirs.took(openJob(id));
  for (const id of ['d', 'e', 'f', 'g']) slots.sawJob({ id, status: 'waiting' }, 0);
  one.take(1, 'picture');
  expect(one.pending).toBe(7);
});

test('The jobs of others are known by when they were accepted', async () => {
  const { open, clock } = await machine();
  const theirs = slotsWith();
  const [one] = [await open(), await open(theirs, { typical: () => 700 })];
  clock.forward(500);
  theirs.took({ ...openJob('theirs', 300), eta: 450 });
  one.take(1, 'picture');
  expect([one.otherJobs, one.typical]).toEqual([[{ acceptedAt: 300, eta: 450 }], 700]);
  expect([one.isElsewhere('theirs'), one.isElsewhere('another')]).toEqual([true, false]);
});

describe('A rate window', () => {
  const windows = (remaining: number) => [{ span: MINUTE, limit: 20, remaining, endsIn: 9_000 }];
  const exhausted = [{ span: MINUTE, limit: 20, remaining: 0, endsIn: 9_000 }];

  test('is used by all processes together', async () => {
    const { open } = await machine();
    const [one, other] = [await open(slotsWith('just answered')), await open()];
    one.heardWindows(windows(2));
    const taken = ['a', 'b', 'c'].map((key) => other.take(50, key));
    expect(taken).toEqual(['mine', 'mine', { windows: exhausted }]);
  });

  test('counts what the others have in flight', async () => {
    const { open } = await machine();
    const [one, other] = [await open(slotsWith('just answered')), await open(slotsWith('a'))];
    one.heardWindows(windows(2));
    expect(other.take(50, 'b')).toBe('mine');
    expect(other.take(50, 'c')).toEqual({ windows: exhausted });
  });

  test('does not hold up a process that is alone', async () => {
    const { open } = await machine();
    const queue = await open(slotsWith('just answered'));
    queue.heardWindows(windows(0));
    expect(queue.take(50, 'a')).toBe('mine');
  });
});

describe('Work for which a process that has left has a job', () => {
  /** A process that stays, so that what is shared stays as well. */
  async function withOneThatStays() {
    const made = await machine();
    return { ...made, stays: await made.open() };
  }

  test('is followed by processes that have met it', async () => {
    const { open, clock } = await withOneThatStays();
    const leaves = await open();
    leaves.take(5, 'picture');
    leaves.became('picture', 'job');
    clock.forward(1);
    const later = await open();
    leaves.close();
    expect(later.take(5, 'picture')).toEqual({ job: 'job' });
  });

  test('is followed by processes that were running at that time', async () => {
    const { open, stays } = await withOneThatStays();
    const leaves = await open();
    leaves.take(5, 'picture');
    leaves.became('picture', 'job');
    leaves.close();
    expect(stays.take(5, 'picture')).toEqual({ job: 'job' });
  });

  test('is submitted again by a process that started later', async () => {
    const { open, clock } = await withOneThatStays();
    const leaves = await open();
    leaves.take(5, 'picture');
    leaves.became('picture', 'job');
    leaves.close();
    clock.forward(1);
    const later = await open();
    expect(later.take(5, 'picture')).toBe('mine');
  });
});

describe('A process that has gone with submissions in flight', () => {
  test('is reported with its jobs, however many of each it had', async () => {
    const { open, clock, orphans } = await machine();
    const slots = slotsWith('a');
    const [, other] = [await open(slots), await open()];
    slots.took(openJob('job'));
    other.take(5, 'another');
    clock.forward(STALE);
    expect(other.take(2, 'b')).toBe('mine');
    expect(other.take(1, 'b')).toBe('full');
    expect(orphans).toEqual(['job']);
  });

  test('is reported if it had any, and only then', async () => {
    const { open, clock } = await machine();
    const told: (readonly string[])[] = [];
    const onOrphans = (jobs: readonly string[]) => void told.push(jobs);
    const [, , other] = [await open(slotsWith('a')), await open(), await open(slotsWith(), { onOrphans })];
    other.take(5, 'another');
    expect(told).toEqual([]);
    clock.forward(STALE);
    other.take(5, 'b');
    other.take(5, 'c');
    expect(told).toEqual([[]]);
  });

  test.each([
    ['of this process', 'ours'],
    ['of another process', 'theirs'],
  ])('does not count as having made a new job %s', async (_, id) => {
    const { open, clock } = await machine();
    const [ours, theirs] = [slotsWith(), slotsWith()];
    const [, third, other] = [await open(slotsWith('a')), await open(theirs), await open(ours)];
    other.endLook(0, { jobs: [], links: {} });
    clock.forward(STALE);
    ours.took(openJob('ours'));
    theirs.took(openJob('theirs'));
    third.enter();
    expect(other.take(3, 'b')).toBe('full');
    other.endLook(0, { jobs: [{ id, status: 'waiting' }], links: {} });
    expect(other.take(3, 'b')).toBe('full');
    other.endLook(0, { jobs: [{ id: 'new', status: 'completed' }], links: {} });
    expect(other.settledAt).toBeUndefined();
  });
});
