import { expect, test } from 'vitest';
import { readYaml } from '../../../src/batch/sources/yaml.ts';

const MANY = 100_000;
const nested = (depth: number, line: (indent: string) => string) =>
  Array.from({ length: depth }, (_, at) => line(' '.repeat(at))).join('');

/** Small documents for which the parser would call itself too often, or keep an error for each character. */
const HOSTILE: Readonly<Record<string, string>> = {
  'open lists': '['.repeat(MANY),
  'open maps': '{a: '.repeat(MANY),
  'maps in lists': '[{'.repeat(MANY),
  'keys in lists': '[? '.repeat(MANY),
  'brackets that close nothing': ']'.repeat(MANY),
  'lists in one line': '- '.repeat(MANY),
  'keys in one line': '? '.repeat(MANY),
  'values in one line': 'a: '.repeat(MANY),
  'keys in lists in one line': '- ? '.repeat(MANY),
  'indented maps': nested(2_000, (indent) => `${indent}a:\n`),
  'indented maps, each after a text in lines': nested(
    1_000,
    (indent) => `${indent}t: |\n${indent}  [\n${indent}a:\n`,
  ),
  'a list in a map of a document in which texts have brackets': `a: "]]]"\nb: ${'['.repeat(MANY)}`,
};

test.each(Object.entries(HOSTILE))('A document is refused before the parser sees it: %s', (_, text) => {
  expect(readYaml(text)).toEqual({ fault: 'is nested more than 64 levels deep' });
});

test('A document of many parts is refused', () => {
  const escapes = `# ${'\\'.repeat(1_499_990)}\n`; // they count as well, and are counted faster
  expect(readYaml(`${escapes}a: b\n`)).toEqual({ tree: { a: 'b' } });
  expect(readYaml(escapes + 'a: b\n'.repeat(10))).toEqual({ fault: 'is too large' });
});

test('Brackets and signs in texts, and lines one below the other, do not count as nesting', () => {
  const brackets = '['.repeat(100);
  const text = [
    `plain: x${brackets}`,
    `quoted: "${brackets}"`,
    'lines: |',
    `  ${brackets}`,
    '  - - - -',
    'list:',
    ...Array.from({ length: 100 }, (_, at) => `  - [${at}, {a: b, c: d}]`),
    `${nested(60, (indent) => `${indent}deep:\n`)}${' '.repeat(61)}end`,
  ].join('\n');
  const { tree } = readYaml(text) as { tree: Readonly<Record<string, unknown>> };
  expect(tree).toMatchObject({ quoted: brackets, lines: `${brackets}\n- - - -\n` });
  expect(tree['list']).toHaveLength(100);
  expect(JSON.stringify(tree)).toContain('"deep":"end"');
});
