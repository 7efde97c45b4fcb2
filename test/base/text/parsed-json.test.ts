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
])('JSON with more values than are read counts as none, however few bytes it has (%s)', (_, text) => {
  expect(JSON.parse(text)).toBeDefined();
  expect(parsedJson(text)).toBeUndefined();
});
