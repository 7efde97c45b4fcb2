import { expect, test } from 'vitest';
import { parsedJson } from '../../src/base/parsed-json.ts';

test('JSON is parsed from a text or from bytes', () => {
  expect(parsedJson('{"a":[1,"é"]}')).toEqual({ a: [1, 'é'] });
  expect(parsedJson(Buffer.from('"é"'))).toBe('é');
  expect(parsedJson('null')).toBeNull();
});

test.each(['', '{', '<html>', 'undefined'])('%j is not JSON', (text) => {
  expect(parsedJson(text)).toBeUndefined();
  expect(parsedJson(Buffer.from(text))).toBeUndefined();
});
