import { expect, test } from 'vitest';
import { HelpPage } from '../../../src/cli/help/help-page.ts';
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
