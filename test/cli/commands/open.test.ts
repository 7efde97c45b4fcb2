import { register } from '../../../src/cli/commands/open.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('open', register, {
  taken: [
    [[], { browser: true }],
    [['--no-browser', '--data', '/d'], { browser: false, data: '/d' }],
  ],
  refused: [
    [['a'], /too many arguments/],
    [['--data', ''], /must not be empty/],
  ],
});
