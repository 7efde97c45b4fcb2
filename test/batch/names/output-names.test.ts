import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OutputNames } from '../../../src/batch/names.ts';
import { anyCharacter } from '../../support/fuzz/any-character.ts';
import { collectGarbage } from '../../support/server/collect-garbage.ts';
import { samples } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

const RUNS = { numRuns: samples(150), seed: 20_251_121 };

function taken(...stems: readonly string[]): string[] {
  const names = new OutputNames();
  return stems.map((stem) => names.take(stem));
}

/** As the least discerning file system would tell names apart. */
function folded(path: string): string {
  return path.normalize('NFKD').toUpperCase().normalize('NFKD');
}

describe('An output name', () => {
  const kept = [
    'a',
    'heroes/Ünïcödé 皮肤 😀',
    'a.b-c_d',
    'console',
    'com',
    'com10',
    'skins',
    'skins.locker',
    // As many bytes as a name may have.
    `${'皮'.repeat(66)}é`,
  ];
  test.each(kept)('is the stem if that is safe: %s', (stem) => {
    expect(taken(stem)).toEqual([stem]);
  });

  const changed: [what: string, stem: string, name: string][] = [
    ['reserved characters', 'a<b>c:d"e\\f|g?h*i', 'a_b_c_d_e_f_g_h_i'],
    ['control characters', 'a\0b\nc\x7fd\x9be', 'a_b_c_d_e'],
    ['bidirectional controls', 'a\u061cb\u200ec\u200fd\u202ae\u202ef\u2066g\u2069h', 'a_b_c_d_e_f_g_h'],
    ['half a character', 'a\ud83d/b\udc00', 'a_/b_'],
    ['a character of no script', 'a\uffffb', 'a_b'],
    ['a dash at the start', '-rf/-x', '_-rf/_-x'],
    ['dots and spaces at the ends', ' . a. b . / .c./...', 'a. b/c/_'],
    ['ways up and around', '../../etc/./passwd', '_/_/etc/passwd'],
    ['a root', '/etc//passwd/', 'etc/passwd'],
    ['nothing', '', '_'],
    ['nothing but slashes', '//', '_'],
    ['two ways to write a letter', 'Zoe\u0308', 'Zo\u00eb'],
    ['devices', 'CON/aux.txt/Com1/lpt¹/nul .x/PRN', '_CON/_aux.txt/_Com1/_lpt¹/_nul .x/_PRN'],
    ['the lockfile', 'Skins.Lock', '_Skins.Lock'],
    ['a folder like the lockfile', 'skins.lock/a', '_skins.lock/a'],
    ['the lockfile to some file systems', '\u017fkins.lock', '_\u017fkins.lock'],
    ['length', 'x'.repeat(300), 'x'.repeat(80)],
    ['length in bytes', '皮'.repeat(80), '皮'.repeat(66)],
    ['a character at the cut', `${'x'.repeat(79)}😀`, 'x'.repeat(79)],
    ['a device after the cut', `con${' '.repeat(100)}x`, '_con'],
    ['depth', 'd/'.repeat(50).concat('a'), 'd/'.repeat(31).concat('a')],
  ];
  test.each(changed)('is made safe of %s', (_, stem, name) => {
    expect(taken(stem)).toEqual([name]);
  });
});

describe('A stem that is in use', () => {
  test('gets a number', () => {
    expect(taken('a', 'a', 'b/a', 'B/A', 'A')).toEqual(['a', 'a-2', 'b/a', 'B/A-2', 'A-3']);
  });

  test.each([
    ['Zoë', 'ZOE\u0308'],
    ['straße', 'STRASSE'],
    ['\u212a', 'k'],
    ['ﬁle', 'FILE'],
    ['ΟΔΟΣ', 'οδος'],
  ])('is recognized in another spelling: %s, %s', (one, other) => {
    const [first, second] = taken(one, other);
    expect(first).toBe(one.normalize('NFC'));
    expect(second).toMatch(/-2$/);
  });

  test('is shortened to leave room for the number', () => {
    const [, second] = taken('x'.repeat(80), 'x'.repeat(90));
    expect(second).toMatch(/^x{78}-2$/);
    const [, wide] = taken('皮'.repeat(80), '皮'.repeat(90));
    expect(wide).toMatch(/^皮{66}-2$/);
  });

  test('gets no number that would give the name of another source', () => {
    const [, marked] = taken('a', 'a');
    expect(new Set(taken('a', 'a', marked!)).size).toBe(3);
  });
});

