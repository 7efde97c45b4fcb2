import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generate, runGenerate } from '../../../src/cli/commands/generate.ts';
import {
  badSkinOptions,
  batchOptions,
  batchValues,
  skinOptions,
  skinValues,
} from '../../support/cli/batch-parsing.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

describeParsing('generate', generate, {
  taken: [
    [['a.png'], ['a.png'], { verify: true }],
    [['a.png', '-', 'folder'], ['a.png', '-', 'folder'], { verify: true }],
    [
      ['a.png', ...skinOptions, '--format', 'value,give-1.16', '--ndjson'],
      ['a.png'],
      { ...skinValues, format: 'value,give-1.16', ndjson: true, verify: true },
    ],
    [['--variant', 'auto', '--', '--odd.png'], ['--odd.png'], { variant: 'auto', verify: true }],
    [['a', ...batchOptions], ['a'], { ...batchValues }],
    [['--from', 'list'], [], { from: ['list'], verify: true }],
  ],
  refused: badSkinOptions,
});

test.each([
  ['goes again where nothing was made', false],
  ['stays where it was there before', true],
])('The output folder %s', async (_, isThere) => {
  const folder = await ownFolder();
  const [broken, out] = [join(folder, 'a.png'), join(folder, 'out')];
  await writeFile(broken, 'no picture');
  if (isThere) await mkdir(out);
  const options = { out, format: 'value', lock: join(folder, 'skins.lock') };
  const ran = await runCommand(async (context) => await runGenerate([broken, broken], options, context), {});
  expect([ran.status, existsSync(out)]).toEqual([1, isThere]);
});
