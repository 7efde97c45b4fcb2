import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Lockfile } from '../../../../src/batch/lockfile/lockfile.ts';
import { lineOf } from '../../../../src/protocol/lock-line.ts';
import {
  allOf,
  entriesOf,
  fileAt,
  find,
  keepAll,
  keepNone,
  lockEntry,
  openAt,
  ownLockfile,
  ownPath,
  textOf,
  thrownBy,
} from '../../../support/batch/lockfile-entries.ts';

function sourcesAt(path: string): string[] {
  return fileAt(path).map(({ source }) => source);
}

/** Whether the file at `path` stays as it is by what is done. */
async function isLeftAlone(path: string, act: () => unknown): Promise<boolean> {
  const { ino, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  await act();
  const now = statSync(path, { bigint: true });
  return now.ino === ino && now.mtimeNs === mtimeNs && now.ctimeNs === ctimeNs;
}

describe('Rewriting', () => {
  test('makes the file, and its folder', async () => {
    const path = join(dirname(await ownPath()), 'out', 'skins.lock');
    const lockfile = await openAt(path);
    const outcome = lockfile.rewrite(entriesOf('a.png', 'b.png'), keepAll);
    expect(outcome).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(textOf(entriesOf('a.png', 'b.png')));
    expect(readdirSync(dirname(path))).toEqual(['skins.lock']);
  });

  test('reads a file that begins with a byte order mark, and drops the mark when it writes', async () => {
    const before = entriesOf('b.png', 'd.png');
    const path = await ownPath(`\uFEFF${textOf(before)}`);
    const lockfile = await openAt(path);
    expect(allOf(lockfile)).toEqual(before);
    lockfile.rewrite(entriesOf('a.png'), keepAll);
    expect(readFileSync(path, 'utf8')).toBe(textOf([...entriesOf('a.png'), ...before]));
  });

  test('creates no file if there are no entries', async () => {
    const path = await ownPath();
    const outcome = (await openAt(path)).rewrite([], keepAll);
    expect(outcome).toBe(false);
    expect(existsSync(path)).toBe(false);
  });

  test('closes the file that another process has written, even when it writes nothing itself', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('a.png'));
    (await openAt(path)).rewrite(entriesOf('b.png'), keepAll);
    expect(lockfile.rewrite([], keepAll)).toBe(false);
  });

  test('inserts new entries in order', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('b.png', 'd.png'));
    lockfile.rewrite(entriesOf('a.png', 'c.png', 'e.png'), keepAll);
    expect(fileAt(path)).toEqual(entriesOf('a.png', 'b.png', 'c.png', 'd.png', 'e.png'));
  });

  test('replaces all entries of a source that has changes', async () => {
    const options = (['auto', 'classic', 'slim'] as const).map(
      (variant) => ({ variant, visibility: 'public' }) as const,
    );
    const before = options.map((one) => lockEntry({ options: one }));
    const { path, lockfile } = await ownLockfile([...entriesOf('a.png'), ...before, ...entriesOf('z.png')]);
    const changes = [options[2]!, options[0]!].map((one) => lockEntry({ options: one, name: 'new' }));
    const outcome = lockfile.rewrite(changes, keepNone);
    expect(outcome).toBe(true);
    expect(fileAt(path)).toEqual(changes.toReversed());
  });

  test('writes the last of several changes of the same source and work', async () => {
    const { path, lockfile } = await ownLockfile([]);
    lockfile.rewrite([lockEntry({ name: 'one' }), lockEntry({ name: 'two' })], keepAll);
    expect(fileAt(path)).toEqual([lockEntry({ name: 'two' })]);
  });

  test('drops entries that are not kept', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('a.png', 'b.png', 'c.png', 'd.png'));
    const outcome = lockfile.rewrite([], (source) => source === 'a.png' || source === 'd.png');
    expect(outcome).toBe(true);
    expect(fileAt(path)).toEqual(entriesOf('a.png', 'd.png'));
  });

  test('drops everything', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('a.png', 'b.png'));
    expect(lockfile.rewrite([], keepNone)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('');
    expect(lockfile.size).toBe(0);
  });

  test('drops entries at the beginning of the file', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('a.png', 'b.png'));
    lockfile.rewrite([], (source) => source === 'b.png');
    expect(fileAt(path)).toEqual(entriesOf('b.png'));
  });

  test('drops entries at the end of the file', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('a.png', 'b.png'));
    lockfile.rewrite([], (source) => source === 'a.png');
    expect(fileAt(path)).toEqual(entriesOf('a.png'));
  });

  test('sorts by code units, not by code points', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('\u{1f600}.png', '\ufb01.png'));
    const sorted = ['a.png', 'b.png', '\u{1f600}.png', '\ufb01.png'];
    lockfile.rewrite(entriesOf('a.png', 'b.png'), keepAll);
    expect(sourcesAt(path)).toEqual(sorted);
    expect(sorted.toSorted()).toEqual(sorted);
  });

  test('finds the new entries afterwards', async () => {
    const { lockfile } = await ownLockfile(entriesOf('a.png', 'b.png'));
    lockfile.rewrite(entriesOf('0.png'), (source) => source !== 'a.png');
    expect(allOf(lockfile)).toEqual(entriesOf('0.png', 'b.png'));
    expect(find(lockfile, lockEntry({ source: 'b.png' }))).toEqual({ state: 'same', entry: 1 });
    expect(find(lockfile, lockEntry({ source: 'a.png' }))).toBeUndefined();
  });

  test('takes changes that are read from its own entries, as for renamed files', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('a.png', 'b.png', 'c.png'));
    function* moved() {
      for (const entry of [0, 1, 2]) yield { ...lockfile.read(entry), source: `new/${entry}.png` };
    }
    lockfile.rewrite(moved(), keepNone);
    expect(fileAt(path)).toEqual(
      ['a.png', 'b.png', 'c.png'].map((source, n) => ({ ...lockEntry({ source }), source: `new/${n}.png` })),
    );
  });

  test('of many entries keeps the others byte by byte', async () => {
    const entries = Array.from({ length: 2000 }, (_, n) =>
      lockEntry({ source: `${String(n).padStart(4, '0')}.png`, name: 'ß'.repeat(n % 300) }),
    );
    const { path, lockfile } = await ownLockfile(entries);
    const changed = entries.filter((_, n) => n % 7 === 3).map((entry) => ({ ...entry, name: 'changed' }));
    lockfile.rewrite(changed, (source) => !source.startsWith('01'));
    const isChanged = (n: number) => n % 7 === 3;
    const expected = entries
      .map((entry, n) => (isChanged(n) ? { ...entry, name: 'changed' } : entry))
      .filter((entry, n) => isChanged(n) || !entry.source.startsWith('01'));
    expect(readFileSync(path, 'utf8')).toBe(textOf(expected));
  });
});

