import { expect, test } from 'vitest';
import { register, runDownload } from '../../../src/cli/commands/download.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';

describeParsing('download', register, {
  taken: [
    [['a'], { sources: ['a'] }],
    [['a', '--player', 'B', '--out', 'c.png'], { sources: ['a'], player: ['B'], out: 'c.png' }],
  ],
  refused: [[['a', '--fit'], /unknown option '--fit'/]],
});

test.each([
  [{ sources: [] }, 'no_source'],
  [{ sources: ['a.png', 'b.png'], out: 'c.png' }, 'one_file_many_sources'],
  [{ sources: ['a.png', 'b.png'], out: '-' }, 'one_file_many_sources'],
])('It writes no picture where it cannot be one: %j', async (options, code) => {
  const ran = await runCommand(async (context) => await runDownload(options, context), {});
  expect(ran.told).toMatchObject({ code, exit: 'usage' });
});
