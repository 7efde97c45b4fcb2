import { moderationShow } from '../../../../src/cli/commands/moderation.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('moderation show', moderationShow.register, {
  taken: [
    [['a'], ['a'], { hidden: false }],
    [['a', 'b', '--note', 'why'], ['a', 'b'], { note: 'why', hidden: false }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});
