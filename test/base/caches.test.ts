import { describe, expect, test } from 'vitest';
import { ByteCache } from '../../src/base/caches.ts';

/** Room for some values of a thousand bytes, of which each entry takes a little more. */
function smallCache(values: number): ByteCache<Uint8Array> {
  return new ByteCache(values * 1_300, (value: Uint8Array) => value.length);
}

function value(): Uint8Array {
  return new Uint8Array(1_000);
}

describe('a cache of bytes', () => {
  test('keeps what was used last', () => {
    const cache = smallCache(3);
    for (const key of ['a', 'b', 'c']) cache.set(key, value());
    cache.get('a');
    cache.set('d', value());
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  test('counts a value once even if it is set again', () => {
    const cache = smallCache(3);
    for (let again = 0; again < 100; again++) cache.set('a', value());
    const { bytes } = cache;
    cache.set('b', value());
    expect([cache.get('a') !== undefined, cache.bytes]).toEqual([true, 2 * bytes]);
  });

  test('never exceeds its maximum size, whatever is put in', () => {
    const cache = smallCache(10);
    for (let at = 0; at < 1_000; at++) {
      cache.set(`key ${at % 37}`, new Uint8Array((at * 7919) % 5_000));
      expect(cache.bytes).toBeLessThanOrEqual(13_000);
    }
  });

  test('does not keep a value larger than the cache', () => {
    const cache = smallCache(1);
    cache.set('large', new Uint8Array(5_000));
    expect([cache.get('large'), cache.bytes]).toEqual([undefined, 0]);
  });
});