describe('Names of earlier batches', () => {
  /** A batch after others in which these sources had these names. */
  function namesAfter(
    earlier: readonly (readonly [name: string, id: string])[],
    gone: readonly string[] = [],
  ) {
    const names = new OutputNames({
      all: () => earlier.map(([name], entry) => [name, entry] as const),
      isKept: (entry, id) => earlier[entry]![1] !== id && !gone.includes(earlier[entry]![1]),
    });
    const ownOf = (id: string) => earlier.filter((one) => one[1] === id).map(([name]) => name);
    return (stem: string, id: string) => names.take(stem, { id, own: ownOf(id) });
  }

  test('stay with their sources, whichever sources come first', () => {
    const take = namesAfter([
      ['steve', 'b'],
      ['alex-2', 'c'],
    ]);
    expect([take('steve', 'a'), take('steve', 'b')]).toEqual(['steve-2', 'steve']);
    expect([take('alex', 'd'), take('alex', 'c'), take('ALEX-2', 'e')]).toEqual([
      'alex',
      'alex-2',
      'ALEX-2-2',
    ]);
  });

  test('keep their numbers, even once the names without numbers are free', () => {
    expect(namesAfter([['alex-2', 'c']])('alex', 'c')).toBe('alex-2');
  });

  test('stay reserved for sources that are not in this batch', () => {
    expect(namesAfter([['steve', 'b']])('Steve', 'a')).toBe('Steve-2');
  });

  test('of sources that are gone go to the next source that wants them', () => {
    expect(namesAfter([['steve', 'b']], ['b'])('steve', 'a')).toBe('steve');
  });

  test('are used again only for the stem that they were made from', () => {
    const take = namesAfter([
      ['steve', 'a'],
      ['b/steve-2', 'b'],
    ]);
    expect([take('chief', 'a'), take('steve', 'b')]).toEqual(['chief', 'steve-2']);
  });

  test('that a merge gave to two sources stay with the first one', () => {
    const take = namesAfter([
      ['steve', 'a'],
      ['steve', 'b'],
    ]);
    expect([take('steve', 'a'), take('steve', 'b')]).toEqual(['steve', 'steve-2']);
  });
});

/** What stems are made of, the awkward parts often. */
const part = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 100 }),
  fc.string({ unit: fc.constantFrom(...'aAéE\u0301 ./:\\*\0皮😀\ud83dßſ'), maxLength: 200 }),
  fc.constantFrom('con', 'CON.', 'nul.png', '..', '.', '', 'skins.lock', 'COM¹', 'a', 'A'),
);
const stem = fc.array(part, { maxLength: 40 }).map((parts) => parts.join('/'));
const calls = fc.array(fc.tuple(fc.oneof(part, stem), fc.string({ maxLength: 3 })), { maxLength: 30 });

const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i;

function expectSafe(name: string): void {
  const segments = name.split('/');
  expect(segments.length).toBeLessThanOrEqual(32);
  expect(name.normalize('NFC')).toBe(name);
  expect(name.isWellFormed()).toBe(true);
  for (const segment of segments) {
    expect(segment).toMatch(/^[^. ](?:.*[^. ])?$/su);
    expect(segment).not.toMatch(/[<>:"\\|?*]|\p{Cc}/u);
    expect(segment).not.toMatch(DEVICE);
    expect(folded(segment)).not.toBe('SKINS.LOCK');
    expect(segment.length).toBeLessThanOrEqual(80);
    expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(200);
  }
}

function takeAll(all: readonly (readonly [string, string])[]): string[] {
  const names = new OutputNames();
  return all.map(([one]) => names.take(one));
}

describe('Whatever the stems are, output names', () => {
  test('are safe on every file system, and safe names stay as they are', () => {
    const property = fc.property(fc.oneof(part, stem), (one) => {
      const [name] = taken(one);
      expectSafe(name!);
      expect(taken(name!)).toEqual([name]);
    });
    fc.assert(property, RUNS);
  });

  test('are unique, still safe, and the same the next time', () => {
    const property = fc.property(calls, (all) => {
      const names = takeAll(all);
      for (const name of names) expectSafe(name);
      expect(new Set(names.map(folded)).size).toBe(all.length);
      expect(takeAll(all)).toEqual(names);
    });
    fc.assert(property, { ...RUNS, numRuns: samples(100) });
  });
});

describe('Many output names', () => {
  test('take little memory, even if they are long', () => {
    const count = isWhole ? 100_000 : 15_000;
    const names = new OutputNames();
    const folder = 'a long folder name/'.repeat(10);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < count; index++) names.take(`${folder}${index}`);
    collectGarbage();
    expect(names.take(`${folder}0`)).not.toBe(`${folder}0`);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(count * 335);
  });

  test('that differ only in their first characters are distinguished', () => {
    const names = new OutputNames();
    let marked = 0;
    for (let index = 0; index < (isWhole ? 300_000 : 40_000); index++) {
      const stem = `${index}-and-the-same-long-end-of-all-these-many-names`;
      if (names.take(stem) !== stem) marked++;
    }
    expect(marked).toBe(0);
  });

  // Were each to try what the ones before it tried, this would take minutes.
  test('of one stem and one source are found without trying the earlier ones', () => {
    const names = new OutputNames();
    const all = new Set(Array.from({ length: 20_000 }, () => names.take('a')));
    expect(all.size).toBe(20_000);
  });
});
