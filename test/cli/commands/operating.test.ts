import { register as backup } from '../../../src/cli/commands/backup.ts';
import { register as restore } from '../../../src/cli/commands/restore.ts';
import { register as serve } from '../../../src/cli/commands/serve.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('serve, for who operates it', serve, {
  taken: [
    [
      ['--trust-proxy', 'loopback'],
      { trustProxy: 'loopback', webhooks: true, anonymous: true, userAccounts: true },
    ],
    [
      ['--trust-proxy', '10.0.0.1, fd00::/8,192.168.0.0/16,uniquelocal'],
      {
        trustProxy: '10.0.0.1,fd00::/8,192.168.0.0/16,uniquelocal',
        webhooks: true,
        anonymous: true,
        userAccounts: true,
      },
    ],
    [['--max-connections', '1'], { maxConnections: 1, webhooks: true, anonymous: true, userAccounts: true }],
    [['--open-metrics'], { openMetrics: true, webhooks: true, anonymous: true, userAccounts: true }],
    [
      ['--log-addresses', 'none'],
      { logAddresses: 'none', webhooks: true, anonymous: true, userAccounts: true },
    ],
  ],
  refused: [
    [['--trust-proxy', ''], /loopback, or addresses and networks/],
    [['--trust-proxy', 'true'], /loopback, or addresses and networks/],
    [['--trust-proxy', '10.0.0.0/33'], /loopback, or addresses and networks/],
    [['--trust-proxy', '0.0.0.0/0'], /loopback, or addresses and networks/],
    [['--trust-proxy', 'loopback,proxy.example.org'], /loopback, or addresses and networks/],
    [['--max-connections', '0'], /whole number from 1 to 65535/],
    [['--log-addresses', 'half'], /Allowed choices are full, short, none/],
  ],
});

describeParsing('backup', backup, {
  taken: [
    [['it.backup'], { file: 'it.backup' }],
    [['it.backup', '--data', '/d'], { file: 'it.backup', data: '/d' }],
  ],
  refused: [
    [[], /missing required argument 'file'/],
    [[''], /must not be empty/],
    [['a', 'b'], /too many arguments/],
    [['a', '--data', ''], /must not be empty/],
  ],
});

describeParsing('restore', restore, {
  taken: [
    [['it.backup'], { file: 'it.backup' }],
    [['it.backup', '--data', '/d', '--force'], { file: 'it.backup', data: '/d', force: true }],
  ],
  refused: [
    [[], /missing required argument 'file'/],
    [['a', '--data', ''], /must not be empty/],
  ],
});
