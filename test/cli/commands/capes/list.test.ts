import { capesList } from '../../../../src/cli/commands/capes.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('capes list', capesList, {
  taken: [
    [[], {}],
    [['--all'], { all: true }],
  ],
  refused: [[['x'], /too many arguments/]],
});
