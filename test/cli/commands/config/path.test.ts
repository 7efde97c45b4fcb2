import { configPath } from '../../../../src/cli/commands/config.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

const nothingAfter = { taken: [[[]]], refused: [[['x'], /too many arguments/]] } as const;

describeParsing('config path', configPath, nothingAfter);
