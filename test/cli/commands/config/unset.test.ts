import { configUnset } from '../../../../src/cli/commands/config.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('config unset', configUnset, {
  taken: [[['slots'], 'slots']],
  refused: [[[], /missing required argument 'name'/]],
});
