import { describe, expect, test } from 'vitest';
import { colorsFor } from '../../../src/cli/terminal/io.ts';
import {
  ago,
  alignedRows,
  clean,
  cleanLines,
  hanging,
  jsonDocument,
  jsonLine,
  oneLine,
  tabRows,
} from '../../../src/cli/text/text.ts';
import { testIo } from '../../support/cli/test-io.ts';

const code = (point: number) => String.fromCodePoint(point);

describe('clean', () => {
  const rows: [what: string, text: string, shown: string][] = [
    ['ordinary text', 'Zoë 皮肤 🙂 ~', 'Zoë 皮肤 🙂 ~'],
    ['line breaks and tabs', 'a\tb\nc\rd', 'a b c d'],
    ['a colour', '\u001b[31mred\u001b[0m', 'red'],
    ['a window title', '\u001b]0;title\u0007', ''],
    ['the one-character CSI', `${code(0x9b)}2J`, ''],
    ['a backspace, a bell, a null', 'a\b\u0007\u0000b', 'ab'],
    ['DEL', `a${code(0x7f)}b`, 'ab'],
    ['marks that turn the direction', `a${code(0x202e)}gnp.exe${code(0x2066)}b${code(0x200f)}`, 'agnp.exeb'],
  ];
  test.each(rows)('makes %s harmless', (_, text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  test('removes only the escapes from a long text, in linear time', () => {
    const colours = '\u001b[31mred';
    expect(clean(colours.repeat(400))).toBe('red'.repeat(400));
    expect(clean(colours.repeat(1_000))).toBe('[31mred'.repeat(1_000));
    const endless = '\u001b]a';
    expect(clean(endless.repeat(500_000))).toBe(']a'.repeat(500_000));
  });

  test('lets no control character through', () => {
    const all = Array.from({ length: 0xa0 }, (_, point) => code(point)).join('');
    expect(clean(all)).toMatch(/^[ -~]+$/);
  });
});

test('Each of several lines is made harmless and stays a line', () => {
  expect(cleanLines('Error: \u001b[2Ja\n    at b')).toBe('Error: a\n    at b');
});

test('JSON contains no command for GitHub Actions, and keeps its meaning', () => {
  const value = { name: '##[add-mask]x', other: 'a # b' };
  for (const json of [jsonLine(value), jsonDocument(value)]) {
    expect(json).not.toContain('##[');
    expect(JSON.parse(json)).toEqual(value);
  }
});

describe('tabRows', () => {
  test('writes a line for each row, with empty cells for absent values', () => {
    const rows = [
      ['a', undefined, 'c'],
      ['d', 'e', ''],
    ];
    expect(tabRows(rows)).toBe('a\t\tc\nd\te\t\n');
  });

  test('lets no cell break its row', () => {
    expect(tabRows([['a\tb', 'c\nd']])).toBe('a b\tc d\n');
  });

  test('cuts nothing', () => {
    const long = 'x'.repeat(5_000);
    expect(tabRows([[long]])).toBe(`${long}\n`);
  });

  test('writes nothing for no rows', () => {
    expect(tabRows([])).toBe('');
  });
});

describe('hanging', () => {
  test('breaks between words and begins further lines below the text', () => {
    const text = 'This is the old format: always classic.';
    expect(`  note: ${hanging(text, 8, 32)}`.split('\n')).toEqual([
      '  note: This is the old format:',
      '        always classic.',
    ]);
  });

  test('breaks nothing where the width is unknown', () => {
    expect(hanging('x '.repeat(500).trim(), 8, Number.POSITIVE_INFINITY)).not.toContain('\n');
  });
});

test.each([
  ['short', 'short'],
  ['just ten c', 'just ten c'],
  ['more than ten', 'more than…'],
])('oneLine cuts to the width: %j', (text, shown) => {
  expect(oneLine(text, 10)).toBe(shown);
});

describe('alignedRows', () => {
  test('cuts the identifiers of one column where the rows are too wide, and only there', () => {
    const hash = 'a1'.repeat(32);
    const show = (width: number) =>
      alignedRows(['SUBJECT', 'NOTE'], [[hash, 'why']], width, 0).split('\n')[1];
    expect(show(40)).toBe('a1a1a1a1a1a1…  why');
    expect(show(100)).toBe(`${hash}  why`);
  });

  test('puts columns below each other, without spaces at the ends of lines', () => {
    const rows = [
      ['1', 'completed', 'a.png'],
      ['22', undefined, ''],
    ];
    expect(alignedRows(['JOB', 'STATUS', 'SOURCE'], rows, 80)).toBe(
      ['JOB  STATUS     SOURCE', '1    completed  a.png', '22', ''].join('\n'),
    );
  });

  test('keeps every line within the width, and shows that something is cut', () => {
    const lines = alignedRows(
      ['A', 'B'],
      [
        ['1', 'x'.repeat(50)],
        ['2', 'y'.repeat(17)],
      ],
      20,
    ).split('\n');
    expect(lines).toEqual(['A  B', `1  ${'x'.repeat(16)}…`, `2  ${'y'.repeat(17)}`, '']);
  });

  test('lets no cell break its line', () => {
    expect(alignedRows(['A'], [['x\ny\u001b[2J']], 80)).toBe('A\nx y\n');
  });
});

describe('ago', () => {
  const now = Date.UTC(2026, 0, 10);
  const rows: [seconds: number, said: string][] = [
    [-5, '0 s ago'],
    [0, '0 s ago'],
    [59, '59 s ago'],
    [60, '1 min ago'],
    [3_599, '59 min ago'],
    [3_600, '1 h ago'],
    [47 * 3_600, '47 h ago'],
    [48 * 3_600, '2 days ago'],
  ];
  test.each(rows)('says of %d s: %s', (seconds, said) => {
    expect(ago(new Date(now - seconds * 1_000).toISOString(), now)).toBe(said);
  });

  test('says nothing without a time, and repeats an invalid time', () => {
    expect(ago(undefined, now)).toBe('');
    expect(ago('some day', now)).toBe('some day');
  });
});

describe('colorsFor', () => {
  test('colours where colour is wanted', async () => {
    const { good, bad } = await colorsFor(testIo({ color: true }).io.out);
    expect([good('a'), bad('b')]).toEqual(['\u001b[32ma\u001b[39m', '\u001b[31mb\u001b[39m']);
  });

  test('leaves text alone where it is not', async () => {
    const colors = Object.values(await colorsFor(testIo().io.out));
    expect(colors.map((paint) => paint('a'))).toEqual(['a', 'a', 'a', 'a', 'a']);
  });
});
