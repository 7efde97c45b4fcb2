import { reportsCreate } from '../../../../src/cli/commands/reports.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

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
