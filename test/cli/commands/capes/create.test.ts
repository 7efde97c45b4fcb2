import { expect, test } from 'vitest';
import { capesCreate } from '../../../../src/cli/commands/capes.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { runCommand } from '../../../support/cli/run-command.ts';

describeParsing('capes create', capesCreate, {
  taken: [
    [['red.png'], 'red.png', {}],
    [['red.png', '--alias', 'Red', '--hidden'], 'red.png', { alias: 'Red', hidden: true }],
  ],
  refused: [
    [[], /missing required argument 'file'/],
    [['a.png', 'b.png'], /too many arguments/],
    [['a.png', '--alias'], /argument missing/],
  ],
});

test('A missing file gets no advice that only applies to skins', async () => {
  const ran = await runCommand(async (context) => await capesCreate.run('-', {}, context), {});
  expect(ran.told).toMatchObject({ message: 'No file -.', hint: undefined });
});
