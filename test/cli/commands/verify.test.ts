import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { register, runVerify } from '../../../src/cli/commands/verify.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

describeParsing('verify', register, {
  taken: [
    [['skins.lock'], { files: ['skins.lock'] }],
    [['a', 'b', '--key', 'k.pem', '--offline'], { files: ['a', 'b'], key: 'k.pem', offline: true }],
  ],
  refused: [[[], /missing required argument 'file'/]],
});

test('A folder is refused, with the lockfile in it as what to give instead', async () => {
  const folder = await ownFolder();
  const verify = async () =>
    (await runCommand(async (context) => await runVerify({ files: [folder] }, context), {})).told;
  const message = `${folder} is a folder.`;
  expect(await verify()).toMatchObject({ message, hint: expect.stringContaining('Give a lockfile') });
  const lockfile = join(folder, 'skins.lock');
  await writeFile(lockfile, '');
  expect(await verify()).toMatchObject({
    message,
    hint: `Give the lockfile in it: skinsmith verify ${lockfile}`,
  });
});
