import { backup } from '../../../src/cli/commands/backup.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('backup', backup, {
  taken: [
    [['it.backup'], 'it.backup', {}],
    [['it.backup', '--data', '/d'], 'it.backup', { data: '/d' }],
  ],
  refused: [
    [[], /missing required argument 'file'/],
    [[''], /must not be empty/],
    [['a', 'b'], /too many arguments/],
    [['a', '--data', ''], /must not be empty/],
  ],
});
