import { usersCreate } from '../../../../src/cli/commands/users.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('users create', usersCreate.register, {
  taken: [
    [['zoe'], { name: 'zoe' }],
    [['zoe', '--plan', 'pro'], { name: 'zoe', plan: 'pro' }],
  ],
  refused: [
    [[], /missing required argument 'name'/],
    [['a', 'b'], /too many arguments/],
  ],
});
