import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Annotation, GithubReport } from '../../../src/cli/output/github.ts';
import { Messages } from '../../../src/cli/terminal/messages.ts';
import { testIo } from '../../support/cli/test-io.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const PROBLEM = { code: 'invalid_image', message: 'It is broken.' };

function broken(source: string, path?: string): Annotation {
  return {
    level: 'error',
    source,
    problem: PROBLEM,
    ...(path !== undefined && { content: { kind: 'file', path } }),
  };
}

/** What stderr and the summary of the step get of these, in a workspace of the runner. */
async function reported(remarks: readonly Annotation[], more: NodeJS.ProcessEnv = {}) {
  const folder = await ownFolder();
  const summary = join(folder, 'summary.md');
  const { io, err } = testIo();
  const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: '/work', GITHUB_STEP_SUMMARY: summary, ...more };
  const github = new GithubReport({ env, io, messages: new Messages(io, {}) });
  for (const remark of remarks) github.add(remark);
  await github.finish('2 sources: 1 made, 1 failed.');
  return { err: err(), summary: await readFile(summary, 'utf8').catch(() => '') };
}

test.each([
  ['a file, from the root of the repository', broken('a.png', '/work/skins/a.png'), 'file=skins/a.png,'],
  ['a file outside of it', broken('a.png', '/elsewhere/a.png'), ''],
  ['no file', broken('https://a.example/a.png'), ''],
])('An annotation names %s', async (_, remark, file) => {
  const text = `::error ${file}title=skinsmith%3A invalid_image::${remark.source}: It is broken.\n`;
  expect((await reported([remark])).err).toBe(text);
});

test('An annotation has the hint on a line of its own', async () => {
  const remark = { ...broken('a'), problem: { ...PROBLEM, message: 'a is 50% broken.', hint: 'Mend it.' } };
  expect((await reported([remark])).err).toContain('::a is 50%25 broken.%0AMend it.\n');
});

test('The name of a file gives the runner no commands, and the summary no markup', async () => {
  const name = 'a\n::add-path::/evil\u001b[31m,file=b:%0A|<img src=x>[x](y)`.png';
  const { err, summary } = await reported([broken(name, `/work/${name}`)]);
  expect(err.split('\n')).toHaveLength(2);
  expect(err).toContain('file=a %3A%3Aadd-path%3A%3A/evil%2Cfile=b%3A%250A|');
  const [row = ''] = summary.split('\n').filter((line) => line.includes('add-path'));
  expect(row.match(/\|/g)).toHaveLength(3);
  expect(row).not.toMatch(/[<>[\]`*]/);
});

test('The summary has a sentence and the failures, as many as can be read', async () => {
  const none = await reported([]);
  expect(none.summary).toBe('### skinsmith\n\n2 sources: 1 made, 1 failed.\n\n');
  const long = (n: number) => broken(`skins/of-the-guards-in-the-north/${'große-'.repeat(n % 5)}${n}.png`);
  const { summary } = await reported(Array.from({ length: 300 }, (_, n) => long(n)));
  const rows = summary.match(/^\| \S+\.png \| It is broken\. \|$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(40);
  expect(summary).toContain(`\nand ${300 - rows.length} more\n`);
  expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(5_000);
});

test('Outside GitHub Actions, nothing is written', async () => {
  const elsewhere = { GITHUB_ACTIONS: undefined, GITHUB_STEP_SUMMARY: undefined };
  expect(await reported([broken('a.png')], elsewhere)).toEqual({ err: '', summary: '' });
});

test('The outputs of the step are the numbers of skins made and left', async () => {
  const path = join(await ownFolder(), 'outputs');
  const { io } = testIo();
  const github = new GithubReport({ env: { GITHUB_OUTPUT: path }, io, messages: new Messages(io, {}) });
  await github.finish('3 sources', { made: 2, left: 1 });
  await github.finish('1 file');
  expect(await readFile(path, 'utf8')).toBe('made=2\nleft=1\n');
});

test('A summary that cannot be written is no failure', async () => {
  const { err } = await reported([], { GITHUB_STEP_SUMMARY: '/dev/null/summary.md' });
  expect(err).toMatch(/^warning: The file in GITHUB_STEP_SUMMARY could not be written: /);
});
