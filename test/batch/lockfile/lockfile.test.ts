import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { workOf } from '../../../src/batch/lockfile/entries.ts';
import { workKey } from '../../../src/batch/model.ts';
import { type LockEntry, lineOf, withDigest } from '../../../src/protocol/lock-line.ts';
import {
  allOf,
  entriesOf,
  find,
  hash,
  lockEntry,
  openAt,
  openText,
  ownPath,
  textOf,
} from '../../support/batch/lockfile-entries.ts';

const UUID = '61699b2ed3274a019f1e0ea8c3f06bc6';

describe('Opening', () => {
  test('finds nothing where there is neither a file nor its folder', async () => {
    const lockfile = await openAt(`${await ownPath()}/none/skins.lock`);
    expect(lockfile.size).toBe(0);
    expect(find(lockfile, lockEntry())).toBeUndefined();
    expect([...lockfile.sources()]).toEqual([]);
  });

  test('finds nothing in an empty file', async () => {
    expect((await openText('')).size).toBe(0);
  });

  const entries = entriesOf('a.png', 'b/z.png', 'b/ä.png', 'c.png');
  const forms: [what: string, text: string][] = [
    ['as it is written', textOf(entries)],
    ['with the line breaks of Windows', textOf(entries, '\r\n')],
    ['without the last line break', textOf(entries).trimEnd()],
    ['with empty lines', textOf(entries, '\n\n')],
    ['in another order', textOf(entries.toReversed())],
    ['with another order of fields', textOf(entries.map(reversed))],
    [
      'with spaces',
      entries.map((entry) => `${JSON.stringify(entry, null, 1).replaceAll('\n', ' ')}\n`).join(''),
    ],
    ['with escapes', textOf(entries).replace('ä', '\\u00e4').replaceAll('png"', '\\u0070ng"')],
    ['with fields of later versions', textOf(entries).replaceAll('}\n', ',"more":{"x":1}}\n')],
  ];
  test.each(forms)('reads a file %s', async (_, text) => {
    const lockfile = await openText(text);
    expect(allOf(lockfile)).toEqual(entries);
    for (const [entry, its] of entries.entries())
      expect(find(lockfile, its)).toEqual({ state: 'same', entry });
  });

  test('returns the source and the work of each entry', async () => {
    const lockfile = await openText(textOf(entries));
    const told = entries.map((_, entry) => [lockfile.sourceOf(entry), lockfile.workOf(entry)]);
    expect(told).toEqual(entries.map((entry) => [entry.source, workOf(entry)]));
  });

  test('uses the last of several entries with the same source and work', async () => {
    const [one, other] = [lockEntry({ name: 'first' }), lockEntry({ name: 'last' })];
    const lockfile = await openText(textOf([one, lockEntry({ source: 'x.png' }), other]));
    expect(lockfile.size).toBe(2);
    expect(lockfile.read(0)).toEqual(other);
  });

  test('uses the last of several entries even if they are adjacent', async () => {
    const entries = [
      lockEntry({ name: 'first' }),
      lockEntry({ name: 'last' }),
      lockEntry({ source: 'x.png' }),
    ];
    expect(allOf(await openText(textOf(entries)))).toEqual(entries.slice(1));
  });

  test('reads lines that span two reads', async () => {
    const entries = Array.from({ length: 3000 }, (_, n) =>
      lockEntry({ source: `skins/${String(n).padStart(4, '0')}.png`, name: 'n'.repeat(n % 700) }),
    );
    const lockfile = await openText(textOf(entries));
    expect(allOf(lockfile)).toEqual(entries);
    for (const entry of [2999, 0, 1500, 1501, 7]) expect(lockfile.read(entry)).toEqual(entries[entry]);
  });

  test('reads a line as long as a line may be', async () => {
    const spare = 64 * 1024 - lineOf(lockEntry({ name: '' })).length;
    const entry = lockEntry({ name: 'n'.repeat(spare) });
    expect(allOf(await openText(textOf([entry])))).toEqual([entry]);
  });
});

