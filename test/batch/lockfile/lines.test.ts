import { closeSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LONGEST_LINE } from '../../../src/batch/lockfile/entry-line.ts';
import { forEachLine } from '../../../src/batch/lockfile/lines.ts';
import { ownPath } from '../../support/batch/lockfile-entries.ts';

/** Bytes read at once. */
const CHUNK = 1024 * 1024;

async function lengthsOf(text: string): Promise<number[]> {
  const path = await ownPath(text);
  const fd = openSync(path, 'r');
  const lengths: number[] = [];
  try {
    forEachLine(fd, path, ({ start, end }) => lengths.push(end - start));
  } finally {
    closeSync(fd);
  }
  return lengths;
}

/** Lines that end `before` bytes before the end of the first chunk. */
function linesUpTo(before: number): string {
  const line = `${'x'.repeat(1023)}\n`;
  const all = line.repeat(1024).slice(before);
  return all.startsWith('\n') ? `x${all.slice(1)}` : all;
}

test.each([
  ['\n', 0],
  ['\r\n', 0],
  ['\r\n', 1],
])('The longest line may end with %j at the very end of what is read at once', async (lineEnd, into) => {
  const text = `${linesUpTo(LONGEST_LINE + into)}${'y'.repeat(LONGEST_LINE)}${lineEnd}zz\n`;
  expect(text.indexOf(lineEnd, text.indexOf('y'))).toBe(CHUNK - into);
  expect((await lengthsOf(text)).slice(-2)).toEqual([LONGEST_LINE, 2]);
});

test('A line longer than that is refused, with its number, before its end has been read', async () => {
  const text = `${linesUpTo(LONGEST_LINE + 2)}${'y'.repeat(LONGEST_LINE + 2)}`;
  const { length } = linesUpTo(LONGEST_LINE + 2).split('\n');
  await expect(lengthsOf(text)).rejects.toMatchObject({ code: 'lockfile_too_large', line: length });
});
