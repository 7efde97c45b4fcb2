import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FairShare } from '../../../src/batch/service/fair-share.ts';
import { MovableClock } from '../../server/movable-clock.ts';
import { ownFolder } from '../../server/own-folder.ts';

/** How long a turn lasts, and a little more than what is known of others stays good for. */
const TURN = 3_000;
const STALE = 201;

async function batches(count: number) {
  const folder = join(await ownFolder(), 'shares');
  const clock = new MovableClock();
  const all = Array.from({ length: count }, () => new FairShare(folder, clock));
  for (const share of all) share.enter();
  return { folder, clock, all };
}

/** What each has of `limit`, in this turn. */
const sharesOf = (all: readonly FairShare[], limit: number) => all.map((share) => share.of(limit));

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = execa(process.execPath, ['-e', '']);
  await child;
  if (child.pid === undefined) throw new Error('The process was never there.');
  return child.pid;
}

describe('A batch that is alone', () => {
  it('has all spots', async () => {
    const { all } = await batches(1);
    expect([1, 5, 40].map((limit) => all[0]?.of(limit))).toEqual([1, 5, 40]);
  });

  it('leaves nothing behind, and may come again', async () => {
    const { all, folder } = await batches(1);
    const [share] = all;
    share?.enter();
    expect(readdirSync(folder)).toHaveLength(1);
    share?.leave();
    share?.leave();
    expect(readdirSync(folder)).toEqual([]);
    share?.enter();
    expect(share?.of(5)).toBe(5);
  });
});

describe('Two batches', () => {
  it('have three and two of five spots, and take turns', async () => {
    const { all, clock } = await batches(2);
    const turns = Array.from({ length: 6 }, () => {
      const shares = sharesOf(all, 5);
      clock.forward(TURN);
      return shares;
    });
    expect(turns.map(sum)).toEqual(Array(6).fill(5));
    expect(turns.map(([first]) => first)).toEqual(
      turns[0]?.[0] === 3 ? [3, 2, 3, 2, 3, 2] : [2, 3, 2, 3, 2, 3],
    );
  });

  it('keep their part for a whole turn', async () => {
    const { all, clock } = await batches(2);
    const before = sharesOf(all, 5);
    clock.forward(TURN - 1);
    expect(sharesOf(all, 5)).toEqual(before);
    clock.forward(1);
    expect(sharesOf(all, 5)).toEqual(before.toReversed());
  });

  it('have half each of what divides, turn by turn', async () => {
    const { all, clock } = await batches(2);
    expect(sharesOf(all, 6)).toEqual([3, 3]);
    clock.forward(TURN);
    expect(sharesOf(all, 6)).toEqual([3, 3]);
  });

  it('take turns with a single spot', async () => {
    const { all, clock } = await batches(2);
    const first = sharesOf(all, 1);
    clock.forward(TURN);
    expect([sum(first), sharesOf(all, 1)]).toEqual([1, first.toReversed()]);
  });

  it('notice within a fifth of a second that one has left, and has come', async () => {
    const { all, clock } = await batches(2);
    const [one, other] = all;
    expect(sum(sharesOf(all, 6))).toBe(6);
    one?.leave();
    clock.forward(STALE);
    expect(other?.of(6)).toBe(6);
    one?.enter();
    clock.forward(STALE);
    expect(sharesOf(all, 6)).toEqual([3, 3]);
  });

  it('do not count who has left when they come again', async () => {
    const { all } = await batches(2);
    expect(sharesOf(all, 6)).toEqual([3, 3]);
    for (const share of all) share.leave();
    all[0]?.enter();
    expect(all[0]?.of(6)).toBe(6);
  });

  it('count each other from the start: whoever comes sees who is there', async () => {
    const { all, folder, clock } = await batches(1);
    expect(all[0]?.of(6)).toBe(6);
    const late = new FairShare(folder, clock);
    late.enter();
    expect(late.of(6)).toBe(3);
  });
});

describe('Many batches', () => {
  it.each([
    [3, 5],
    [4, 5],
    [7, 5],
    [3, 20],
  ])('(%i) have all of %i spots between them, and in the long run as much each', async (count, limit) => {
    const { all, clock } = await batches(count);
    const totals = Array<number>(count).fill(0);
    for (let turn = 0; turn < count; turn++) {
      const shares = sharesOf(all, limit);
      expect(sum(shares)).toBe(limit);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      for (const [at, share] of shares.entries()) totals[at] = (totals[at] ?? 0) + share;
      clock.forward(TURN);
    }
    expect(totals).toEqual(Array(count).fill(limit));
  });
});

describe('What is in the folder', () => {
  it('is cleared away when its process has ended', async () => {
    const { all, folder } = await batches(1);
    const file = join(folder, `${await deadPid()}.0badcafe`);
    await writeFile(file, '');
    expect(all[0]?.of(5)).toBe(5);
    expect(existsSync(file)).toBe(false);
  });

  it('counts while its process is alive', async () => {
    const { all, folder, clock } = await batches(1);
    const child = execa(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { reject: false });
    onTestFinished(() => void child.kill('SIGKILL'));
    const file = join(folder, `${child.pid}.0badcafe`);
    await writeFile(file, '');
    const now = new Date(clock.now());
    utimesSync(file, now, now);
    expect(all[0]?.of(6)).toBe(3);
  });

  it('does not count when it has not been touched for long: it waits, or its process id is another now', async () => {
    const { all, folder, clock } = await batches(1);
    const file = join(folder, `${process.pid}.0badcafe`);
    await writeFile(file, '');
    const then = new Date(clock.now() - 11_000);
    utimesSync(file, then, then);
    expect(all[0]?.of(6)).toBe(6);
    expect(existsSync(file)).toBe(true);
  });

  it.each(['nonsense', '-1.0badcafe', '0.0badcafe', '1e99.0badcafe'])(
    'is cleared away when it is nobody (%s)',
    async (name) => {
      const { all, folder } = await batches(1);
      await writeFile(join(folder, name), '');
      expect(all[0]?.of(5)).toBe(5);
      expect(readdirSync(folder)).toHaveLength(1);
    },
  );
});
