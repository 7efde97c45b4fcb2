/** Files and folders that the documents for developers name, so that a renamed one is renamed there, too. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path/posix';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const DECISIONS = readdirSync(join(ROOT, 'docs/decisions')).map((name) => `docs/decisions/${name}`);
const DOCUMENTS = ['CONTRIBUTING.md', ...DECISIONS];

/** Where names begin: documents leave out what is above the folder that they are about. */
const FILES = globSync('{src,test,bin,bench,docs,man,examples,bundle,deploy}/**', { cwd: ROOT });
/** Made by the build, or examples of names. */
const NOT_THERE = /^(?:dist\/|src\/a\/b\.ts$|test\/a\/b(?:\.test\.ts|\/)$)/;

/** What stands in backquotes and looks like a source, a test or a folder. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([\w.*-]+(?:\/[\w.*-]+)*(?:\.ts|\/))`/g)].map(([, name = '']) => name);
}

/** Whether some path ends with this name. */
function isThere(name: string): boolean {
  const end = name.replace(/\/$/, '');
  if (end.includes('*')) return FILES.some((file) => matchesGlob(file, `**/${end}`));
  return FILES.some((file) => file === end || file.endsWith(`/${end}`));
}

test.each(DOCUMENTS)('Every file and folder that %s names exists', (document) => {
  const names = namesIn(readFileSync(join(ROOT, document), 'utf8'));
  expect(names.filter((name) => !NOT_THERE.test(name) && !isThere(name))).toEqual([]);
});

test('File names are found in a text, and a whole or partial path that does not exist is recognized', () => {
  expect(namesIn('See `cli/starting/` and `queue/claim.ts`, not `npm test`.')).toEqual([
    'cli/starting/',
    'queue/claim.ts',
  ]);
  expect(['queue/claim.ts', 'cli/doctor/', 'store/sqlite*.ts'].filter(isThere)).toHaveLength(3);
  expect(['queue/claim-in-turn.ts2', 'li/doctor/', 'store/oracle*.ts'].filter(isThere)).toEqual([]);
});

test('CONTRIBUTING links to every decision, and each link in a decision leads to a file', () => {
  const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  expect(DECISIONS.filter((decision) => !contributing.includes(`(${decision})`))).toEqual([]);
  const broken = DECISIONS.flatMap((decision) => {
    const links = [...readFileSync(join(ROOT, decision), 'utf8').matchAll(/\]\(([^)#:]+)\)/g)];
    return links
      .map(([, link = '']) => join(ROOT, dirname(decision), link))
      .filter((file) => !existsSync(file));
  });
  expect(broken).toEqual([]);
});
