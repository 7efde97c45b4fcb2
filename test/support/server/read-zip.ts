import { crc32, inflateRawSync } from 'node:zlib';
import { expect } from 'vitest';

/** The files of a zip archive by name, found as programs find them: through the directory at its end. */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf('PK\x05\x06');
  expect(zip.length).toBe(end + 22 + zip.readUInt16LE(end + 20));
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    expect(zip.readUInt32LE(at)).toBe(0x02014b50);
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    files.set(name, contentOf(zip, at));
    at += 46 + nameLength;
  }
  expect(at).toBe(end);
  return files;
}

/** The content of a file, compared with both of its records. */
function contentOf(zip: Buffer, record: number): Buffer {
  const head = zip.readUInt32LE(record + 42);
  expect(zip.readUInt32LE(head)).toBe(0x04034b50);
  expect(zip.subarray(head + 4, head + 28)).toEqual(zip.subarray(record + 6, record + 30));
  const start = head + 30 + zip.readUInt16LE(head + 26);
  const stored = zip.subarray(start, start + zip.readUInt32LE(record + 20));
  const bytes = zip.readUInt16LE(record + 10) === 8 ? inflateRawSync(stored) : stored;
  expect([crc32(bytes), bytes.length]).toEqual([
    zip.readUInt32LE(record + 16),
    zip.readUInt32LE(record + 24),
  ]);
  return bytes;
}
