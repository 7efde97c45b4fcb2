import { register } from '../../../../src/cli/commands/moderation/log.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('moderation log', register, {
  taken: [
    [[], {}],
    [['--limit', '7'], { limit: 7 }],
  ],
  refused: [[['--limit', 'x'], /whole number/]],
});
