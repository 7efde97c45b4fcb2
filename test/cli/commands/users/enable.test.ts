import { usersEnable } from '../../../../src/cli/commands/users.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

const oneName = [
  [[], /missing required argument 'name'/],
  [['a', 'b'], /too many arguments/],
] as const;

describeParsing('users enable', usersEnable, {
  taken: [[['zoe'], 'zoe']],
  refused: oneName,
});
