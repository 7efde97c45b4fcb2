import { keysRevoke } from '../../../../src/cli/commands/keys.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('keys revoke', keysRevoke, {
  taken: [
    [
      ['1', '2'],
      ['1', '2'],
    ],
  ],
  refused: [
    [[], /missing required argument 'id'/],
    [[''], /must not be empty/],
  ],
});
