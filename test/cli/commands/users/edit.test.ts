import { usersEdit } from '../../../../src/cli/commands/users.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('users edit', usersEdit, {
  taken: [[['zoe', '--plan', 'pro'], 'zoe', { plan: 'pro' }]],
  refused: [[['zoe'], /required option '--plan <plan>' not specified/]],
});
