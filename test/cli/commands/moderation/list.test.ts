import { register } from '../../../../src/cli/commands/moderation/list.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('moderation list', register, {
  taken: [
    [[], {}],
    [['--limit', '7'], { limit: 7 }],
  ],
  refused: [[['--limit', 'x'], /whole number/]],
});
