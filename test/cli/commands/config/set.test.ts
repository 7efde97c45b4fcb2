import { configSet } from '../../../../src/cli/commands/config.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('config set', configSet, {
  taken: [
    [['slots', '2'], 'slots', '2'],
    [['user-agent', 'my bot'], 'user-agent', 'my bot'],
  ],
  refused: [
    [[], /missing required argument 'name'/],
    [['slots'], /missing required argument 'value'/],
    [['slots', '2', '3'], /too many arguments/],
  ],
});
