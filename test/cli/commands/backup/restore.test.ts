import { registerRestore } from '../../../../src/cli/commands/backup.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('restore', registerRestore, {
  taken: [
    [['it.backup'], { file: 'it.backup' }],
    [['it.backup', '--data', '/d', '--force'], { file: 'it.backup', data: '/d', force: true }],
  ],
  refused: [
    [[], /missing required argument 'file'/],
    [['a', '--data', ''], /must not be empty/],
  ],
});
