import { register as check } from '../../../src/cli/commands/check.ts';
import { register as generate } from '../../../src/cli/commands/generate.ts';
import { register as jobs } from '../../../src/cli/commands/jobs.ts';
import { register as queue } from '../../../src/cli/commands/queue.ts';
import { register as serve } from '../../../src/cli/commands/serve.ts';
import { register as skinsDelete } from '../../../src/cli/commands/skins/delete.ts';
import { register as skinsDownload } from '../../../src/cli/commands/skins/download.ts';
import { register as skinsEdit } from '../../../src/cli/commands/skins/edit.ts';
import { register as skinsGet } from '../../../src/cli/commands/skins/get.ts';
import { register as skinsList } from '../../../src/cli/commands/skins/list.ts';
import { register as status } from '../../../src/cli/commands/status.ts';
import { register as verify } from '../../../src/cli/commands/verify.ts';
import { describeParsing, type ParseTable } from '../../support/cli/parsing.ts';

const skinOptions = ['--name', 'A B', '--variant', 'slim', '--visibility', 'private', '--cape', 'Red'];
const skinValues = { name: 'A B', variant: 'slim', visibility: 'private', cape: 'Red' };
const badSkinOptions: ParseTable['refused'] = [
  [['a.png', '--variant', 'wide'], /--variant.*Allowed choices are auto, classic, slim/],
  [['a.png', '--visibility', 'secret'], /--visibility.*Allowed choices are public, unlisted, private/],
  [
    ['a.png', '--format', 'xml'],
    /--format.*There is no format xml. Allowed are json, value, signature, property/,
  ],
  [['a.png', '--name'], /argument missing/],
  [['a.png', '--api-key', 'x'], /unknown option '--api-key'/],
  [['a.png', '--report', 'pdf=x'], /junit=FILE or html=FILE/],
  [['a.png', '--report', 'html='], /junit=FILE or html=FILE/],
  [['a.png', '--max-new', '-1'], /whole number from 0/],
  [['a.png', '--retries', 'x'], /whole number from 0/],
  [['a.png', '--as', 'folder'], /Allowed choices are file, url, user/],
];

const batchOptions = [
  ...['-r', '--ignore', '*.bak.png', '--ignore', 'old', '--from', 'a.csv', '--from', '-', '--as', 'file'],
  ...['--out', 'o', '--lock', 'l', '--dry-run', '--force', '--prune', '--max-new', '3', '--retries', '0'],
  ...['--no-verify', '--report', 'html=a.html', '--report', 'junit=b=c.xml', '--slots', '2', '--frozen'],
];
const batchValues = {
  recursive: true,
  ignore: ['*.bak.png', 'old'],
  from: ['a.csv', '-'],
  as: 'file',
  out: 'o',
  lock: 'l',
  dryRun: true,
  force: true,
  prune: true,
  maxNew: 3,
  retries: 0,
  verify: false,
  report: [
    { kind: 'html', path: 'a.html' },
    { kind: 'junit', path: 'b=c.xml' },
  ],
  slots: '2',
  frozen: true,
};

describeParsing('generate', generate, {
  taken: [
    [['a.png'], { sources: ['a.png'], verify: true }],
    [['a.png', '-', 'folder'], { sources: ['a.png', '-', 'folder'], verify: true }],
    [
      ['a.png', ...skinOptions, '--format', 'value,give-1.16', '--ndjson'],
      { sources: ['a.png'], ...skinValues, format: 'value,give-1.16', ndjson: true, verify: true },
    ],
    [['--variant', 'auto', '--', '--odd.png'], { sources: ['--odd.png'], variant: 'auto', verify: true }],
    [['a', ...batchOptions], { sources: ['a'], ...batchValues }],
    [['--from', 'list'], { sources: [], from: ['list'], verify: true }],
  ],
  refused: badSkinOptions,
});

describeParsing('queue', queue, {
  taken: [
    [['a.png'], { sources: ['a.png'], verify: true }],
    [
      ['a', 'b', ...skinOptions, '--format', 'property', '--ndjson', '--wait', '--slots', '3'],
      {
        sources: ['a', 'b'],
        ...skinValues,
        format: 'property',
        ndjson: true,
        wait: true,
        slots: '3',
        verify: true,
      },
    ],
    [['a', ...batchOptions, '--wait'], { sources: ['a'], ...batchValues, wait: true }],
  ],
  refused: [...badSkinOptions, [['a.png', '--slots'], /argument missing/]],
});

