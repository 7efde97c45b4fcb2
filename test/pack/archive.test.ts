import { strToU8, unzipSync, Zip, ZipDeflate, ZipPassThrough, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import {
  type Archive,
  type ByteSource,
  keptArchive,
  readArchive,
  readFileIn,
} from '../../src/pack/archive.ts';
import { ZipWriter } from '../../src/pack/zip.ts';

function sourceOf(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes);
  return {
    size: buffer.length,
    read: (offset, length) => Buffer.from(buffer.subarray(offset, offset + length)),
  };
}

/** An archive as programs write it that do not know sizes before: each is behind its file. */
function streamedZip(files: Readonly<Record<string, string>>): Buffer {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((_error, piece) => void pieces.push(piece));
  for (const [name, text] of Object.entries(files)) {
    const file = name.endsWith('.png') ? new ZipPassThrough(name) : new ZipDeflate(name);
    zip.add(file);
    file.push(strToU8(text), true);
  }
  zip.end();
  return Buffer.concat(pieces);
}

const FILES = {
  'pack.mcmeta': '{}',
  'assets/a/x.png': 'x'.repeat(500),
  'assets/ours/old.png': 'old',
  'b.txt': 'b'.repeat(900),
};

const kinds = {
  'with sizes before the files': () =>
    Buffer.from(
      zipSync(Object.fromEntries(Object.entries(FILES).map(([name, text]) => [name, strToU8(text)])), {
        comment: 'made by someone',
      } as object),
    ),
  'with sizes behind the files': () => streamedZip(FILES),
};

function textsIn(bytes: Uint8Array): Record<string, string> {
  return Object.fromEntries(
    Object.entries(unzipSync(bytes)).map(([name, file]) => [name, Buffer.from(file).toString()]),
  );
}

function rewrite(archive: Archive, dropped: string, added: Readonly<Record<string, string>>): Buffer {
  const pieces: Uint8Array[] = [];
  const kept = keptArchive(archive, ({ name }) => name === dropped);
  let next = kept.next();
  for (; !next.done; next = kept.next()) pieces.push(next.value);
  const writer = next.value;
  for (const [name, text] of Object.entries(added))
    pieces.push(...writer.file({ name, bytes: Buffer.from(text) }));
  return Buffer.concat([...pieces, writer.end(archive.comment)]);
}

describe.each(Object.entries(kinds))('An archive %s', (_kind, make) => {
  const bytes = make();
  const archive = readArchive(sourceOf(bytes));

  test('has its files in its directory, and each is read', () => {
    expect(archive.files.map(({ name }) => name)).toEqual(Object.keys(FILES));
    const texts = archive.files.map((file) => readFileIn(archive, file, 1_000).toString());
    expect(texts).toEqual(Object.values(FILES));
  });

  test('keeps all other bytes when files are removed and added', () => {
    const changed = rewrite(archive, 'assets/ours/old.png', { 'assets/ours/new.png': 'new' });
    const { 'assets/ours/old.png': _old, ...rest } = FILES;
    expect(textsIn(changed)).toEqual({ ...rest, 'assets/ours/new.png': 'new' });
    const again = readArchive(sourceOf(changed));
    for (const name of Object.keys(rest)) {
      const [before, after] = [archive, again].map(({ files, source }) => {
        const file = files.find((one) => one.name === name)!;
        return source.read(file.offset, file.end - file.offset);
      });
      expect(after).toEqual(before);
    }
    expect(again.comment).toEqual(archive.comment);
  });

  test('has the same bytes again when an added file is removed', () => {
    const changed = rewrite(archive, '', { 'assets/ours/new.png': 'new' });
    expect(changed).not.toEqual(bytes);
    expect(rewrite(readArchive(sourceOf(changed)), 'assets/ours/new.png', {})).toEqual(bytes);
  });
});

describe('An archive is refused', () => {
  /** One file, of which a field of the directory is changed. */
  function spoiled(name: string, change: (bytes: Buffer, record: number) => void): Buffer {
    const writer = new ZipWriter();
    const bytes = Buffer.concat([...writer.file({ name, bytes: Buffer.from('text') }), writer.end()]);
    change(bytes, bytes.readUInt32LE(bytes.length - 6));
    return bytes;
  }
  const zipOf = (...names: string[]) => {
    const writer = new ZipWriter();
    return Buffer.concat([
      ...names.flatMap((name) => writer.file({ name, bytes: Buffer.from('a') })),
      writer.end(),
    ]);
  };

  test.each<[string, Buffer, RegExp]>([
    ['when it is empty', Buffer.alloc(0), /is not a zip archive/],
    ['when it is another file', Buffer.alloc(1_000, 'PK'), /is not a zip archive/],
    ['when it is cut off', zipOf('a', 'b').subarray(0, -30), /is not a zip archive/],
    ['when it is encrypted', spoiled('a', (bytes, at) => bytes.writeUInt16LE(1, at + 8)), /is encrypted/],
    ['when its directory lies', spoiled('a', (bytes, at) => bytes.writeUInt32LE(9_999, at + 20)), /damaged/],
    ['when an offset lies', spoiled('a', (bytes, at) => bytes.writeUInt32LE(3, at + 42)), /damaged/],
    [
      'when it claims more files',
      spoiled('a', (bytes) => bytes.writeUInt16LE(2, bytes.length - 12)),
      /damaged/,
    ],
    ['when it is a part', spoiled('a', (bytes) => bytes.writeUInt16LE(1, bytes.length - 18)), /split/],
    ['when a name leads outside', zipOf('assets/../../x'), /leads outside of it/],
    ['when a name is absolute', zipOf('/etc/passwd'), /leads outside of it/],
    ['when a name is of a drive', zipOf('C:x'), /leads outside of it/],
    ['when a name has backslashes', zipOf('a\\..\\b'), /leads outside of it/],
    ['when two files have one name', zipOf('a', 'a'), /two files of one name/],
    ['when two names differ in capitals only', zipOf('a/B', 'A/b'), /two files of one name: a\/B and A\/b/],
  ])('%s', (_when, bytes, message) => {
    expect(() => readArchive(sourceOf(bytes))).toThrow(message);
  });

  test('when it would unpack to far more than its size, as bombs do', () => {
    const bytes = spoiled('a', (zip, at) => zip.writeUInt32LE(600 * 1024 * 1024, at + 24));
    expect(() => readArchive(sourceOf(bytes))).toThrow('would unpack to 600 MiB, more than packs do');
  });

  test('when two files share their bytes, as bombs do', () => {
    const writer = new ZipWriter();
    const first = writer.file({ name: 'a', bytes: Buffer.alloc(100) });
    const bytes = Buffer.concat([
      ...first,
      ...writer.file({ name: 'b', bytes: Buffer.alloc(100) }),
      writer.end(),
    ]);
    const directory = bytes.readUInt32LE(bytes.length - 6);
    bytes.writeUInt32LE(0, directory + 47 + 42);
    expect(() => readArchive(sourceOf(bytes))).toThrow(/damaged/);
  });

  test('when a file has more bytes than it claims, which are not inflated', () => {
    const bytes = Buffer.from(zipSync({ a: [Buffer.alloc(1_000_000), { level: 9 }] }));
    const directory = bytes.readUInt32LE(bytes.length - 6);
    bytes.writeUInt32LE(100, directory + 24);
    const archive = readArchive(sourceOf(bytes));
    expect(() => readFileIn(archive, archive.files[0]!, 2_000)).toThrow(/damaged file: a/);
    expect(() => readFileIn(archive, archive.files[0]!, 50)).toThrow(/more than 50 bytes: a/);
  });
});
