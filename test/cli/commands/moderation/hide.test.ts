import { moderationHide } from '../../../../src/cli/commands/moderation.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('moderation hide', moderationHide.register, {
  taken: [
    [['a'], ['a'], { hidden: true }],
    [['a', 'b', '--note', 'why'], ['a', 'b'], { note: 'why', hidden: true }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});
