import { playersImport, playersRelease, wear } from '../../../src/cli/commands/players.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

const UUID = '0123456789abcdef0123456789abcdef';

describeParsing('wear', wear, {
  taken: [
    [[UUID, '--as', 'Steve'], UUID, { as: 'Steve' }],
    [
      ['--as', 'Steve', '--for', 'bob', '--cape', 'none'],
      undefined,
      { as: 'Steve', for: 'bob', cape: 'none' },
    ],
  ],
  refused: [
    [[UUID], /required option '--as <name>' not specified/],
    [[UUID, 'more', '--as', 'Steve'], /too many arguments/],
  ],
});

describeParsing('players import', playersImport, {
  taken: [[['names.csv'], 'names.csv']],
  refused: [[[], /missing required argument 'file'/]],
});

describeParsing('players release', playersRelease, {
  taken: [[['Steve', '--yes'], 'Steve', { yes: true }]],
  refused: [[[], /missing required argument 'name'/]],
});
