import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks, shellEntries } from '../support/docs/code-blocks.ts';
import { refusal } from '../support/docs/refusal.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync(['docs/*.md', 'docs/internals/*.md'], { cwd: ROOT }),
];

interface Mention {
  readonly document: string;
  readonly line: number;
  readonly command: string;
}

const MENTIONS: Mention[] = DOCUMENTS.flatMap((document) =>
  codeBlocks(readFileSync(join(ROOT, document), 'utf8'))
    .filter(({ language }) => language === 'sh' || language === 'yaml')
    .flatMap(shellEntries)
    .flatMap(({ text, line }) => commandsIn(text).map((command) => ({ document, line, command }))),
);

/** What of a line is a command of ours: up to a comment, a pipe, a redirection or another command. */
function commandsIn(text: string): string[] {
  const [first = ''] = text.split('\n');
  return [...first.replace(/\s#.*/, '').matchAll(/(?:^|[\s(])skinsmith ([^|&;<>)]*)/g)].map(
    ([, words = '']) => words.trim(),
  );
}

function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

test.each(MENTIONS)('$document:$line skinsmith $command is a valid command', async ({ command }) => {
  expect(await refusal(wordsOf(command))).toBeUndefined();
});

/** What webhooks' secrets are made of: a text, and no command. */
const NO_COMMAND = 'webhook';

const NAMED: Mention[] = DOCUMENTS.flatMap((document) =>
  readFileSync(join(ROOT, document), 'utf8')
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(/`skinsmith ([a-z][^`]*)`/g)].map(([, command = '']) => ({
        document,
        line: index + 1,
        command,
      })),
    )
    .filter(({ command }) => command !== NO_COMMAND),
);

test.each(NAMED)('$document:$line names skinsmith $command, which exists', async ({ command }) => {
  // A sentence names a command without its arguments and required options.
  expect((await refusal(wordsOf(command))) ?? '').toMatch(/^$|missing required argument|required option/);
});

test('An unknown command or option is refused', async () => {
  expect(await refusal(['generat'])).toContain('unknown command');
  expect(await refusal(['generate', '--no-such-option', 'x.png'])).toContain('unknown option');
});

/** Documents, and what links to them from beside the code. */
const LINKING = [
  ...DOCUMENTS,
  ...globSync(['{CHANGELOG,SECURITY}.md', 'docs/decisions/*.md', 'examples/**/*.md', 'test/**/README.md'], {
    cwd: ROOT,
  }),
];

/** Anchors as GitHub makes them of headings. */
function anchorsOf(path: string): Set<string> {
  const text = readFileSync(path, 'utf8').replaceAll(/^```.*?^```/gms, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  return new Set(headings.map((one) => one.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

/** Links of a document to files that do not exist, and to headings that the other document does not have. */
function deadLinks(document: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8').replaceAll(/^```.*?^```/gms, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, target = '']) => target);
  return links.filter((link) => {
    const [file = '', anchor] = link.split('#');
    if (/^[a-z]+:/.test(link)) return false;
    const path = file === '' ? join(ROOT, document) : join(ROOT, dirname(document), file);
    if (!existsSync(path)) return true;
    return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).has(anchor);
  });
}

test.each(LINKING)('Every link of %s leads to a file, and to a heading in it', (document) => {
  expect(deadLinks(document)).toEqual([]);
});
