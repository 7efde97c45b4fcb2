import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

const ODD_TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  'null',
  'undefined',
  'true',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '..%2f..%2f',
  '%00',
  '\u0000',
  '\r\nX-Injected: 1',
  "' or 1=1 --",
  '"; drop table skins; --',
  '{{7*7}}',
  '<script>',
  '%s%n%d',
  '\u202e\u200b\ufeff',
  '\ud800',
  '🧱'.repeat(40),
  'ｆｕｌｌ',
  'é'.normalize('NFD'),
  '9'.repeat(400),
  'a'.repeat(5_000),
  'A'.repeat(64),
  `data:image/png;base64,${'A'.repeat(30_000)}`,
  'http://127.0.0.1/x.png',
  'http://[::1]:22/',
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
  'http://user:password@10.0.0.1/',
  'data:image/png;base64,',
  'data:text/html,x',
  'http://0x7f.1/',
  'Notch',
  '069a79f444e94726a5befca90e38aaf5',
];

export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
);

/** Whatever JSON can say, and numbers at the ends of what can be counted. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3, stringUnit: anyCharacter }),
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    -1,
    1.5,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    Number.MAX_VALUE,
    [],
    {},
    [[]],
    { $ne: null },
    { toString: 'x' },
    { length: -1 },
  ),
  anyText,
);

/** JSON as deeply nested as the longest body allows. */
function deep(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}

/** Texts of bodies that say they are JSON. */
export const brokenJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '{"a":',
    '[1,2',
    'nul',
    '{"a":1}{"b":2}',
    "{'a':1}",
    '{"a":1,}',
    '\ufeff{}',
    '"\\ud800"',
    '{"url":"x","url":"y"}',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '1e999',
    '-',
    'NaN',
    '\u0000',
    `{"url":"${'a'.repeat(70_000)}"}`,
    deep(5_000),
    `{"batch":${deep(2_000)}}`,
    `{"name":${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}}`,
  ),
  fc.json({ maxDepth: 3, stringUnit: anyCharacter }).map((text) => text.slice(0, -1)),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
);
