import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EntrySigner, EntrySignerReader } from '../../../src/batch/lockfile/entry-signer.ts';
import { type LockLine, lineOf, withDigest } from '../../../src/protocol/lock-line.ts';
import { lockEntry } from '../../support/batch/lockfile-entries.ts';
import { anyCharacter } from '../../support/fuzz/any-character.ts';

const RUNS = { numRuns: 300, seed: 20_261_123 };

const text = fc.string({ unit: anyCharacter, maxLength: 20 });
const signers = fc.record({
  source: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }),
  name: text,
  service: text,
  key: fc.option(text, { nil: undefined }),
  signer: text,
});

function signedEntry(changes: Partial<LockLine> = {}): LockLine {
  return withDigest(lockEntry({ signer: 'game', ...changes }));
}

function signerIn(line: string, reader = new EntrySignerReader()): EntrySigner | undefined {
  const bytes = Buffer.from(line);
  return reader.read(bytes, 0, bytes.length);
}

function signerOf({ service, key, signer = '' }: LockLine): EntrySigner {
  return { service, key, signer };
}

describe('The signer of an entry', () => {
  test('is read from lines that follow one another in one buffer', () => {
    const entries = [
      signedEntry({ signer: 'unproved', key: undefined }),
      signedEntry({ source: 'b.png' }),
      signedEntry({ source: 'c.png' }),
      signedEntry({ source: 'd.png', service: 'embedded' }),
    ];
    const reader = new EntrySignerReader();
    const bytes = Buffer.from(entries.map((entry) => `${lineOf(entry)}\n`).join(''));
    let from = 0;
    for (const entry of entries) {
      const to = bytes.indexOf(0x0a, from) + 1;
      expect(reader.read(bytes, from, to)).toEqual(signerOf(entry));
      from = to;
    }
  });

  test.each(['\n', '\r\n', ''])('does not depend on the line break %j', (lineBreak) => {
    const entry = signedEntry();
    expect(signerIn(lineOf(entry) + lineBreak)).toEqual(signerOf(entry));
  });

  test('is read whatever its texts are, but not if one of them has escapes', () => {
    const reader = new EntrySignerReader();
    const property = fc.property(signers, (changes) => {
      const entry = signedEntry(changes);
      const { service, key, signer } = entry;
      const hasEscapes = JSON.stringify([service, key ?? '', signer]).includes('\\');
      expect(signerIn(lineOf(entry), reader)).toEqual(hasEscapes ? undefined : signerOf(entry));
    });
    fc.assert(property, RUNS);
  });

  test('is not believed after any change of what the digest covers, or of the digest', () => {
    const line = lineOf(signedEntry());
    const reader = new EntrySignerReader();
    expect(signerIn(line, reader)).toBeDefined();
    for (const part of ['value', 'signature', 'service', 'key', 'signer', 'digest']) {
      const at = line.indexOf(`,"${part}":"`) + part.length + 5;
      const changed = `${line.slice(0, at)}${line[at] === '0' ? '1' : '0'}${line.slice(at + 1)}`;
      expect.soft(signerIn(changed, reader), part).toBeUndefined();
    }
  });

  test('is not taken from the next line', () => {
    const [one, two] = [lineOf(signedEntry()), lineOf(signedEntry({ source: 'b.png' }))];
    const torn = one.replace(/"value":.*"service"/, '"service"');
    const bytes = Buffer.from(`${torn}\n${two}\n`);
    const reader = new EntrySignerReader();
    expect(reader.read(bytes, 0, torn.length + 1)).toBeUndefined();
    expect(reader.read(bytes, torn.length + 1, bytes.length)).toBeDefined();
  });

  test.each([
    ['without a signer', lineOf(lockEntry())],
    ['in another order', JSON.stringify({ digest: 'ab'.repeat(8), ...lockEntry({ signer: 'game' }) })],
    ['that is cut off', lineOf(signedEntry()).slice(0, -1)],
    ['that is empty', ''],
  ])('is not read from a line %s', (_, line) => {
    expect(signerIn(line)).toBeUndefined();
  });
});
