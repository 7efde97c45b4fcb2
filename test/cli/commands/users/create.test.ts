import { usersCreate } from '../../../../src/cli/commands/users.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('users create', usersCreate, {
  taken: [
    [['zoe'], 'zoe', {}],
    [['zoe', '--plan', 'pro'], 'zoe', { plan: 'pro' }],
  ],
  refused: [
    [[], /missing required argument 'name'/],
    [['a', 'b'], /too many arguments/],
  ],
});
