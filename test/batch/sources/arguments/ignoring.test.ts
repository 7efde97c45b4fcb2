import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allOf, folderOf, onlyOf, problemOf, rootsIn, stemsOf } from '../../../support/batch/read-sources.ts';
import { failureOf } from '../../../support/client/test-client.ts';

const FILE = '.skinsmithignore';

/** What is left of these files, sorted, with these ignore files by folder. */
async function leftOf(
  files: readonly string[],
  rules: Readonly<Record<string, string>>,
  ignore: readonly string[] = [],
): Promise<string[]> {
  const texts = Object.entries(rules).map(([folder, text]) => [join(folder, FILE), text]);
  const empty = files.map((name) => [`${name}.png`, '']);
  const cwd = await folderOf(Object.fromEntries([...texts, ...empty]));
  return (await stemsOf({ args: ['.'], recursive: true, ignore }, rootsIn(cwd))).sort();
}

describe('An ignore file', () => {
  const files = ['a', 'a-old', 'drafts/b', 'x/a-old', 'x/drafts/c', 'x/y/d'];
  const rows: [what: string, rules: Record<string, string>, left: string[]][] = [
    ['leaves out files at any depth', { '': '*-old.png' }, ['a', 'drafts/b', 'x/drafts/c', 'x/y/d']],
    ['leaves out folders', { '': 'drafts/' }, ['a', 'a-old', 'x/a-old', 'x/y/d']],
    ['leaves no file out by a rule about folders', { '': 'a.png/\nd.png/' }, files],
    [
      'may mean its own folder alone',
      { '': '/drafts/\n/a-old.png' },
      ['a', 'x/a-old', 'x/drafts/c', 'x/y/d'],
    ],
    ['counts for what is below it', { x: '*-old.png\n/drafts' }, ['a', 'a-old', 'drafts/b', 'x/y/d']],
    [
      'takes back what one above left out',
      { '': '*-old.png\ndrafts\n/x/y', x: '!a-*\n!y' },
      ['a', 'x/a-old', 'x/y/d'],
    ],
    ['cannot take back what is in a folder left out', { '': 'x', x: '!*' }, ['a', 'a-old', 'drafts/b']],
    ['has comments, empty lines and CRLF', { '': '# *\r\n\r\ndrafts\r\nx/**\r\n' }, ['a', 'a-old']],
    [
      'may begin with a byte order mark',
      { x: '\uFEFFdrafts\n*-old.png' },
      ['a', 'a-old', 'drafts/b', 'x/y/d'],
    ],
    [
      'tells upper from lower case',
      { '': 'A.png\nDRAFTS' },
      ['a', 'a-old', 'drafts/b', 'x/a-old', 'x/drafts/c', 'x/y/d'],
    ],
  ];
  test.each(rows)('%s', async (_, rules, left) => {
    expect(await leftOf(files, rules)).toEqual(left);
  });

  test.each(['x[1]', 'a*', '!x', '#x', 'a b', ' a '])(
    'applies to its own folder even if that is called %j',
    async (folder) => {
      const rules = { [folder]: '/s.png\nt.png' };
      const stem = (name: string) => `${folder}/${name}`;
      const files = [stem('s'), stem('t'), stem('u'), stem('v/s'), stem('v/t'), 'ab/s', 'x1/s', 's', 't'];
      const left = files.filter((name) => ![stem('s'), stem('t'), stem('v/t')].includes(name));
      expect(await leftOf(files, rules)).toEqual(left.sort());
    },
  );

  test('applies without -r as well', async () => {
    const cwd = await folderOf({ 'a.png': '', 'b.png': '', [FILE]: 'b*' });
    expect(await stemsOf({ args: [cwd] }, rootsIn('/'))).toEqual(['a']);
  });

  test('does not apply to a file given by name', async () => {
    const cwd = await folderOf({ 'a.png': '', [FILE]: '*' });
    expect(await stemsOf({ args: ['a.png'], ignore: ['*'] }, rootsIn(cwd))).toEqual(['a']);
  });

  test('that leaves nothing is named as the reason', async () => {
    const cwd = await folderOf({ 'skins/a.png': '', [`skins/${FILE}`]: '*' });
    expect(problemOf(await onlyOf({ args: ['skins'] }, rootsIn(cwd)))).toEqual({
      code: 'empty_folder',
      message: 'No PNG files in skins.',
      hint: 'See what --ignore and .skinsmithignore leave out.',
    });
  });

  test('also leaves out links to nothing', async () => {
    const cwd = await folderOf({ 'a.png': '', [FILE]: 'b*' });
    symlinkSync('/no/such/file', join(cwd, 'b.png'));
    expect(await stemsOf({ args: [cwd] }, rootsIn('/'))).toEqual(['a']);
  });

  test('that is a folder has no effect', async () => {
    const cwd = await folderOf(['a.png']);
    mkdirSync(join(cwd, FILE));
    expect(await stemsOf({ args: [cwd] }, rootsIn('/'))).toEqual(['a']);
  });

  const unusable: [what: string, text: string][] = [
    ['is too large', 'a\n'.repeat(40_000)],
    ['has an absurd line', 'a'.repeat(1025)],
  ];
  test.each(unusable)('that %s keeps its folder out and says so', async (_, text) => {
    const cwd = await folderOf({ 'a.png': '', [`x/${FILE}`]: text, 'x/b.png': '' });
    const [good, bad, ...others] = await allOf({ args: ['.'], recursive: true }, rootsIn(cwd));
    expect(good?.stem).toBe('a');
    expect(bad?.label).toBe('x');
    expect(problemOf(bad!)).toMatchObject({
      code: 'invalid_pattern',
      message: expect.stringContaining(`x/${FILE}: `),
    });
    expect(others).toEqual([]);
  });

  test('that is a link to nothing keeps its folder out and says so', async () => {
    const cwd = await folderOf(['a.png']);
    symlinkSync('/no/such/file', join(cwd, FILE));
    expect(problemOf(await onlyOf({ args: [cwd] }, rootsIn('/')))?.code).toBe('no_such_file');
  });
});

describe('A pattern on the command line', () => {
  test('applies in each folder and takes precedence over ignore files', async () => {
    const files = ['a', 'b', 'x/a', 'x/b', '#c'];
    expect(await leftOf(files, { x: '!a.png\nb.png' }, ['a.png', '#c.png', '!x/b.png'])).toEqual([
      'b',
      'x/b',
    ]);
  });

  test.each(['', '  ', 'a'.repeat(1025)])('must be valid: %.20j', async (pattern) => {
    const failure = await failureOf(allOf({ args: ['.'], ignore: [pattern] }, rootsIn('/')));
    expect(failure).toMatchObject({
      name: 'BatchSetupError',
      code: 'invalid_pattern',
      hint: expect.any(String),
    });
  });
});
