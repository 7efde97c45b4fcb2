import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyColumn } from '../../../src/batch/lockfile/key-column.ts';
import { anyCharacter } from '../../support/fuzz/any-character.ts';

const RUNS = { numRuns: 300, seed: 20_251_121 };

function columnOf(...keys: string[]): KeyColumn {
  const column = new KeyColumn(0, 0);
  for (const key of keys) {
    const bytes = Buffer.from(`<${key}>`);
    column.push(bytes, 1, bytes.length - 1);
  }
  return column;
}

test('Keys come back as they went in', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter })), (keys) => {
      const column = columnOf(...keys);
      expect(keys.map((_, entry) => column.at(entry))).toEqual(keys);
      expect(column.at(keys.length)).toBe('');
    }),
    RUNS,
  );
});

test('A key is found where it is first, and others are not', () => {
  const key = fc.string({ unit: fc.constantFrom('a', 'b', 'ä'), maxLength: 3 });
  fc.assert(
    fc.property(fc.array(key), key, (keys, wanted) => {
      const first = keys.indexOf(wanted);
      expect(columnOf(...keys).find(wanted)).toBe(first === -1 ? undefined : first);
    }),
    RUNS,
  );
});

test('Keys sort as JavaScript sorts strings, also beyond the first 65,536 characters', () => {
  const unit = fc.constantFrom(
    'a',
    'z',
    'ä',
    '\u07ff',
    '\u0800',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '\u{10ffff}',
  );
  const key = fc.string({ unit, maxLength: 3 });
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(Math.sign(columnOf(a, b).compare(0, 1))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
    { ...RUNS, numRuns: 1000 },
  );
});
