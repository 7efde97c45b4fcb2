import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { apply, mutationsOf } from './mutations.ts';
import { missingPaths, ROOMS } from './rooms.ts';
import { mutationFor, readWrittenList, WRITTEN_LISTS } from './written.ts';

const mutants = (text: string) => mutationsOf(text).map((mutation) => apply(text, mutation));

test.each([
  ['a < b;', ['a <= b;']],
  ['a && !b;', ['a || !b;', 'a && b;']],
  ['if (a) f();', ['if (true) f();', 'if (false) f();', 'if (a) ;']],
  ['let n = 5;', ['let n = 6;']],
  ['const on = true;', ['const on = false;']],
  ['await f();', [';']],
  ['const all = [a];', ['const all = [];']],
  ['a ??= 0;', ['a ??= 1;', ';']],
])('The code %s gets its usual small bugs', (text, expected) => {
  expect(mutants(text).toSorted()).toEqual(expected.toSorted());
});

test.each([
  "import x from './x.ts';",
  'type A = 1 | 2;',
  'interface B { readonly c: 5 }',
  "'a' + b;",
  'let d: 3;',
])('The code %s gets no small bugs, because it does not run or is about texts', (text) =>
  expect(mutants(text)).toEqual([]),
);

test('All paths of the rooms exist', () => {
  const root = resolve(import.meta.dirname, '../..');
  expect(Object.values(ROOMS).flatMap((room) => missingPaths(root, room))).toEqual([]);
});

test.each(WRITTEN_LISTS)('The list %s names existing tests, and its bugs change something', (name) => {
  const root = resolve(import.meta.dirname, '../..');
  const { tests, built = [], bugs } = readWrittenList(name);
  expect(missingPaths(root, { sources: bugs.map(({ file }) => file), tests: [...tests, ...built] })).toEqual(
    [],
  );
  expect(bugs.filter(({ from, to }) => from === to)).toEqual([]);
});

test('A written bug applies if its text occurs exactly once', () => {
  const bug = { file: 'a.ts', what: 'w', from: 'f();', to: '' };
  expect(mutationFor(bug, 'f(); g();')).toEqual({ start: 0, end: 4, replacement: '', what: 'w' });
  for (const text of ['g();', 'f(); f();']) expect(mutationFor(bug, text)).toBeUndefined();
});
