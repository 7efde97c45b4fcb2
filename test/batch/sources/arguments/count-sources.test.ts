import { expect, test } from 'vitest';
import { countSources, type SourceSpec } from '../../../../src/batch/sources/arguments.ts';
import { folderOf, rootsIn, spec, UUID } from '../../../support/batch/read-sources.ts';

test.each<[Partial<SourceSpec>, number | undefined]>([
  [{ args: ['folder'], recursive: false }, 2],
  [{ args: ['folder'], recursive: true }, 3],
  [{ args: ['folder'], recursive: true, ignore: ['c.png'] }, 2],
  [{ args: ['folder', 'a.png', UUID, 'missing.png'], recursive: false, players: ['Steve'] }, 6],
  [{ args: ['-'] }, 1],
])('%j are %i sources, according to folder listings', async (parts, count) => {
  const cwd = await folderOf([
    'a.png',
    'folder/a.png',
    'folder/b.png',
    'folder/note.txt',
    'folder/more/c.png',
  ]);
  expect(await countSources(spec(parts), rootsIn(cwd))).toBe(count);
});

test.each<[Partial<SourceSpec>]>([
  [{ args: ['packs'], recursive: true }],
  [{ args: ['empty'] }],
  [{ args: ['skins.lock'] }],
  [{ args: ['packs/one.mcpack'] }],
  [{ args: ['a.png'], from: ['list.txt'] }],
])('The number of sources in %j is known only after reading', async (parts) => {
  const cwd = await folderOf({
    ...{ 'a.png': '', 'packs/one.mcpack': '', 'packs/a.png': '' },
    ...{ 'empty/note.txt': '', 'skins.lock': '', 'list.txt': 'a.png' },
  });
  expect(await countSources(spec(parts), rootsIn(cwd))).toBeUndefined();
});
