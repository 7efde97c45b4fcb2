import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { workOf } from '../../../src/batch/lockfile/entries.ts';
import { type LockEntry, lineOf, lockEntrySchema } from '../../../src/protocol/lock-line.ts';
import { allOf, find, lockEntry, openText, textOf } from '../../support/batch/lockfile-entries.ts';
import { anyCharacter } from '../../support/fuzz/any-character.ts';
import { samples } from '../../support/setup/extent.ts';

const RUNS = { numRuns: samples(500), seed: 20_251_121 };

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const text = fc.string({ unit: anyCharacter, maxLength: 20 });
const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
const source = fc.oneof(
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 600 }),
  fc.constantFrom(
    'https://a.example/s.png',
    'HTTP://a.example/',
    'user:61699b2ed3274a019f1e0ea8c3f06bc6',
    './user:x.png',
    'user',
    'http',
    'hat.png',
    'u',
  ),
);
const visibility = fc.constantFrom('public', 'unlisted', 'private');
const maybe = <T>(what: fc.Arbitrary<T>) => fc.option(what, { nil: undefined });
/** Entries, some of which lack the pixels that they need. */
const entries: fc.Arbitrary<LockEntry> = fc.record({
  source,
  pixels: fc.option(digits(64), { nil: undefined, freq: 10 }),
  options: fc.record(
    { variant: fc.constantFrom('auto', 'classic', 'slim'), visibility, cape: digits(32) },
    { requiredKeys: ['variant', 'visibility'] },
  ),
  uuid: digits(32),
  record: maybe(
    fc.record(
      {
        list: text,
        outputs: fc.array(fc.record({ name: text, files: fc.array(text, { maxLength: 3 }) }), {
          maxLength: 2,
        }),
      },
      { requiredKeys: [] },
    ),
  ),
  name: maybe(text),
  variant: fc.constantFrom('classic', 'slim', 'unknown'),
  visibility,
  value: base64,
  signature: fc.oneof(base64, fc.constant('')),
  texture: text,
  hash: text,
  service: text,
  key: maybe(text),
  signer: maybe(text),
  digest: maybe(digits(16)),
});

describe('A line as it is written', () => {
  test('has one order of fields, so that a diff shows what changed', () => {
    const entry = lockEntry({ signer: 'game', digest: 'ab'.repeat(8), record: {} });
    expect(Object.keys(JSON.parse(lineOf(entry)))).toEqual(
      'source pixels options uuid record name variant visibility value signature texture hash service key signer digest'.split(
        ' ',
      ),
    );
  });

  test('has no empty fields', () => {
    const line = lineOf(lockEntry({ pixels: undefined, name: undefined, key: undefined }));
    expect(line).not.toMatch(/"pixels"|"name"|"key"/);
  });

  test('is one line of ASCII JSON that parses to the entry', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(JSON.parse(lineOf(entry))).toEqual(entry);
        expect(lineOf(entry)).not.toContain('\n');
      }),
      RUNS,
    );
  });
});

test('Any entry that is written can be found and read', async () => {
  const sound = entries.filter((entry) => lockEntrySchema.safeParse(entry).success);
  const key = (entry: LockEntry) => `${entry.source} ${workOf(entry)}`;
  const lists = fc.uniqueArray(sound, { selector: key, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const lockfile = await openText(textOf(list));
      const sorted = list.toSorted(compare);
      expect(allOf(lockfile)).toEqual(sorted);
      for (const [entry, its] of sorted.entries())
        expect(find(lockfile, its)).toEqual({ state: 'same', entry });
      for (const { source } of sorted) {
        const first = sorted.find((one) => one.source === source);
        expect(lockfile.recordOf(source)).toEqual(first?.record ?? {});
      }
    }),
    { ...RUNS, numRuns: 60 },
  );
});

function compare(a: LockEntry, b: LockEntry): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return workOf(a) < workOf(b) ? -1 : 1;
}
