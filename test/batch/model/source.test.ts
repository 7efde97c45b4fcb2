import { expect, test } from 'vitest';
import { Coverage } from '../../../src/batch/model.ts';

test('A folder covers its own files, and with its subfolders the files below it', () => {
  const coverage = new Coverage();
  coverage.addFolder({ path: '/a', recursive: false, isEmpty: false });
  coverage.addFolder({ path: '/b', recursive: true, isEmpty: true });
  const covered = (file: string) => coverage.folderOf(file)?.path;
  expect(['/a/x.png', '/a/c/x.png', '/ab/x.png', '/x.png'].map(covered)).toEqual([
    '/a',
    undefined,
    undefined,
    undefined,
  ]);
  expect(['/b/x.png', '/b/c/d/x.png', '/bc/x.png', '/b'].map(covered)).toEqual([
    '/b',
    '/b',
    undefined,
    undefined,
  ]);
});

test('A list shows which sources are gone only if it was read whole and none of its sources failed', () => {
  const coverage = new Coverage();
  expect(coverage.hasList('/list')).toBe(false);
  coverage.addList('/list');
  coverage.addFailure({});
  expect(coverage.hasList('/list')).toBe(true);
  coverage.addFailure({ list: '/list' });
  expect(coverage.hasList('/list')).toBe(false);
});
