import { reportsList } from '../../../../src/cli/commands/reports.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('reports list', reportsList, {
  taken: [
    [[], {}],
    [['--state', 'closed', '--limit', '7'], { state: 'closed', limit: 7 }],
  ],
  refused: [[['--state', 'old'], /Allowed choices are open, closed/]],
});
