import { fstatSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Snapshot } from '../../../src/batch/lockfile/snapshot.ts';
import { entriesOf, ownPath, textOf } from '../../support/batch/lockfile-entries.ts';

const TEXT = textOf(entriesOf('a.png', 'b.png'));

test('A damaged entry is named with its line; lines without an entry count', async () => {
  const snapshot = Snapshot.open(await ownPath(`\n${TEXT}`));
  const lines = [0, 1].map((entry) => snapshot.damaged(entry, 'so it is.').line);
  snapshot.close();
  expect(lines).toEqual([2, 3]);
});

test('A snapshot that is closed leaves no file open', async () => {
  const path = await ownPath(TEXT);
  const snapshot = Snapshot.open(path);
  expect(descriptorsOf(path)).toHaveLength(1);
  snapshot.close();
  expect(descriptorsOf(path)).toEqual([]);
});

/** Descriptors of this process, of the low ones that systems give out first, that lead to the file. */
function descriptorsOf(path: string): number[] {
  const { dev, ino } = statSync(path);
  const all = Array.from({ length: 4096 }, (_, fd) => fd);
  return all.filter((fd) => {
    try {
      const stats = fstatSync(fd);
      return stats.ino === ino && stats.dev === dev;
    } catch {
      return false; // nothing is open under this number
    }
  });
}
