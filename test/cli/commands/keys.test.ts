import { keysEdit, keysList, keysRevoke } from '../../../src/cli/commands/keys.ts';
import { bindings, bound } from '../../support/cli/key-bindings.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

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
  refused: [
    [[], /missing required argument 'id'/],
    [[''], /must not be empty/],
  ],
});
