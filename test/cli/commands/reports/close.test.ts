import { reportsClose } from '../../../../src/cli/commands/reports.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('reports close', reportsClose, {
  taken: [
    [['1'], ['1'], {}],
    [['1', '2', '--note', 'fine'], ['1', '2'], { note: 'fine' }],
  ],
  refused: [
    [[], /missing required argument 'report'/],
    [[''], /must not be empty/],
  ],
});
