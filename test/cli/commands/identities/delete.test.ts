import { identitiesDelete } from '../../../../src/cli/commands/identities.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('identities delete', identitiesDelete.register, {
  taken: [
    [['a', 'b'], { ids: ['a', 'b'] }],
    [['a', '--user', 'zoe', '--last'], { ids: ['a'], user: 'zoe', last: true }],
  ],
  refused: [[[], /missing required argument 'id'/]],
});