describeParsing('status', status, {
  taken: [
    [['1'], { jobs: ['1'] }],
    [['1', '2', '--wait', '--format', 'json'], { jobs: ['1', '2'], wait: true, format: 'json' }],
  ],
  refused: [
    [[], /missing required argument 'job'/],
    [['1', '--format', 'xml'], /There is no format xml/],
    [['1', '--ndjson'], /unknown option/],
  ],
});

describeParsing('jobs', jobs, {
  taken: [
    [[], {}],
    [['--status', 'unknown', '--limit', '5'], { status: 'unknown', limit: 5 }],
    [['--watch', '--status', 'failed'], { watch: true, status: 'failed' }],
  ],
  refused: [
    [['--watch', '--limit', '5'], /'--watch' cannot be used with option '--limit/],
    [['--status', 'active'], /Allowed choices are waiting, processing, completed, failed, unknown/],
    [['--limit', '0'], /whole number from 1/],
    [['--limit', '-1'], /whole number from 1/],
    [['--limit', '1.5'], /whole number from 1/],
    [['--limit', 'all'], /whole number from 1/],
    [['--limit', ''], /whole number from 1/],
    [['one'], /too many arguments/],
  ],
});

describeParsing('skins list', skinsList, {
  taken: [
    [[], {}],
    [['--public', '--filter', 'my skin', '--limit', '200'], { public: true, filter: 'my skin', limit: 200 }],
  ],
  refused: [
    [['--limit', '0'], /whole number from 1/],
    [['x'], /too many arguments/],
  ],
});

describeParsing('skins get', skinsGet, {
  taken: [
    [['a'], { uuids: ['a'] }],
    [['a', 'b', '--format', 'signature'], { uuids: ['a', 'b'], format: 'signature' }],
  ],
  refused: [
    [[], /missing required argument 'uuid'/],
    [['a', '--format', 'xml'], /There is no format xml/],
  ],
});

describeParsing('skins download', skinsDownload, {
  taken: [
    [['a'], { uuids: ['a'] }],
    [['a', 'b', '--out', 'there'], { uuids: ['a', 'b'], out: 'there' }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});

describeParsing('skins edit', skinsEdit, {
  taken: [
    [['a', '--name', 'x'], { uuid: 'a', name: 'x' }],
    [['a', '--name', '', '--visibility', 'private'], { uuid: 'a', name: '', visibility: 'private' }],
  ],
  refused: [
    [['--name', 'x'], /missing required argument 'uuid'/],
    [['a', '--visibility', 'secret'], /Allowed choices are public, unlisted, private/],
    [['a', 'b', '--name', 'x'], /too many arguments/],
  ],
});

describeParsing('skins delete', skinsDelete, {
  taken: [
    [['a', 'b'], { uuids: ['a', 'b'] }],
    [['a', '--yes'], { uuids: ['a'], yes: true }],
    [['a', '-y'], { uuids: ['a'], yes: true }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});

describeParsing('check', check, {
  taken: [
    [['a.png'], { paths: ['a.png'] }],
    [['a.png', '-', 'folder'], { paths: ['a.png', '-', 'folder'] }],
    [['a', '-r', '--ignore', 'b'], { paths: ['a'], recursive: true, ignore: ['b'] }],
  ],
  refused: [[[], /missing required argument 'path'/]],
});

describeParsing('verify', verify, {
  taken: [
    [['skins.lock'], { files: ['skins.lock'] }],
    [['a', 'b', '--key', 'k.pem', '--offline'], { files: ['a', 'b'], key: 'k.pem', offline: true }],
  ],
  refused: [[[], /missing required argument 'file'/]],
});

/** What is there without a word. */
const serving = { webhooks: true, anonymous: true, userAccounts: true };

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
    [['--port', '65535'], { ...serving, port: 65_535 }],
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
    [['--retention', '0'], /whole number from 1 to 100000/],
    [['--pace', '1.5'], /whole number from 0 to 600000/],
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
