import { describe, expect, test } from 'vitest';
import { copyJson } from '../../../../src/server/http/in-process/copy-json.ts';

describe('copyJson', () => {
  const symbol = Symbol('none');
  test.each([
    null,
    'é"\n',
    0,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    [1, undefined, () => 1, symbol, [null]],
    { a: undefined, b: () => 1, c: symbol, d: { e: [{}] }, f: null },
    new Date(0),
    { at: new Date(Number.NaN) },
    { toJSON: () => ({ said: [undefined] }) },
    JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}'),
    Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true }, hidden: { value: 3 } }),
    new Map([[1, 2]]),
  ])('makes of %j what JSON makes of it', (value) => {
    expect(copyJson(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
  });

  test('shares nothing with the value', () => {
    const inner = { list: [1] };
    const copy = copyJson({ inner }) as { inner: typeof inner };
    copy.inner.list.push(2);
    expect(inner).toEqual({ list: [1] });
  });

  test('refuses what JSON refuses', () => {
    expect(() => copyJson({ big: 1n })).toThrow(TypeError);
  });
});
