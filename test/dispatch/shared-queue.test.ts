import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { Slots, type Submission } from '../../src/dispatch/limits.ts';
import { machine } from '../support/dispatch/machine.ts';

const STALE = 10_000;
const SETTLING = 5_000;
const SETTLES_SOON = 300;
const LIST = { jobs: [{ id: '1', status: 'waiting' as const }], links: {} };

async function deadPid(): Promise<number> {
  const child = execa(process.execPath, ['-e', '']);
  await child;
  return child.pid ?? Number.NaN;
}

describe('A picture', () => {
  test('that another process is submitting waits, and is followed once it has a job', async () => {
    const { open } = await machine();
    const [one, other] = [await open(), await open()];
    expect([one.take(5, 'picture'), other.take(5, 'picture')]).toEqual(['mine', { job: undefined }]);
    one.became('picture', 'job');
    expect(other.take(5, 'picture')).toEqual({ job: 'job' });
  });

  test('whose submission became no job is free again', async () => {
    const { open } = await machine();
    const [one, other] = [await open(), await open()];
    one.take(5, 'picture');
    one.became('picture', undefined);
    expect(other.take(5, 'picture')).toBe('mine');
  });
});

describe('The slots', () => {
  test('are all for one process while the others submit nothing', async () => {
    const { open } = await machine();
    const slots = new Slots<Submission>();
    const [one, other] = [await open(slots), await open()];
    for (const key of ['first', 'second']) slots.unsure.add({ key } as Submission);
    expect(one.take(4, 'picture')).toBe('mine');
    other.enter();
    expect(one.take(4, 'another')).toBe('full');
    other.leave();
    expect(one.take(4, 'another')).toBe('mine');
  });
});

describe('A process that has gone', () => {
  test('holds neither slots nor pictures nor the look when its process is dead', async () => {
    const { open, file, clock } = await machine();
    const [one, other] = [await open(), await open()];
    one.take(1, 'picture');
    expect([other.take(1, 'another'), one.tryLook({ isUrgent: false })]).toEqual(['full', 0]);
    expect(other.tryLook({ isUrgent: false })).toBeGreaterThan(0);
    const db = new DatabaseSync(file);
    db.prepare('update peers set pid = ? where unsure = 1').run(await deadPid());
    db.close();
    expect(other.tryLook({ isUrgent: false })).toBe(0);
    clock.forward(SETTLING);
    other.endLook(0, LIST);
    expect(other.take(1, 'picture')).toBe('mine');
  });

  test('leaves its submissions in flight: they count until a list is sure to show their jobs', async () => {
    const { open, clock, orphans } = await machine();
    const [one, other] = [await open(), await open()];
    one.take(1, 'picture');
    clock.forward(STALE);
    expect([other.take(1, 'another'), other.take(2, 'picture')]).toEqual(['full', { job: undefined }]);
    other.endLook(0, LIST);
    expect([other.take(1, 'another'), orphans]).toEqual(['full', []]);
    clock.forward(SETTLES_SOON);
    expect(other.settledAt).toBe(clock.monotonic());
    other.endLook(0, LIST);
    expect([other.take(1, 'another'), other.settledAt]).toEqual([
      'full',
      clock.monotonic() + SETTLING - SETTLES_SOON,
    ]);
    clock.forward(SETTLING - SETTLES_SOON);
    other.endLook(0, LIST);
    expect([other.settledAt, other.take(1, 'another')]).toEqual([undefined, 'mine']);
  });

  test('leaves its jobs to other processes, which notice them', async () => {
    const { open, clock, orphans } = await machine();
    const slots = new Slots<Submission>();
    const [, other] = [await open(slots), await open()];
    const work = { key: 'k' } as Submission;
    slots.took({ id: 'job', work, timestamp: 0, isTimed: true, acceptedAt: 0, eta: undefined });
    other.take(5, 'another');
    expect(orphans).toEqual([]);
    clock.forward(STALE);
    other.take(5, 'a third');
    expect(orphans).toEqual(['job']);
  });

  test('holds its submissions in flight no longer than a minute where no list comes', async () => {
    const { open, clock } = await machine();
    const [one, other] = [await open(), await open()];
    one.take(1, 'picture');
    clock.forward(STALE);
    expect(other.take(1, 'another')).toBe('full');
    clock.forward(60_000 + SETTLING);
    expect(other.take(1, 'another')).toBe('mine');
  });

  test('counts as gone when nothing is heard of it, whatever its process id', async () => {
    const { open, clock } = await machine();
    const [one, other] = [await open(), await open()];
    one.take(1, 'picture');
    clock.forward(STALE - 1);
    expect([other.take(1, 'another'), other.settledAt]).toEqual(['full', undefined]);
    clock.forward(1);
    expect([other.take(1, 'another'), other.settledAt]).toEqual(['full', clock.monotonic() + SETTLES_SOON]);
  });

  test('gives its slots back as soon as a list shows the job of what it had in flight', async () => {
    const { open, clock } = await machine();
    const [one, other] = [await open(), await open()];
    other.endLook(0, LIST);
    one.take(1, 'picture');
    clock.forward(STALE);
    expect(other.take(1, 'another')).toBe('full');
    other.endLook(0, { ...LIST, jobs: [...LIST.jobs, { id: '2', status: 'completed' }] });
    expect([other.settledAt, other.take(1, 'another')]).toEqual([undefined, 'mine']);
  });

  test('before another began holds its submissions in flight for 0.3 seconds', async () => {
    const { open, file, clock } = await machine();
    const one = await open();
    one.take(1, 'picture');
    const db = new DatabaseSync(file);
    db.prepare('update peers set pid = ?').run(await deadPid());
    db.close();
    const other = await open();
    clock.forward(SETTLES_SOON);
    other.endLook(0, LIST);
    expect(other.take(1, 'another')).toBe('mine');
  });
});