/** An entry whose fields are written from the last to the first. */
function reversed(entry: LockEntry): LockEntry {
  return Object.fromEntries(Object.entries(entry).toReversed()) as LockEntry;
}

describe('find', () => {
  test('recognizes a renamed file by its work', async () => {
    const lockfile = await openText(textOf(entriesOf('a.png', 'b.png')));
    expect(find(lockfile, lockEntry({ source: 'new.png', pixels: hash('b.png') }))).toEqual({
      state: 'moved',
      entry: 1,
    });
  });

  test('reports a file with other pixels or options as changed', async () => {
    const lockfile = await openText(textOf(entriesOf('a.png', 'b.png')));
    const options = { variant: 'slim', visibility: 'public' } as const;
    expect(find(lockfile, lockEntry({ source: 'a.png', pixels: hash('x') }))).toEqual({ state: 'changed' });
    expect(find(lockfile, lockEntry({ source: 'a.png', options }))).toEqual({ state: 'changed' });
  });

  test('prefers the entry of another source with the same pixels to making the skin again', async () => {
    const lockfile = await openText(textOf(entriesOf('a.png', 'b.png')));
    expect(find(lockfile, lockEntry({ source: 'a.png', pixels: hash('b.png') }))).toEqual({
      state: 'moved',
      entry: 1,
    });
  });

  test('does not mistake the next entry for the requested one', async () => {
    const entries = entriesOf('a.png', 'b.png', 'c.png');
    const lockfile = await openText(textOf(entries));
    find(lockfile, entries[0]!);
    expect(find(lockfile, { ...entries[1]!, source: 'x.png' })).toEqual({ state: 'moved', entry: 1 });
    find(lockfile, entries[0]!);
    expect(find(lockfile, { ...entries[1]!, pixels: hash('x') })).toEqual({ state: 'changed' });
  });

  test('finds no entry for a new file', async () => {
    const lockfile = await openText(textOf(entriesOf('a.png')));
    expect(find(lockfile, lockEntry({ source: 'b.png' }))).toBeUndefined();
    expect(lockfile.find('a.png', '')).toEqual({ state: 'changed' });
  });

  test('finds each entry of a source with several, in any order and repeatedly', async () => {
    const entries = (['auto', 'classic', 'slim'] as const).map((variant) =>
      lockEntry({ options: { variant, visibility: 'public' } }),
    );
    const lockfile = await openText(textOf([...entries, lockEntry({ source: 'z.png' })]));
    for (const entry of [0, 1, 2, 2, 1, 0, 0]) {
      expect(find(lockfile, entries[entry]!)).toEqual({ state: 'same', entry });
    }
    expect([...lockfile.sources()]).toEqual(['steve.png', 'z.png']);
  });

  test('finds links and players by their names, with pixels and without', async () => {
    const url = 'https://skins.example/s.png';
    const shout = 'HTTPS://SKINS.EXAMPLE/s.png';
    const entries = [
      lockEntry({ source: shout }),
      lockEntry({ source: url, pixels: undefined }),
      lockEntry({ source: `user:${UUID}`, pixels: hash('what it was then') }),
    ];
    const lockfile = await openText(textOf(entries));
    const asked = { variant: 'auto', visibility: 'public' } as const;
    expect(lockfile.find(url, workKey({ content: { url }, ...asked }))).toEqual({ state: 'same', entry: 1 });
    const shouted = workKey({ content: { url: shout }, ...asked });
    expect(lockfile.find(shout, shouted)).toEqual({ state: 'same', entry: 0 });
    const player = workKey({ content: { user: UUID }, ...asked });
    expect(lockfile.find(`user:${UUID}`, player)).toEqual({ state: 'same', entry: 2 });
    expect(allOf(lockfile)).toEqual(entries);
  });

  test('finds every one of many entries', async () => {
    const entries = entriesOf(...Array.from({ length: 2000 }, (_, n) => `${n}.png`));
    const lockfile = await openText(textOf(entries));
    for (const entry of entries) {
      const found = find(lockfile, entry);
      if (found?.state !== 'same' || lockfile.read(found.entry).source !== entry.source)
        throw new Error(entry.source);
      const moved = find(lockfile, { ...entry, source: 'x' });
      if (moved?.state !== 'moved' || lockfile.read(moved.entry).source !== entry.source)
        throw new Error(entry.source);
    }
  });
});

