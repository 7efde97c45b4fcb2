import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { freshMachine } from './program.ts';

const PAGES = join(import.meta.dirname, 'help');

/** Every command line that has a help of its own, from the tree. */
function linesOf(command: Command, words: readonly string[] = []): string[][] {
  return [[...words], ...command.commands.flatMap((inner) => linesOf(inner, [...words, inner.name()]))];
}

const program = await buildProgram({ runner: () => async () => {} });
const ROWS = linesOf(program).map((words) => ({ words, name: ['skinsmith', ...words].join('-') }));

test.each(ROWS)('The help of $name is what it was', async ({ words, name }) => {
  const { exitCode, stdout, stderr } = await (await freshMachine()).run([...words, '--help']);
  expect([exitCode, stderr]).toEqual([0, '']);
  await expect(stdout).toMatchFileSnapshot(join(PAGES, `${name}.txt`));
});

test('Every page of help has a command', async () => {
  const pages = (await readdir(PAGES)).map((file) => file.replace(/\.txt$/, ''));
  expect(ROWS.map(({ name }) => name)).toEqual(expect.arrayContaining(pages));
});
