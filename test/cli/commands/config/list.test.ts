import { register } from '../../../../src/cli/commands/config/list.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

const nothingAfter = { taken: [[[]]], refused: [[['x'], /too many arguments/]] } as const;

describeParsing('config list', register, nothingAfter);
