import { identitiesDelete, identitiesList } from '../../../src/cli/commands/identities.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('identities delete', identitiesDelete, {
  taken: [
    [['a', 'b'], ['a', 'b'], {}],
    [['a', '--user', 'zoe', '--last'], ['a'], { user: 'zoe', last: true }],
  ],
  refused: [[[], /missing required argument 'id'/]],
});

describeParsing('identities list', identitiesList, {
  taken: [
    [[], {}],
    [['--user', 'zoe'], { user: 'zoe' }],
  ],
  refused: [[['x'], /too many arguments/]],
});
