import { describe, expect, test } from 'vitest';
import { isSingle, type SourceSpec } from '../../../../src/batch/sources/arguments.ts';
import { entriesOf, textOf } from '../../../support/batch/lock-entry.ts';
import { folderOf, rootsIn, spec, UUID } from '../../../support/batch/read-sources.ts';

describe('isSingle', () => {
  const rows: [parts: Partial<SourceSpec>, single: boolean][] = [
    [{ args: ['a.png'] }, true],
    [{ args: ['missing.png'] }, true],
    [{ args: ['-'] }, true],
    [{ args: [UUID] }, true],
    [{ args: ['https://a.example/'] }, true],
    [{ args: ['folder'] }, false],
    [{ args: ['folder/'] }, false],
    [{ args: ['folder'], as: 'user' }, true],
    [{ args: ['a.png', 'a.png'] }, false],
    [{ args: ['a.png'], from: ['list.txt'] }, false],
    [{ from: ['list.txt'] }, false],
    [{}, false],
  ];
  test.each(rows)('says of %j: %s', async (parts, single) => {
    const cwd = await folderOf(['a.png', 'folder/b.png']);
    expect(await isSingle(spec(parts), rootsIn(cwd))).toBe(single);
  });
});

test.each([
  [0, true],
  [1, true],
  [2, false],
])('A lockfile with %i skins is a single source: %s', async (count, single) => {
  const entries = entriesOf(...['a.png', 'b.png'].slice(0, count));
  const cwd = await folderOf({ 'skins.lock': textOf(entries) });
  expect(await isSingle(spec({ args: ['skins.lock'] }), rootsIn(cwd))).toBe(single);
});
