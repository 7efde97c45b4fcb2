import { register } from '../../../../src/cli/commands/capes/create.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('capes create', register, {
  taken: [
    [['red.png'], 'red.png', {}],
    [['red.png', '--alias', 'Red', '--hidden'], 'red.png', { alias: 'Red', hidden: true }],
  ],
  refused: [
    [[], /missing required argument 'file'/],
    [['a.png', 'b.png'], /too many arguments/],
    [['a.png', '--alias'], /argument missing/],
  ],
});
