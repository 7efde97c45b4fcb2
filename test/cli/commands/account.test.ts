import { register as configGet } from '../../../src/cli/commands/config/get.ts';
import { register as configList } from '../../../src/cli/commands/config/list.ts';
import { register as configPath } from '../../../src/cli/commands/config/path.ts';
import { register as configSet } from '../../../src/cli/commands/config/set.ts';
import { register as configUnset } from '../../../src/cli/commands/config/unset.ts';
import { register as keysCreate } from '../../../src/cli/commands/keys/create.ts';
import { register as keysEdit } from '../../../src/cli/commands/keys/edit.ts';
import { register as keysList } from '../../../src/cli/commands/keys/list.ts';
import { register as keysRevoke } from '../../../src/cli/commands/keys/revoke.ts';
import { register as login } from '../../../src/cli/commands/login.ts';
import { register as logout } from '../../../src/cli/commands/logout.ts';
import { register as usersCreate } from '../../../src/cli/commands/users/create.ts';
import { register as usersDisable } from '../../../src/cli/commands/users/disable.ts';
import { register as usersEdit } from '../../../src/cli/commands/users/edit.ts';
import { register as usersEnable } from '../../../src/cli/commands/users/enable.ts';
import { register as usersGet } from '../../../src/cli/commands/users/get.ts';
import { register as usersList } from '../../../src/cli/commands/users/list.ts';
import { register as whoami } from '../../../src/cli/commands/whoami.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

const nothingAfter = { taken: [[[]]], refused: [[['x'], /too many arguments/]] } as const;

describeParsing('config list', configList, nothingAfter);
describeParsing('config path', configPath, nothingAfter);
describeParsing('logout', logout, nothingAfter);
describeParsing('whoami', whoami, nothingAfter);

describeParsing('config get', configGet, {
  taken: [[['slots'], 'slots']],
  refused: [
    [[], /missing required argument 'name'/],
    [['slots', '2'], /too many arguments/],
  ],
});

describeParsing('config set', configSet, {
  taken: [
    [['slots', '2'], 'slots', '2'],
    [['user-agent', 'my bot'], 'user-agent', 'my bot'],
  ],
  refused: [
    [[], /missing required argument 'name'/],
    [['slots'], /missing required argument 'value'/],
    [['slots', '2', '3'], /too many arguments/],
  ],
});

describeParsing('config unset', configUnset, {
  taken: [[['slots'], 'slots']],
  refused: [[[], /missing required argument 'name'/]],
});

describeParsing('login', login, {
  taken: [
    [[], {}],
    [['-'], { from: '-' }],
    [['--key-file', 'key.txt'], { keyFile: 'key.txt' }],
    [['-', '--key-file', 'key.txt'], { from: '-', keyFile: 'key.txt' }],
  ],
  refused: [
    [['--key-file'], /argument missing/],
    [['--key', 'x'], /unknown option/],
    [['-', '-'], /too many arguments/],
  ],
});

const bindings = [
  ...['--allow-ip', '::1', '--allow-ip', '10.0.0.0/8', '--allow-origin', 'https://a.example'],
  ...['--allow-agent', 'MyApp', '--v2-compat'],
];
const bound = {
  allowIp: ['::1', '10.0.0.0/8'],
  allowOrigin: ['https://a.example'],
  allowAgent: ['MyApp'],
  v2Compat: true,
};

describeParsing('keys create', keysCreate, {
  taken: [
    [[], {}],
    [['my key'], { called: 'my key' }],
    [['--name', 'my key'], { name: 'my key' }],
    [['ci', '--user', 'zoe'], { called: 'ci', user: 'zoe' }],
    [bindings, bound],
    [['--no-v2-compat'], { v2Compat: false }],
  ],
  refused: [
    [['a', 'b'], /too many arguments/],
    [['--user'], /argument missing/],
    [['--allow-ip'], /argument missing/],
    [['--any-ip'], /unknown option/],
  ],
});

describeParsing('keys edit', keysEdit, {
  taken: [
    [['k'], 'k', {}],
    [['k', ...bindings, '--name', 'x'], 'k', { ...bound, name: 'x' }],
    [
      ['k', '--any-ip', '--any-origin', '--any-agent', '--no-v2-compat'],
      'k',
      { anyIp: true, anyOrigin: true, anyAgent: true, v2Compat: false },
    ],
  ],
  refused: [
    [[], /missing required argument 'id'/],
    [['k', 'l'], /too many arguments/],
    [['k', '--any-ip', '--allow-ip', '::1'], /cannot be used with/],
    [['k', '--any-origin', '--allow-origin', 'https://a.example'], /cannot be used with/],
    [['k', '--any-agent', '--allow-agent', 'MyApp'], /cannot be used with/],
  ],
});

describeParsing('keys list', keysList, {
  taken: [
    [[], {}],
    [['--user', 'zoe'], { user: 'zoe' }],
  ],
  refused: [[['x'], /too many arguments/]],
});

describeParsing('keys revoke', keysRevoke, {
  taken: [
    [
      ['1', '2'],
      ['1', '2'],
    ],
  ],
  refused: [[[], /missing required argument 'id'/]],
});

describeParsing('users create', usersCreate, {
  taken: [
    [['zoe'], { name: 'zoe' }],
    [['zoe', '--plan', 'pro'], { name: 'zoe', plan: 'pro' }],
  ],
  refused: [
    [[], /missing required argument 'name'/],
    [['a', 'b'], /too many arguments/],
  ],
});

describeParsing('users list', usersList, {
  taken: [
    [[], {}],
    [['--limit', '5'], { limit: 5 }],
  ],
  refused: [
    [['--limit', '0'], /whole number from 1/],
    [['x'], /too many arguments/],
  ],
});

const oneName = [
  [[], /missing required argument 'name'/],
  [['a', 'b'], /too many arguments/],
] as const;

describeParsing('users get', usersGet, { taken: [[['zoe'], 'zoe']], refused: oneName });
describeParsing('users disable', usersDisable, {
  taken: [[['zoe'], 'zoe', { disabled: true }]],
  refused: oneName,
});
describeParsing('users enable', usersEnable, {
  taken: [[['zoe'], 'zoe', { disabled: false }]],
  refused: oneName,
});
describeParsing('users edit', usersEdit, {
  taken: [[['zoe', '--plan', 'pro'], 'zoe', { plan: 'pro' }]],
  refused: [[['zoe'], /required option '--plan <plan>' not specified/]],
});
