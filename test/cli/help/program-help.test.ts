import { expect, test } from 'vitest';
import { PROGRAM_HELP } from '../../../src/cli/help/program-help.ts';
import { buildProgram } from '../../../src/cli/program.ts';

test('The prebuilt help matches the help of the command tree', async () => {
  const program = await buildProgram({ runner: () => async () => {}, words: ['--help'] });
  expect(PROGRAM_HELP).toBe(program.helpInformation());
});

test('The program has the same help on a wide terminal', async () => {
  const program = await buildProgram({ runner: () => async () => {}, words: ['--help'] });
  program.configureOutput({ getOutHelpWidth: () => 200 });
  expect(program.helpInformation()).toBe(PROGRAM_HELP);
});
