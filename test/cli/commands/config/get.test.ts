import { configGet } from '../../../../src/cli/commands/config.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('config get', configGet, {
  taken: [[['slots'], 'slots']],
  refused: [
    [[], /missing required argument 'name'/],
    [['slots', '2'], /too many arguments/],
  ],
});
