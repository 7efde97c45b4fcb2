import { describe, expect, test } from 'vitest';
import { countSources, isSingle } from '../../../../src/batch/sources/arguments.ts';
import { allOf, folderOf, problemOf, rootsIn, spec } from '../../../support/batch/read-sources.ts';

const FILES = [
  's/a.png',
  's/B.png',
  's/.hidden.png',
  's/c.txt',
  's/t/a.png',
  's/t/u/d.png',
  's/[x].png',
  'e.png',
];

async function labelsOf(pattern: string, ignore: string[] = []) {
  const sources = await allOf({ args: [pattern], ignore }, rootsIn(await folderOf(FILES)));
  return sources.map((source) => problemOf(source)?.code ?? source.label);
}

describe('A pattern', () => {
  test.each([
    ['s/*.png', ['s/B.png', 's/[x].png', 's/a.png']],
    ['s/?.png', ['s/B.png', 's/a.png']],
    ['s/[a-c].png', ['s/a.png']],
    ['s/*/a.png', ['s/t/a.png']],
    ['s/**/*.png', ['s/B.png', 's/[x].png', 's/a.png', 's/t/a.png', 's/t/u/d.png']],
    ['./*.png', ['./e.png']],
    ['*.png', ['e.png']],
    ['s/[x].png', ['s/[x].png']], // a file of that name
    ['s/*.gif', ['no_such_file']],
    ['s/!*.png', ['no_such_file']],
  ])('that the shell did not expand gives the matching files: %s', async (pattern, labels) => {
    expect(await labelsOf(pattern)).toEqual(labels);
  });

  test('leaves out what the rules ignore', async () => {
    expect(await labelsOf('s/*.png', ['a.png'])).toEqual(['s/B.png', 's/[x].png']);
  });

  test('may stand in a list, is looked for beside the list as well, and may not have a name', async () => {
    const list = 'source,name,variant\ns/t/*.png,,slim\ns/*.png,Ann,\n';
    const cwd = await folderOf({ 'lists/team.csv': list, 'lists/s/t/q.png': '' });
    const sources = await allOf({ from: ['lists/team.csv'] }, rootsIn(cwd));
    expect(sources.map((one) => problemOf(one)?.message ?? [one.label, one.stem, one.variant])).toEqual([
      ['s/t/q.png', 's/t/q', 'slim'],
      'Line 3 of lists/team.csv: the column name must be empty, since the source is a pattern.',
    ]);
  });

  test('is not one source, nor a known number of sources before it is read', async () => {
    const roots = rootsIn(await folderOf(FILES));
    expect(await isSingle(spec({ args: ['s/*.png'] }), roots)).toBe(false);
    expect(await countSources(spec({ args: ['s/*.png'] }), roots)).toBeUndefined();
  });
});
