import { crc32 } from 'node:zlib';

export interface CompiledFile {
  /** Its path in the program's folder. */
  readonly name: string;
  /** CRC-32 of its text. */
  readonly checksum: number;
  /** As V8 wrote it. */
  readonly data: Uint8Array;
}

export interface CachedCode {
  /** How often it has been saved. */
  readonly saves: number;
  readonly files: readonly CompiledFile[];
}

/** What stands before the data of all files, as JSON. */
interface Contents {
  readonly saves: number;
  readonly files: readonly (Omit<CompiledFile, 'data'> & { readonly size: number })[];
}

/** Offsets in bytes: CRC-32 of all that follows it, length of the contents, contents. */
const [CHECKSUM_AT, LENGTH_AT, CONTENTS_AT] = [0, 4, 8];

export function encodeCode({ saves, files }: CachedCode): Buffer {
  const list = files.map(({ name, checksum, data }) => ({ name, checksum, size: data.length }));
  const contents = Buffer.from(JSON.stringify({ saves, files: list } satisfies Contents));
  const bytes = Buffer.concat([Buffer.alloc(CONTENTS_AT), contents, ...files.map(({ data }) => data)]);
  bytes.writeUInt32LE(contents.length, LENGTH_AT);
  bytes.writeUInt32LE(crc32(bytes.subarray(LENGTH_AT)), CHECKSUM_AT);
  return bytes;
}

/** The data of the files are views of `bytes`. `undefined` when these are not what `encodeCode` returned. */
export function decodeCode(bytes: Buffer): CachedCode | undefined {
  if (bytes.length < CONTENTS_AT) return undefined;
  if (bytes.readUInt32LE(CHECKSUM_AT) !== crc32(bytes.subarray(LENGTH_AT))) return undefined;
  let at = CONTENTS_AT + bytes.readUInt32LE(LENGTH_AT);
  const { saves, files }: Contents = JSON.parse(bytes.toString('utf8', CONTENTS_AT, at));
  const withData = files.map(({ name, checksum, size }) => {
    at += size;
    return { name, checksum, data: bytes.subarray(at - size, at) };
  });
  return { saves, files: withData };
}
