import type { ParseTable } from './parsing.ts';

/** What generate and queue take and refuse alike. */
export const skinOptions = ['--name', 'A B', '--variant', 'slim', '--visibility', 'private', '--cape', 'Red'];

export const skinValues = { name: 'A B', variant: 'slim', visibility: 'private', cape: 'Red' };

export const badSkinOptions: ParseTable['refused'] = [
  [['a.png', '--variant', 'wide'], /--variant.*Allowed choices are auto, classic, slim/],
  [['a.png', '--visibility', 'secret'], /--visibility.*Allowed choices are public, unlisted, private/],
  [['a.png', '--format', 'xml'], /--format.*Unknown format xml. Formats: json, value, signature, property/],
  [['a.png', '--name'], /argument missing/],
  [['a.png', '--api-key', 'x'], /unknown option '--api-key'/],
  [['a.png', '--report', 'pdf=x'], /junit=FILE or html=FILE/],
  [['a.png', '--report', 'html='], /junit=FILE or html=FILE/],
  [['a.png', '--max-new', '-1'], /whole number, 0 or more/],
  [['a.png', '--retries', 'x'], /whole number, 0 or more/],
  [['a.png', '--as', 'folder'], /Allowed choices are file, url, user/],
];

export const batchOptions = [
  ...['-r', '--ignore', '*.bak.png', '--ignore', 'old', '--from', 'a.csv', '--from', '-', '--as', 'file'],
  ...['--out', 'o', '--lock', 'l', '--dry-run', '--force', '--prune', '--max-new', '3', '--retries', '0'],
  ...['--no-verify', '--report', 'html=a.html', '--report', 'junit=b=c.xml', '--slots', '2', '--frozen'],
];

export const batchValues = {
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
