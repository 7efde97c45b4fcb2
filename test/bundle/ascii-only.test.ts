import vm from 'node:vm';
import { expect, test } from 'vitest';
import { withEscapes } from '../../bundle/ascii-only.ts';

test.each([
  ['strings', "'naïve … 𝒳'"],
  ['templates', '`·“quoted”😀`'],
  ['regular expressions', "'a–b😀'.replace(/[–—]/u, '').replace(/😀/u, '!')"],
  ['names', '(() => { const größe = 3; return größe; })()'],
  ['comments', '1 // – one'],
])('%s mean the same with escapes', (_, code) => {
  const escaped = withEscapes(code);
  expect(escaped).toMatch(/^[\0-\x7f]*$/);
  expect(vm.runInNewContext(escaped)).toBe(vm.runInNewContext(code));
});

test('A raw template, where an escape would be its own text, is refused', () => {
  expect(() => withEscapes('String.raw`–`')).toThrow('raw template');
});
