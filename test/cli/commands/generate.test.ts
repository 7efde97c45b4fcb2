import { register } from '../../../src/cli/commands/generate.ts';
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

describeParsing('generate', register, {
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
