import { reportsClose, reportsCreate, reportsList } from '../../../src/cli/commands/reports.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

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

describeParsing('reports create', reportsCreate, {
  taken: [
    [['a', '--reason', 'other'], 'a', { reason: 'other' }],
    [['a', '--reason', 'copyright', '--text', 'mine'], 'a', { reason: 'copyright', text: 'mine' }],
    [['a', '--set', '--reason', 'other'], 'a', { set: true, reason: 'other' }],
  ],
  refused: [
    [['a'], /required option '--reason <reason>' not specified/],
    [['a', '--reason', 'dull'], /Allowed choices are offensive, copyright, personal, other/],
    [['--reason', 'other'], /missing required argument 'uuid'/],
  ],
});

describeParsing('reports list', reportsList, {
  taken: [
    [[], {}],
    [['--status', 'closed', '--limit', '7'], { status: 'closed', limit: 7 }],
  ],
  refused: [[['--status', 'old'], /Allowed choices are open, closed/]],
});
