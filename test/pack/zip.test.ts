import { deflateRawSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { readArchive } from '../../src/pack/archive.ts';
import { ZipWriter } from '../../src/pack/zip.ts';

function zipOf(count: number, comment?: string): Buffer {
  const zip = new ZipWriter();
  const pieces: Uint8Array[] = [];
  for (let number = 0; number < count; number++)
    pieces.push(...zip.file({ name: `files/${number}.txt`, bytes: Buffer.from(String(number)) }));
  return Buffer.concat([...pieces, zip.end(comment)]);
}

test('An archive has its files, stored or compressed, and its comment at the end', () => {
  const zip = new ZipWriter();
  const bytes = Buffer.from('text '.repeat(99));
  const pieces = [
    ...zip.file({ name: 'Zoë.txt', bytes }),
    ...zip.file({ name: 'b', bytes, deflated: deflateRawSync(bytes) }),
    zip.end('ours'),
  ];
  const archive = Buffer.concat(pieces);
  expect(unzipSync(archive)).toEqual({ 'Zoë.txt': new Uint8Array(bytes), b: new Uint8Array(bytes) });
  expect(archive.toString('latin1', archive.length - 6)).toBe('\x04\0ours');
});

test('An archive with more files than the old format allows is read, by other programs too', () => {
  const archive = zipOf(70_000, 'long');
  const files = unzipSync(archive);
  expect(Object.keys(files)).toHaveLength(70_000);
  expect(Buffer.from(files['files/69999.txt']!).toString()).toBe('69999');
  const read = readArchive({ size: archive.length, read: (at, length) => archive.subarray(at, at + length) });
  expect([read.files.length, read.files.at(-1)?.name]).toEqual([70_000, 'files/69999.txt']);
  expect(read.comment.toString()).toBe('long');
});

test('The same files give the same bytes in every time zone', () => {
  const zone = process.env['TZ'];
  try {
    const archives = ['Asia/Tokyo', 'America/New_York', 'Pacific/Apia'].map((TZ) => {
      process.env['TZ'] = TZ;
      return zipOf(3, 'ours');
    });
    expect(archives[1]).toEqual(archives[0]);
    expect(archives[2]).toEqual(archives[0]);
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});
