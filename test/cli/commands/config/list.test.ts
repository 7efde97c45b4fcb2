import { expect, test } from 'vitest';
import { configList } from '../../../../src/cli/commands/config.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { typeLine } from '../../../support/cli/type-line.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const nothingAfter = { taken: [[[]]], refused: [[['x'], /too many arguments/]] } as const;

describeParsing('config list', configList, nothingAfter);

test.each([
  [[], 'https://anna:hunter2@skins.example.org'],
  [['--json'], 'https://anna:hun@ter2@skins.example.org'],
  [['--json'], 'https://anna:1/hunter2@skins.example.org'],
  [[], 'anna:hunter2@skins.example.org'],
])('config list %j shows nothing of an address with a password: %s', async (options, address) => {
  const env = { SKINSMITH_CONFIG_DIR: await ownFolder(), SKINSMITH_BASE_URL: address };
  const { out } = await typeLine(['config', 'list', ...options], { env });
  expect(out).toContain('an address that is not accepted');
  expect(out).not.toMatch(/anna|ter2/);
});
