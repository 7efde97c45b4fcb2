import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LONGEST_LINE, linesOf, Snapshot } from '../../../../src/batch/lockfile/entries.ts';
import { entriesOf, ownPath, textOf } from '../../../support/batch/lockfile-entries.ts';

const TEXT = textOf(entriesOf('a.png', 'b.png'));
/** Bytes read at once. */
const CHUNK = 256 * 1024;

async function lengthsOf(text: string): Promise<number[]> {
  const path = await ownPath(text);
  const fd = openSync(path, 'r');
  try {
    return Array.from(linesOf(fd, path), (line) => line.text.length);
  } finally {
    closeSync(fd);
  }
}

/** Lines that end `before` bytes before the end of the first chunk. */
function linesUpTo(before: number): string {
  const line = `${'x'.repeat(1023)}\n`;
  const all = line.repeat(CHUNK / 1024).slice(before);
  return all.startsWith('\n') ? `x${all.slice(1)}` : all;
}

test.each([
  ['\n', 0],
  ['\r\n', 0],
  ['\r\n', 1],
])('The longest allowed line may end with %j at the very end of a read', async (lineEnd, into) => {
  const text = `${linesUpTo(LONGEST_LINE + into)}${'y'.repeat(LONGEST_LINE)}${lineEnd}zz\n`;
  expect(text.indexOf(lineEnd, text.indexOf('y'))).toBe(CHUNK - into);
  expect((await lengthsOf(text)).slice(-2)).toEqual([LONGEST_LINE, 2]);
});

test('A line longer than the longest allowed one is refused, with its number, before its end has been read', async () => {
  const text = `${linesUpTo(LONGEST_LINE + 2)}${'y'.repeat(LONGEST_LINE + 2)}`;
  const { length } = linesUpTo(LONGEST_LINE + 2).split('\n');
  await expect(lengthsOf(text)).rejects.toMatchObject({ code: 'lockfile_too_large', line: length });
});

test('Each line has its number and position, whatever the lines above it are', async () => {
  const path = await ownPath(`\uFEFF${TEXT.replaceAll('\n', '\r\n\n')}`);
  const snapshot = Snapshot.open(path);
  const lines = snapshot.entries.map(({ offset, length }) => snapshot.bytesAt(offset, length).toString());
  const numbers = snapshot.entries.map(({ number }) => number);
  snapshot.close();
  expect(lines.join('')).toBe(TEXT.replaceAll('\n', '\r\n'));
  expect(numbers).toEqual([1, 3]);
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
