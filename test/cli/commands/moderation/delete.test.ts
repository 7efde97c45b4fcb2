import { register } from '../../../../src/cli/commands/moderation/delete.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('moderation delete', register, {
  taken: [
    [['a', 'b'], ['a', 'b'], {}],
    [['a', '--note', 'why'], ['a'], { note: 'why' }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});