describe('uuidOf', () => {
  test('returns the UUID of an entry, whatever the form of its line', async () => {
    const entries = [
      ...entriesOf('a.png', 'b.png'),
      lockEntry({ source: 'c.png', uuid: 'no-common-uuid' }),
      lockEntry({ source: `d/${'x'.repeat(1000)}.png` }),
      lockEntry({ source: '},"uuid":"0123456789abcdef0123456789abcdef"' }),
    ].sort((a, b) => (a.source < b.source ? -1 : 1));
    for (const text of [textOf(entries), textOf(entries.map(reversed))]) {
      const lockfile = await openText(text);
      expect(entries.map((_, entry) => lockfile.uuidOf(entry))).toEqual(entries.map(({ uuid }) => uuid));
    }
  });
});

describe('read', () => {
  test('finds no entry beyond the last', async () => {
    const lockfile = await openText(textOf([lockEntry({ name: 'n'.repeat(10_000) })]));
    for (const entry of [1, -1, 0.5]) expect(() => lockfile.read(entry)).toThrow(RangeError);
  });

  test('keeps reading the opened file when another one replaces it', async () => {
    const path = await ownPath(textOf(entriesOf('a.png')));
    const lockfile = await openAt(path);
    const { writeFileAtomically } = await import('../../../src/base/files.ts');
    writeFileAtomically(path, textOf(entriesOf('x.png')));
    expect(allOf(lockfile)).toEqual(entriesOf('a.png'));
  });

  test('reports that the file was changed meanwhile', async () => {
    for (const text of [textOf(entriesOf('b.png', 'a.png')), 'short', '']) {
      const path = await ownPath(textOf(entriesOf('a.png', 'b.png')));
      const lockfile = await openAt(path);
      writeFileSync(path, text);
      expect(() => lockfile.read(1)).toThrow(expect.objectContaining({ code: 'lockfile_changed' }));
    }
  });
});

test('The error about a damaged entry names its line, counting empty lines', async () => {
  const lockfile = await openText(`\n${textOf(entriesOf('a.png', 'b.png'))}`);
  const errors = [0, 1].map((entry) => lockfile.damaged(entry, 'so it is.'));
  expect(errors.map(({ line }) => line)).toEqual([2, 3]);
  expect(errors[0]?.message).toMatch('skins.lock, line 2: The entry of a.png is damaged: so it is.');
});

describe('signerOf', () => {
  const signed = (changes: Partial<LockEntry> = {}) => withDigest(lockEntry({ signer: 'game', ...changes }));
  const signerIn = async (line: string) => (await openText(`${line}\n`)).signerOf(0);

  test('returns the signer of an entry with an intact digest, whatever the form of its line', async () => {
    const [plain, odd] = [signed(), signed({ signer: 'a "b" \\ ä', key: undefined })];
    for (const entry of [plain, odd, reversed(plain)])
      expect(await signerIn(JSON.stringify(entry))).toEqual({ signer: entry.signer, key: entry.key });
  });

  test('ignores the signer after any change of the covered fields or of the digest', async () => {
    const line = lineOf(signed());
    for (const part of ['value', 'signature', 'service', 'key', 'signer', 'digest']) {
      const at = line.indexOf(`,"${part}":"`) + part.length + 5;
      const changed = `${line.slice(0, at)}${line[at] === '0' ? '1' : '0'}${line.slice(at + 1)}`;
      expect.soft(await signerIn(changed), part).toBeUndefined();
    }
  });

  test('returns nothing without a signer or a digest', async () => {
    expect(await signerIn(lineOf(lockEntry({ digest: 'ab'.repeat(8) })))).toBeUndefined();
    expect(await signerIn(lineOf(lockEntry({ signer: 'game' })))).toBeUndefined();
  });
});
