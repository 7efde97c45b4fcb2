import { logout } from '../../../../src/cli/commands/login.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

const nothingAfter = { taken: [[[]]], refused: [[['x'], /too many arguments/]] } as const;

describeParsing('logout', logout, nothingAfter);
