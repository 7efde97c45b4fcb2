import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks, shellEntries } from '../support/docs/code-blocks.ts';
import { refusal } from '../support/docs/refusal.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
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

test.each(MENTIONS)('$document:$line skinsmith $command', async ({ command }) => {
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

test.each(NAMED)('$document:$line names skinsmith $command, which there is', async ({ command }) => {
  // A sentence names a command without its arguments and required options.
  expect((await refusal(wordsOf(command))) ?? '').toMatch(/^$|missing required argument|required option/);
});

test('An unknown command or option is refused', async () => {
  expect(await refusal(['generat'])).toContain('unknown command');
  expect(await refusal(['generate', '--no-such-option', 'x.png'])).toContain('unknown option');
});

test.each(DOCUMENTS)('Every link of %s to a file leads to one', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target);
  const files = links.filter((target) => !/^[a-z]+:/.test(target));
  expect(files.filter((file) => !existsSync(join(ROOT, dirname(document), file)))).toEqual([]);
});
