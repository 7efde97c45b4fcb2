import { restore } from '../../../../src/cli/commands/backup.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('restore', restore, {
  taken: [
    [['it.backup'], 'it.backup', {}],
    [['it.backup', '--data', '/d', '--force'], 'it.backup', { data: '/d', force: true }],
  ],
  refused: [
    [[], /missing required argument 'file'/],
    [['a', '--data', ''], /must not be empty/],
  ],
});
