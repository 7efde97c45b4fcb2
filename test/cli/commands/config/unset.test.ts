import { configUnset } from '../../../../src/cli/commands/config.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('config unset', configUnset.register, {
  taken: [[['slots'], 'slots']],
  refused: [[[], /missing required argument 'name'/]],
});
