import { keysList } from '../../../../src/cli/commands/keys.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('keys list', keysList, {
  taken: [
    [[], {}],
    [['--user', 'zoe'], { user: 'zoe' }],
  ],
  refused: [[['x'], /too many arguments/]],
});
