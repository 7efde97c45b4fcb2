import {
  usersCreate,
  usersDisable,
  usersEdit,
  usersEnable,
  usersGet,
  usersInvite,
  usersList,
  usersUninvite,
} from '../../../src/cli/commands/users.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('users create', usersCreate, {
  taken: [
    [['zoe'], 'zoe', {}],
    [['zoe', '--plan', 'pro'], 'zoe', { plan: 'pro' }],
  ],
  refused: [
    [[], /missing required argument 'name'/],
    [['a', 'b'], /too many arguments/],
  ],
});

const oneName = [
  [[], /missing required argument 'name'/],
  [['a', 'b'], /too many arguments/],
] as const;

describeParsing('users disable', usersDisable, {
  taken: [[['zoe'], 'zoe']],
  refused: oneName,
});

describeParsing('users edit', usersEdit, {
  taken: [[['zoe', '--plan', 'pro'], 'zoe', { plan: 'pro' }]],
  refused: [[['zoe'], /required option '--plan <plan>' not specified/]],
});

describeParsing('users enable', usersEnable, {
  taken: [[['zoe'], 'zoe']],
  refused: oneName,
});

describeParsing('users get', usersGet, { taken: [[['zoe'], 'zoe']], refused: oneName });

describeParsing('users invite', usersInvite, { taken: [[['zoe'], 'zoe']], refused: oneName });

describeParsing('users uninvite', usersUninvite, {
  taken: [
    [
      ['zoe', 'ann'],
      ['zoe', 'ann'],
    ],
  ],
  refused: [[[], /missing required argument 'name'/]],
});

describeParsing('users list', usersList, {
  taken: [
    [[], {}],
    [['--limit', '5'], { limit: 5 }],
    [['--all'], { all: true }],
  ],
  refused: [
    [['--limit', '0'], /whole number, 1 or more/],
    [['x'], /too many arguments/],
  ],
});
