import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMAND_GROUPS, HelpPage } from '../../../src/cli/help/help-page.ts';
import { buildProgram } from '../../../src/cli/program.ts';

const program = await buildProgram({ runner: () => async () => {} });

/** The help of every command, as a terminal of this width shows it. */
function pages(width: number): string[] {
  const all = [program, ...program.commands.flatMap((command) => [command, ...command.commands])];
  return all.flatMap((command) => {
    const help = Object.assign(new HelpPage(), { helpWidth: width });
    return help.formatHelp(command, help).split('\n');
  });
}

test.each([40, 50, 80])(
  'No text of the help is longer than %i columns, so that no terminal breaks a word',
  (width) => {
    const isText = (line: string) => !line.startsWith('  $ '); // commands stay whole
    const wide = pages(width).filter((line) => isText(line) && line.length > width);
    expect(wide.filter((line) => line.trim().includes(' '))).toEqual([]);
  },
);

const short = await buildProgram({ runner: () => async () => {}, words: allNames(program) });

function allNames(command: Command): string[] {
  return ['-h', ...command.commands.map((child) => child.name())];
}

test.each(short.commands.flatMap((command) => [command, ...command.commands]))(
  '-h of $_name has at most 30 lines, including the most common options',
  (command) => {
    const page = command.helpInformation();
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    if (command.name() === 'generate')
      expect(page).toMatch(/--out <path>.*More: skinsmith generate --help\n$/s);
  },
);

test('The help lists commands in the order of their headings', () => {
  const page = program.helpInformation();
  const places = Object.values(COMMAND_GROUPS)
    .flat()
    .map((name) => page.indexOf(`\n  ${name} `));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});
