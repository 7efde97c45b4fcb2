import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LockEntry } from '../../../../src/protocol/lock-line.ts';
import {
  allOf,
  entriesOf,
  hash,
  keepAll,
  lockEntry,
  ownLockfile,
  textOf,
  thrownBy,
} from '../../../support/batch/lockfile-entries.ts';

describe('A rewrite that fails', () => {
  const before = entriesOf('a.png', 'b.png');

  /** What came of it; the old file has to be there, and nothing else. */
  async function failedRewrite(changes: Iterable<LockEntry>): Promise<unknown> {
    const { path, lockfile } = await ownLockfile(before);
    const error = thrownBy(() => lockfile.rewrite(changes, keepAll));
    expect(readFileSync(path, 'utf8')).toBe(textOf(before));
    expect(readdirSync(dirname(path))).toEqual(['skins.lock']);
    expect(allOf(lockfile)).toEqual(before);
    return error;
  }

  test('for a change that could not be read again leaves the old file', async () => {
    const bad = lockEntry({ source: 'c.png', value: 'no base64!' });
    expect(await failedRewrite([...entriesOf('0.png'), bad])).toMatchObject({
      code: 'lockfile_invalid',
      message: expect.stringContaining('The entry of c.png cannot be written: value: not base64'),
    });
  });

  test('for a change that is too long leaves the old file', async () => {
    const long = lockEntry({ source: 'c.png', name: 'n'.repeat(64 * 1024) });
    expect(await failedRewrite([long])).toMatchObject({ message: expect.stringContaining('too long') });
  });

  test('for changes that are not sorted leaves the old file', async () => {
    expect(await failedRewrite(entriesOf('0.png', 'd.png', 'c.png'))).toMatchObject({
      message: expect.stringContaining('c.png'),
    });
  });

  test('because the changes cannot be read leaves the old file', async () => {
    function* changes() {
      for (let n = 0; n < 1000; n++) yield lockEntry({ source: `0/${String(n).padStart(4, '0')}.png` });
      throw new Error('The journal is gone.');
    }
    expect(await failedRewrite(changes())).toMatchObject({ message: 'The journal is gone.' });
  });

  test('because a folder is in the place of the file says so', async () => {
    const { path, lockfile } = await ownLockfile(before);
    rmSync(path);
    mkdirSync(join(path, 'below'), { recursive: true });
    expect(thrownBy(() => lockfile.rewrite(entriesOf('c.png'), keepAll))).toMatchObject({
      code: 'lockfile_invalid',
      message: expect.stringContaining('not a regular file'),
    });
  });

  test('because a folder appears in the place of the file at the last moment leaves nothing behind', async () => {
    const { path, lockfile } = await ownLockfile(before);
    function* changes() {
      yield lockEntry({ source: 'c.png' });
      rmSync(path);
      mkdirSync(join(path, 'below'), { recursive: true });
    }
    thrownBy(() => lockfile.rewrite(changes(), keepAll));
    expect(readdirSync(dirname(path))).toEqual(['skins.lock']);
  });

  test('because the folder vanishes says so', async () => {
    const { path, lockfile } = await ownLockfile(before);
    function* changes() {
      for (let n = 0; n < 1000; n++) yield lockEntry({ source: `0/${String(n).padStart(4, '0')}.png` });
      rmSync(dirname(path), { recursive: true });
    }
    expect(thrownBy(() => lockfile.rewrite(changes(), keepAll))).toMatchObject({ code: 'ENOENT' });
  });

  test('because the old file is cut while it is copied says so', async () => {
    const many = Array.from({ length: 1000 }, (_, n) =>
      lockEntry({ source: `${String(n).padStart(4, '0')}.png` }),
    );
    const { path, lockfile } = await ownLockfile(many);
    function* changes() {
      writeFileSync(path, '');
      yield lockEntry({ source: '0500.png', pixels: hash('new') });
    }
    expect(thrownBy(() => lockfile.rewrite(changes(), keepAll))).toMatchObject({ code: 'lockfile_changed' });
    expect(readdirSync(dirname(path))).toEqual(['skins.lock']);
  });
});
