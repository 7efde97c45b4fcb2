import { storeCopy } from '../../../../src/cli/commands/backup.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('store copy', storeCopy, {
  taken: [
    [['data', 'postgres://skins@db/skins'], 'data', 'postgres://skins@db/skins'],
    [['postgres://skins@db/skins', 'data'], 'postgres://skins@db/skins', 'data'],
  ],
  refused: [
    [[], /missing required argument 'from'/],
    [['data'], /missing required argument 'to'/],
    [['', 'data'], /must not be empty/],
    [['a', 'b', 'c'], /too many arguments/],
  ],
});
