import { register } from '../../../src/cli/commands/logout.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

const nothingAfter = { taken: [[[]]], refused: [[['x'], /too many arguments/]] } as const;

describeParsing('logout', register, nothingAfter);
