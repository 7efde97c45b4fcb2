import { expect, test } from 'vitest';
import { EvictingMap } from '../../../src/server/fairness.ts';

interface Entry {
  uses: number;
}

const make = (): Entry => ({ uses: 1 });
const isIdle = ({ uses }: Entry) => uses === 0;

test('An entry is made once and then stays the same', () => {
  const map = new EvictingMap<Entry>(2);
  expect(map.get('a')).toBeUndefined();
  const made = map.ensure('a', make, isIdle);
  expect(map.get('a')).toBe(made);
  expect(map.ensure('a', make, isIdle)).toBe(made);
  expect(map.size).toBe(1);
});

test('Idle entries are removed when there are many; entries in use are not', () => {
  const map = new EvictingMap<Entry>(2);
  const [a, b] = ['a', 'b'].map((key) => map.ensure(key, make, isIdle));
  if (a) a.uses = 0;
  map.ensure('c', make, isIdle);
  expect(map.get('a')).toBeUndefined();
  expect(map.get('b')).toBe(b);
  expect(map.size).toBe(2);
});

test('With all entries in use, they are looked through only when their number has doubled', () => {
  const map = new EvictingMap<Entry>(2);
  let looks = 0;
  const inUse = () => {
    looks++;
    return false;
  };
  for (let n = 0; n < 64; n++) map.ensure(`${n}`, make, inUse);
  expect(looks).toBe(2 + 4 + 8 + 16 + 32);
  expect(map.size).toBe(64);
});
