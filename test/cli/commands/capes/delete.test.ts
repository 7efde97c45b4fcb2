import { capesDelete } from '../../../../src/cli/commands/capes.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('capes delete', capesDelete, {
  taken: [
    [
      ['Red', 'Blue'],
      ['Red', 'Blue'],
    ],
  ],
  refused: [[[], /missing required argument 'cape'/]],
});
