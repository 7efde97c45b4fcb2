import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Seal, SealReader } from '../../../src/batch/lockfile/seal.ts';
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

function sealed(changes: Partial<LockLine> = {}): LockLine {
  return withDigest(lockEntry({ signer: 'game', ...changes }));
}

function sealIn(line: string, reader = new SealReader()): Seal | undefined {
  const bytes = Buffer.from(line);
  return reader.read(bytes, 0, bytes.length);
}

function sealOf({ service, key, signer = '' }: LockLine): Seal {
  return { service, key, signer };
}

describe('A seal', () => {
  test('tells who signed, of lines one after the other in one buffer', () => {
    const entries = [
      sealed({ signer: 'unproved', key: undefined }),
      sealed({ source: 'b.png' }),
      sealed({ source: 'c.png' }),
      sealed({ source: 'd.png', service: 'embedded' }),
    ];
    const reader = new SealReader();
    const bytes = Buffer.from(entries.map((entry) => `${lineOf(entry)}\n`).join(''));
    let from = 0;
    for (const entry of entries) {
      const to = bytes.indexOf(0x0a, from) + 1;
      expect(reader.read(bytes, from, to)).toEqual(sealOf(entry));
      from = to;
    }
  });

  test.each(['\n', '\r\n', ''])('does not depend on the line break %j', (lineBreak) => {
    const entry = sealed();
    expect(sealIn(lineOf(entry) + lineBreak)).toEqual(sealOf(entry));
  });

  test('is that of the entry, whatever its texts, or none where a text has escapes', () => {
    const reader = new SealReader();
    const property = fc.property(signers, (changes) => {
      const entry = sealed(changes);
      const { service, key, signer } = entry;
      const hasEscapes = JSON.stringify([service, key ?? '', signer]).includes('\\');
      expect(sealIn(lineOf(entry), reader)).toEqual(hasEscapes ? undefined : sealOf(entry));
    });
    fc.assert(property, RUNS);
  });

  test('is broken by every change of what the digest covers, and of the digest', () => {
    const line = lineOf(sealed());
    const reader = new SealReader();
    expect(sealIn(line, reader)).toBeDefined();
    for (const part of ['value', 'signature', 'service', 'key', 'signer', 'digest']) {
      const at = line.indexOf(`,"${part}":"`) + part.length + 5;
      const changed = `${line.slice(0, at)}${line[at] === '0' ? '1' : '0'}${line.slice(at + 1)}`;
      expect.soft(sealIn(changed, reader), part).toBeUndefined();
    }
  });

  test('is not taken from the next line', () => {
    const [one, two] = [lineOf(sealed()), lineOf(sealed({ source: 'b.png' }))];
    const torn = one.replace(/"value":.*"service"/, '"service"');
    const bytes = Buffer.from(`${torn}\n${two}\n`);
    const reader = new SealReader();
    expect(reader.read(bytes, 0, torn.length + 1)).toBeUndefined();
    expect(reader.read(bytes, torn.length + 1, bytes.length)).toBeDefined();
  });

  test.each([
    ['without a signer', lineOf(lockEntry())],
    ['in another order', JSON.stringify({ digest: 'ab'.repeat(8), ...lockEntry({ signer: 'game' }) })],
    ['that is cut off', lineOf(sealed()).slice(0, -1)],
    ['that is empty', ''],
  ])('is not in a line %s', (_, line) => {
    expect(sealIn(line)).toBeUndefined();
  });
});
