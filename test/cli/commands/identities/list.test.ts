import { identitiesList } from '../../../../src/cli/commands/identities.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('identities list', identitiesList, {
  taken: [
    [[], {}],
    [['--user', 'zoe'], { user: 'zoe' }],
  ],
  refused: [[['x'], /too many arguments/]],
});
