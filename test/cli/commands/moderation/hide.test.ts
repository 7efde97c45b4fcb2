import { moderationHide } from '../../../../src/cli/commands/moderation.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('moderation hide', moderationHide, {
  taken: [
    [['a'], ['a'], {}],
    [['a', 'b', '--note', 'why'], ['a', 'b'], { note: 'why' }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});
