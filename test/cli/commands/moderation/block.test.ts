import { moderationBlock } from '../../../../src/cli/commands/moderation.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('moderation block', moderationBlock, {
  taken: [
    [['a', 'b'], ['a', 'b'], {}],
    [['a', '--note', 'why'], ['a'], { note: 'why' }],
  ],
  refused: [[[], /missing required argument 'image'/]],
});
