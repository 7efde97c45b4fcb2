import { skinsGet } from '../../../../src/cli/commands/skins.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('skins get', skinsGet, {
  taken: [
    [['a'], ['a'], {}],
    [['a', 'b', '--format', 'signature'], ['a', 'b'], { format: 'signature' }],
  ],
  refused: [
    [[], /missing required argument 'uuid'/],
    [['a', '--format', 'xml'], /Unknown format xml/],
  ],
});
