import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { register, runCheck } from '../../../src/cli/commands/check.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

describeParsing('check', register, {
  taken: [
    [['a.png'], { paths: ['a.png'] }],
    [['a.png', '-', 'folder'], { paths: ['a.png', '-', 'folder'] }],
    [['a', '-r', '--ignore', 'b'], { paths: ['a'], recursive: true, ignore: ['b'] }],
  ],
  refused: [[[], /missing required argument 'path'/]],
});

test('A file that holds no picture is named as it was typed', async () => {
  const path = relative(process.cwd(), '/dev/null');
  const run = async (context: CommandContext) => await runCheck({ paths: [path] }, context);
  const { out } = await runCommand(run, { flags: { json: true } });
  expect(JSON.parse(out).error.message).toBe(`${path} is not a regular file.`);
});

test('A mistyped folder is answered with the name of the one that is there', async () => {
  const folder = await ownFolder();
  await mkdir(join(folder, 'examples'));
  const run = async (isTTY: boolean) =>
    await runCommand((context) => runCheck({ paths: [join(folder, 'exampels/')] }, context), {
      isTTY,
      flags: { json: !isTTY },
    });
  const hint = `Did you mean ${join(folder, 'examples/')}?`;
  expect(JSON.parse((await run(false)).out).error.hint).toBe(hint);
  expect((await run(true)).out).toContain(hint);
});
