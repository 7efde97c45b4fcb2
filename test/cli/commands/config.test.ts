import { configGet, configPath, configSet, configUnset } from '../../../src/cli/commands/config.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('config get', configGet, {
  taken: [[['slots'], 'slots']],
  refused: [
    [[], /missing required argument 'name'/],
    [['slots', '2'], /too many arguments/],
  ],
});

const nothingAfter = { taken: [[[]]], refused: [[['x'], /too many arguments/]] } as const;

describeParsing('config path', configPath, nothingAfter);

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

describeParsing('config unset', configUnset, {
  taken: [[['slots'], 'slots']],
  refused: [[[], /missing required argument 'name'/]],
});
