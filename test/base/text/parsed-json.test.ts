import { expect, test } from 'vitest';
import { parsedJson } from '../../../src/base/text.ts';

test('JSON is parsed from a text or from bytes', () => {
  expect(parsedJson('{"a":[1,"é"]}')).toEqual({ a: [1, 'é'] });
  expect(parsedJson(Buffer.from('"é"'))).toBe('é');
  expect(parsedJson('null')).toBeNull();
});

test.each(['', '{', '<html>', 'undefined'])('%j is not JSON', (text) => {
  expect(parsedJson(text)).toBeUndefined();
  expect(parsedJson(Buffer.from(text))).toBeUndefined();
});

test.each([
  ['nested', `${'['.repeat(600_000)}${']'.repeat(600_000)}`],
  ['side by side', `[${'{},'.repeat(600_000)}0]`],
  ['flat', `[${'1,'.repeat(600_000)}0]`],
])('JSON with too many values is refused, however few bytes it has (%s)', (_, text) => {
  expect(JSON.parse(text)).toBeDefined();
  expect(parsedJson(text)).toBeUndefined();
});

const lists = (levels: number, inside = '') => `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`;

test.each([
  ['lists', lists(129)],
  ['objects', `${'{"a":'.repeat(129)}1${'}'.repeat(129)}`],
  ['both, after others', `[${'{"a":[1]},'.repeat(10)}${'[{"a":'.repeat(65)}1${'}]'.repeat(65)}]`],
])('JSON that is nested too deeply is refused: %s', (_, text) => {
  expect(JSON.parse(text)).toBeDefined();
  expect(parsedJson(text)).toBeUndefined();
});

test('JSON of 128 levels is read; brackets in strings, after any number of backslashes, do not count', () => {
  const text = JSON.stringify([
    `${'['.repeat(200)}"${'{'.repeat(200)}`,
    '\\\\',
    '\\"',
    '[',
    '[]'.repeat(200),
  ]);
  expect(parsedJson(lists(127, text))).toEqual(JSON.parse(lists(127, text)));
});
