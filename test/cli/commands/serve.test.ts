import { serve } from '../../../src/cli/commands/serve.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

/** What is there without a word. */
const serving = { webhooks: true, anonymous: true, userAccounts: true, pages: true, ownerKey: true };

describeParsing('serve', serve, {
  taken: [
    [[], serving],
    [
      ['--port', '0', '--host', '::1', '--data', '/d', '--workers', '0', '--retention', '1', '--pace', '20'],
      { ...serving, port: 0, host: '::1', data: '/d', workers: 0, retention: 1, pace: 20 },
    ],
    [
      ['--public-url', 'https://skins.example.org/x//', '--log-level', 'silent'],
      { ...serving, publicUrl: 'https://skins.example.org/x', logLevel: 'silent' },
    ],
    [
      ['--retention', '7d', '--pace', '1m30s', '--account-delay', '1m'],
      { ...serving, retention: 168, pace: 90_000, accountDelay: 60 },
    ],
    [['--port', '65535'], { ...serving, port: 65_535 }],
    [['--no-owner-key'], { ...serving, ownerKey: false }],
    [['--plans', 'plans.json'], { ...serving, plans: 'plans.json' }],
    [
      [
        '--allow-network',
        '10.0.0.0/8',
        '--allow-network',
        'fd00::/8',
        '--allow-network',
        '::1',
        '--no-webhooks',
      ],
      {
        allowNetwork: ['10.0.0.0/8', 'fd00::/8', '::1'],
        webhooks: false,
        anonymous: true,
        userAccounts: true,
        pages: true,
        ownerKey: true,
      },
    ],
  ],
  refused: [
    [['--port', '65536'], /whole number from 0 to 65535/],
    [['--port', '-1'], /whole number from 0 to 65535/],
    [['--port', 'http'], /whole number/],
    [['--port', ''], /whole number/],
    [['--port', '1e3'], /whole number/],
    [['--workers', '65'], /whole number from 0 to 64/],
    [['--retention', '0'], /a time like 7d, from 1h to 100000h/],
    [['--retention', '90m'], /a time like 7d/],
    [['--pace', '1.5'], /a time like 2s, from 0ms to 600000ms/],
    [['--account-delay', '2h'], /a time like 15s, from 1s to 3600s/],
    [['--public-url', 'skins.example.org'], /address like https:/],
    [['--public-url', 'ftp://skins.example.org'], /address like https:/],
    [['--plans', ''], /must not be empty/],
    [['--allow-network', ''], /network like 10\.0\.0\.0\/8/],
    [['--allow-network', 'localhost'], /network like 10\.0\.0\.0\/8/],
    [['--allow-network', '10.0.0.0/33'], /network like 10\.0\.0\.0\/8/],
    [['--allow-network', 'fd00::/8/8'], /network like 10\.0\.0\.0\/8/],
    [['--allow-network', 'fe80::%1/64'], /network like 10\.0\.0\.0\/8/],
    [['--log-level', 'loud'], /Allowed choices are silent, error, warn, info, debug/],
    [['now'], /too many arguments/],
  ],
});

describeParsing('serve, for who operates it', serve, {
  taken: [
    [['--trust-proxy', 'loopback'], { ...serving, trustProxy: 'loopback' }],
    [
      ['--trust-proxy', '10.0.0.1, fd00::/8,192.168.0.0/16,uniquelocal'],
      {
        trustProxy: '10.0.0.1,fd00::/8,192.168.0.0/16,uniquelocal',
        webhooks: true,
        anonymous: true,
        userAccounts: true,
        pages: true,
        ownerKey: true,
      },
    ],
    [['--max-connections', '1'], { ...serving, maxConnections: 1 }],
    [['--open-metrics'], { ...serving, openMetrics: true }],
    [['--log-addresses', 'none'], { ...serving, logAddresses: 'none' }],
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
