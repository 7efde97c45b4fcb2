import { register } from '../../../../src/cli/commands/capes/delete.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('capes delete', register, {
  taken: [
    [
      ['Red', 'Blue'],
      ['Red', 'Blue'],
    ],
  ],
  refused: [[[], /missing required argument 'cape'/]],
});
