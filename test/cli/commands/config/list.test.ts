import { expect, test } from 'vitest';
import { register } from '../../../../src/cli/commands/config/list.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { typeLine } from '../../../support/cli/type-line.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const nothingAfter = { taken: [[[]]], refused: [[['x'], /too many arguments/]] } as const;

describeParsing('config list', register, nothingAfter);

test.each([[[]], [['--json']]])('config list %j shows no password in an address', async (options) => {
  const env = {
    SKINSMITH_CONFIG_DIR: await ownFolder(),
    SKINSMITH_BASE_URL: 'https://anna:hunter2@skins.example.org',
  };
  const { out } = await typeLine(['config', 'list', ...options], { env });
  expect(out).toContain('//…@skins.example.org');
  expect(out).not.toContain('hunter2');
});
