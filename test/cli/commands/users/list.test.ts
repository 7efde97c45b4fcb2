import { usersList } from '../../../../src/cli/commands/users.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('users list', usersList, {
  taken: [
    [[], {}],
    [['--limit', '5'], { limit: 5 }],
    [['--all'], { all: true }],
  ],
  refused: [
    [['--limit', '0'], /whole number, 1 or more/],
    [['x'], /too many arguments/],
  ],
});
