import { describe, expect, test } from 'vitest';
import { IgnoreRules } from '../../../src/batch/sources/ignore-rules.ts';

const rulesOf = (...lines: string[]) => IgnoreRules.given([]).withFile('', lines.join('\n'));

describe('A pattern means what it means to Git:', () => {
  test.each([
    // names at any depth
    ['a', ['a', 'x/a', 'a/'], ['b', 'ab', 'A', 'a/b']],
    ['*.png', ['a.png', '.png', 'x/a.png'], ['a.pngs', 'a.PNG']],
    ['a*b*c', ['abc', 'aXbYbc', 'abbc'], ['ab', 'acb', 'abcd']],
    ['?', ['a', '皮', '🙂'], ['ab', 'x/ab']],
    ['a/', ['a/', 'x/a/'], ['a', 'x/a']],
    ['***', ['a', 'x/a'], []],
    // paths from the folder on
    ['/a', ['a', 'a/'], ['x/a', 'ab']],
    ['x/a', ['x/a'], ['a', 'y/x/a', 'x/y/a']],
    ['x/*', ['x/a', 'x/a/'], ['x/', 'x/y/a']],
    ['x/a/', ['x/a/'], ['x/a', 'y/x/a/']],
    // any number of folders
    ['**/a', ['a', 'x/a', 'x/y/a'], ['x/ab']],
    ['x/**', ['x/a', 'x/y/a'], ['x/', 'a', 'y/x/a']],
    ['x/**/a', ['x/a', 'x/y/a', 'x/y/z/a'], ['a', 'x/', 'x/b', 'y/x/a']],
    ['**/x/**/a', ['x/a', 'y/x/z/a', 'x/x/a'], ['a', 'x/']],
    ['x/***/a', ['x/y/z/a'], ['a']],
    ['x/a**', ['x/a', 'x/abc'], ['x/a/b', 'x/ba']],
    ['**', ['a', 'x/a'], []],
    // sets
    ['[ab]', ['a', 'b'], ['c', 'ab', '']],
    ['[a-c]1', ['a1', 'c1'], ['d1', '-1', 'a']],
    ['[!a-c]1', ['d1', '-1'], ['a1', '1']],
    ['[^a]', ['b'], ['a', '^a']],
    ['[]a]', [']', 'a'], ['[]a]']],
    ['[a-]', ['a', '-'], ['b']],
    ['[--0]', ['-', '.', '0'], ['1']],
    ['[\\]x]', [']', 'x'], ['\\']],
    ['[z-a]', ['z'], ['a', 'm', '-']],
    ['[[:digit:]x]', ['5', 'x'], ['a', ':', '[']],
    ['[[:nonsense:]x]', ['x'], ['n', ':']],
    ['[[:x]', ['[', ':', 'x'], ['a']],
    ['[!/]a', ['ba', 'ca'], ['x/a', 'a']],
    // no wildcards, and nothing at all
    ['\\*', ['*'], ['a', '\\*']],
    ['a\\b', ['ab'], ['a\\b']],
    ['x\\/a', ['x/a'], ['a']],
    ['\\#a', ['#a'], ['a', '\\#a']],
    ['\\!a', ['!a'], ['a']],
    ['a  ', ['a'], ['a  ']],
    ['a\\ ', ['a '], ['a']],
    ['#a', [], ['#a', 'a']],
    ['[a', [], ['[a', 'a', '[']],
    ['a\\', [], ['a\\', 'a']],
    ['x//a', [], ['x/a']],
    ['/', [], ['a', 'x/']],
    ['', [], ['a', 'x/']],
  ] as const)('%j', (pattern, ignored, left) => {
    const rules = rulesOf(pattern);
    const found = [...ignored, ...left].filter((path) => rules.ignores(path));
    expect(found).toEqual(ignored);
  });

  test('the last matching one of several counts', () => {
    const rules = rulesOf('*.png', '!a*', 'ab.png', '!/x/**/ab.png');
    const paths = ['b.png', 'a.png', 'ab.png', 'x/ab.png', 'x/y/ab.png', 'y/ab.png'];
    expect(paths.filter((path) => rules.ignores(path))).toEqual(['b.png', 'ab.png', 'y/ab.png']);
  });
});

/** A regular expression that tries all ways to match these has to be stopped. */
test.each([
  ['folders', `${'**/a/'.repeat(15)}b`, `${'a/'.repeat(60)}c`],
  ['folders, for a folder', `/${'**/a/'.repeat(30)}b`, 'a/'.repeat(64)],
  ['characters', `${'*a'.repeat(60)}*b`, 'a'.repeat(255)],
  ['characters of folders', `${'**/*a*a*a*/'.repeat(20)}b`, `${'aaaaaaaaaaaaaaaa/'.repeat(64)}c`],
])('Matching a pattern with many wildcards for %s comes to an end', (_, pattern, path) => {
  expect(rulesOf(pattern).ignores(path)).toBe(false);
});
