import { register } from '../../../src/cli/commands/restore.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('restore', register, {
  taken: [
    [['it.backup'], { file: 'it.backup' }],
    [['it.backup', '--data', '/d', '--force'], { file: 'it.backup', data: '/d', force: true }],
  ],
  refused: [
    [[], /missing required argument 'file'/],
    [['a', '--data', ''], /must not be empty/],
  ],
});
