import { register as configGet } from '../../../src/cli/commands/config/get.ts';
import { register as configList } from '../../../src/cli/commands/config/list.ts';
import { register as configPath } from '../../../src/cli/commands/config/path.ts';
import { register as configSet } from '../../../src/cli/commands/config/set.ts';
import { register as configUnset } from '../../../src/cli/commands/config/unset.ts';
import { register as keysCreate } from '../../../src/cli/commands/keys/create.ts';
import { register as keysList } from '../../../src/cli/commands/keys/list.ts';
import { register as keysRevoke } from '../../../src/cli/commands/keys/revoke.ts';
import { register as login } from '../../../src/cli/commands/login.ts';
import { register as logout } from '../../../src/cli/commands/logout.ts';
import { register as whoami } from '../../../src/cli/commands/whoami.ts';
import { describeParsing } from './parsing.ts';

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

describeParsing('keys create', keysCreate, {
  taken: [
    [[], {}],
    [['my key'], { name: 'my key' }],
    [['ci', '--user', 'zoe'], { name: 'ci', user: 'zoe' }],
  ],
  refused: [
    [['a', 'b'], /too many arguments/],
    [['--user'], /argument missing/],
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
