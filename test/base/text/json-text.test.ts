import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { JsonText } from '../../../src/base/text.ts';

test('A text is JSON of the value as it was, and named by its SHA-1', () => {
  const value = { name: 'Jörg', at: undefined };
  const made = new JsonText(value);
  value.name = 'changed';
  expect(made.text).toBe('{"name":"Jörg"}');
  const digest = createHash('sha1').update('{"name":"Jörg"}').digest('base64url');
  expect([made.digest, made.digest]).toEqual([digest, digest]);
});