describe('A file that is right already', () => {
  const entries = entriesOf('a.png', 'b.png', 'c.png');
  const same: [what: string, act: (lockfile: Lockfile) => unknown][] = [
    ['nothing changes', (lockfile) => lockfile.rewrite([], keepAll)],
    ['changes are what was there', (lockfile) => lockfile.rewrite(entries, keepNone)],
    ['some changes are what was there', (lockfile) => lockfile.rewrite([entries[1]!], keepAll)],
    ['the end is what was there', (lockfile) => lockfile.rewrite([entries[2]!], keepAll)],
  ];
  test.each(same)('is not written when %s', async (_, act) => {
    for (const lineEnd of ['\n', '\r\n']) {
      const { path, lockfile } = await ownLockfile(entries, lineEnd);
      expect(await isLeftAlone(path, async () => expect(await act(lockfile)).toBe(false))).toBe(true);
      expect(readdirSync(dirname(path))).toEqual(['skins.lock']);
    }
  });

  test('is written when a single letter differs', async () => {
    const { path, lockfile } = await ownLockfile(entries);
    expect(lockfile.rewrite([{ ...entries[2]!, name: 'stevf' }], keepAll)).toBe(true);
    expect(fileAt(path)[2]?.name).toBe('stevf');
  });
});

describe('A file that was edited by hand', () => {
  test('is sorted and loses overridden entries, while its other lines stay as they are', async () => {
    const [a, b] = entriesOf('a.png', 'b.png');
    const spaced = lineOf(a!).replace('"uuid":', '"uuid" : ');
    const path = await ownPath(`${lineOf(b!)}\n\n${lineOf({ ...a!, name: 'old' })}\n${spaced}\n`);
    const outcome = (await openAt(path)).rewrite([], keepAll);
    expect(outcome).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(`${spaced}\n${lineOf(b!)}\n`);
  });

  test('gets the line break that its last line lacks, wherever that line goes', async () => {
    const [a, b] = entriesOf('a.png', 'b.png');
    for (const text of [`${lineOf(a!)}\n${lineOf(b!)}`, `${lineOf(b!)}\n${lineOf(a!)}`]) {
      const path = await ownPath(text);
      (await openAt(path)).rewrite([], keepAll);
      expect(readFileSync(path, 'utf8')).toBe(textOf([a!, b!]));
    }
  });

  test('keeps the line breaks of Windows', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('a.png', 'c.png'), '\r\n');
    lockfile.rewrite(entriesOf('b.png'), keepAll);
    expect(readFileSync(path, 'utf8')).toBe(textOf(entriesOf('a.png', 'b.png', 'c.png'), '\r\n'));
  });
});

describe('A file that changes in the meantime', () => {
  test('is merged with, not overwritten', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('a.png', 'b.png'));
    rmSync(path);
    writeFileSync(path, textOf(entriesOf('b.png', 'pulled.png')));
    function* changes() {
      yield { ...lockfile.read(0), source: 'moved.png' }; // by the number that it had before
    }
    lockfile.rewrite(changes(), keepAll);
    const moved = { ...lockEntry({ source: 'a.png' }), source: 'moved.png' };
    expect(fileAt(path)).toEqual([
      lockEntry({ source: 'b.png' }),
      moved,
      lockEntry({ source: 'pulled.png' }),
    ]);
  });

  test('is created again after it was removed', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('a.png'));
    rmSync(path);
    lockfile.rewrite(entriesOf('b.png'), keepAll);
    expect(sourcesAt(path)).toEqual(['b.png']);
  });

  test('stays unchanged if it has become damaged', async () => {
    const { path, lockfile } = await ownLockfile(entriesOf('a.png'));
    const text = `<<<<<<< HEAD\n${textOf(entriesOf('a.png'))}`;
    writeFileSync(path, text);
    expect(thrownBy(() => lockfile.rewrite(entriesOf('b.png'), keepAll))).toMatchObject({
      code: 'lockfile_conflict',
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
