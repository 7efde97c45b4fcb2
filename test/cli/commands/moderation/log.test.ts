import { moderationLog } from '../../../../src/cli/commands/moderation.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('moderation log', moderationLog, {
  taken: [
    [[], {}],
    [['--limit', '7'], { limit: 7 }],
    [['--all'], { all: true }],
  ],
  refused: [
    [['--limit', 'x'], /whole number/],
    [['--all', '--limit', '7'], /cannot be used with/],
  ],
});