describe('A look', () => {
  test('serves all processes: the result of one is passed on to the others once', async () => {
    const { open } = await machine();
    const [one, other] = [await open(), await open()];
    expect(one.tryLook({ isUrgent: false })).toBe(0);
    one.endLook(0, LIST);
    expect(other.takeNews()).toMatchObject({ list: LIST });
    expect([other.takeNews(), one.takeNews()]).toEqual([undefined, undefined]);
    expect(other.tryLook({ isUrgent: true })).toBeGreaterThan(500);
  });

  test('that showed nothing is not shared, and the next may follow', async () => {
    const { open } = await machine();
    const [one, other] = [await open(), await open()];
    one.tryLook({ isUrgent: false });
    one.endLook(0, undefined);
    expect([other.takeNews(), other.tryLook({ isUrgent: false })]).toEqual([undefined, 0]);
  });

  test('is not restricted for a process that is alone', async () => {
    const { open } = await machine();
    const queue = await open();
    for (let n = 0; n < 5; n++) {
      expect(queue.tryLook({ isUrgent: false })).toBe(0);
      queue.endLook(0, LIST);
    }
  });
});

describe('The shared file', () => {
  test('is created again if damaged', async () => {
    const { open, folder, file, broken } = await machine();
    await mkdir(folder, { recursive: true });
    await writeFile(file, 'This is no database. '.repeat(100));
    const [one, other] = [await open(), await open()];
    expect([one.take(1, 'picture'), other.take(1, 'another'), broken]).toEqual(['mine', 'full', []]);
  });

  test.each(['truncated', 'with other tables', 'with nonsense in it'])(
    'does not stop a batch when it is damaged under way (%s)',
    async (kind) => {
      const { open, file, broken } = await machine();
      const [one, other] = [await open(), await open()];
      if (kind === 'truncated') await writeFile(file, (await readFile(file)).subarray(0, 700));
      else {
        const db = new DatabaseSync(file);
        db.exec(kind === 'with other tables' ? 'drop table peers' : "update peers set jobs = 'nonsense'");
        db.close();
      }
      for (const queue of [one, other]) {
        expect(queue.take(5, 'picture')).toSatisfy((taken) => taken === 'mine' || taken.job === undefined);
        expect(queue.tryLook({ isUrgent: true })).toBeGreaterThanOrEqual(0);
        queue.endLook(0, LIST);
      }
      if (kind !== 'truncated') expect(broken.length).toBeGreaterThanOrEqual(1);
    },
  );

  test('is not used if it cannot be created', async () => {
    const { open, folder, broken } = await machine();
    await writeFile(folder, 'This is no folder.');
    const queue = await open();
    expect([queue.take(5, 'picture'), queue.tryLook({ isUrgent: false }), broken.length]).toEqual([
      'mine',
      0,
      1,
    ]);
  });
});
