import { crc32, inflateRawSync } from 'node:zlib';
import { ZipWriter } from './zip.ts';

/** Where the bytes of an archive come from. */
export interface ByteSource {
  /** In bytes. */
  readonly size: number;
  /** Exactly `length` bytes, which are there. */
  read(offset: number, length: number): Buffer;
}

/** A file in an archive, as the archive describes it. */
export interface ArchivedFile {
  /** Path in the archive, with `/`; ends with `/` for a folder. */
  readonly name: string;
  /** Bytes, compressed and not. */
  readonly packed: number;
  readonly size: number;
  readonly isDeflated: boolean;
  readonly crc: number;
  /** Where its local record begins, and where the next one does. */
  readonly offset: number;
  readonly end: number;
  /** Its record in the directory of the archive. */
  readonly record: Buffer;
  /** Where in the record its offset stands, and in how many bytes. */
  readonly offsetAt: number;
  readonly offsetBytes: 4 | 8;
}

export interface Archive {
  readonly source: ByteSource;
  /** In the order of the directory. */
  readonly files: readonly ArchivedFile[];
  readonly comment: Buffer;
  /** Where the directory begins. */
  readonly directory: number;
}

/** The archive cannot be changed safely. `message` is a sentence about it; the file's name stands before it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_SIZE = 22;
const LOCATOR_SIZE = 20;
const CENTRAL_SIZE = 46;
const LOCAL_SIZE = 30;
const MAX_COMMENT = 0xffff;
const ENCRYPTED = 0x0041; // also what strong encryption sets
const DEFLATED = 8;
const IN_ZIP64 = 0xffff_ffff;

/** What no resource pack needs: more only keeps the machine busy. */
const MAX_FILES = 200_000;
const MAX_DIRECTORY = 64 * 1024 * 1024;
/** Bytes to which an archive may unpack, and how many for each of its own: packs reach a tenth of either. */
const MAX_UNPACKED = 512 * 1024 * 1024;
const MAX_RATIO = 16;

/**
 * Reads the directory of a zip archive, and none of its files (APPNOTE.TXT 6.3.10).
 * @throws ArchiveError for one that is damaged, encrypted, split, a bomb, or has names that would lead elsewhere or meet
 */
export function readArchive(source: ByteSource): Archive {
  const end = findEnd(source);
  if (end.count > MAX_FILES) throw new ArchiveError(`has ${end.count} files; ${MAX_FILES} are the limit.`);
  if (end.length > MAX_DIRECTORY) throw new ArchiveError('has a directory of more than 64 MiB.');
  if (end.directory + end.length > source.size) throw damaged();
  const files = readRecords(source.read(end.directory, end.length), end.count);
  verifySizes(files, source.size);
  verifyNames(files);
  return {
    source,
    files: placed(files, source, end.directory),
    comment: end.comment,
    directory: end.directory,
  };
}

interface End {
  readonly count: number;
  readonly directory: number;
  readonly length: number;
  readonly comment: Buffer;
}

function findEnd(source: ByteSource): End {
  const length = Math.min(source.size, END_SIZE + MAX_COMMENT + LOCATOR_SIZE);
  const start = source.size - length;
  const tail = source.read(start, length);
  for (let at = length - END_SIZE; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END || at + END_SIZE + tail.readUInt16LE(at + 20) !== length) continue;
    if (tail.readUInt16LE(at + 4) !== 0 && tail.readUInt16LE(at + 4) !== 0xffff)
      throw new ArchiveError('is one part of a split archive.');
    const comment = Buffer.from(tail.subarray(at + END_SIZE));
    const locator = at - LOCATOR_SIZE;
    if (locator >= 0 && tail.readUInt32LE(locator) === LOCATOR64)
      return { ...end64(source, number64(tail, locator + 8)), comment };
    return {
      count: tail.readUInt16LE(at + 10),
      length: tail.readUInt32LE(at + 12),
      directory: tail.readUInt32LE(at + 16),
      comment,
    };
  }
  throw new ArchiveError('is not a zip archive, or its end is missing.');
}

function end64(source: ByteSource, at: number): Omit<End, 'comment'> {
  const size = 56;
  if (at + size > source.size) throw damaged();
  const record = source.read(at, size);
  if (record.readUInt32LE(0) !== END64) throw damaged();
  return { count: number64(record, 32), length: number64(record, 40), directory: number64(record, 48) };
}

/** @throws ArchiveError for one that no file has */
function number64(bytes: Buffer, at: number): number {
  const number = Number(bytes.readBigUInt64LE(at));
  if (!Number.isSafeInteger(number)) throw damaged();
  return number;
}

function damaged(): ArchiveError {
  return new ArchiveError('is a damaged zip archive.');
}

type Recorded = Omit<ArchivedFile, 'end'>;

function readRecords(directory: Buffer, count: number): Recorded[] {
  const files: Recorded[] = [];
  let at = 0;
  for (let number = 0; number < count; number++) {
    if (at + CENTRAL_SIZE > directory.length || directory.readUInt32LE(at) !== CENTRAL) throw damaged();
    const lengths = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    const size = CENTRAL_SIZE + lengths.reduce((sum, length) => sum + length, 0);
    if (at + size > directory.length) throw damaged();
    files.push(readRecord(Buffer.from(directory.subarray(at, at + size))));
    at += size;
  }
  return files;
}

function readRecord(record: Buffer): Recorded {
  const nameLength = record.readUInt16LE(28);
  const name = record.toString('utf8', CENTRAL_SIZE, CENTRAL_SIZE + nameLength);
  if ((record.readUInt16LE(8) & ENCRYPTED) !== 0) throw new ArchiveError('is encrypted.');
  const facts = {
    name,
    crc: record.readUInt32LE(16),
    isDeflated: record.readUInt16LE(10) === DEFLATED,
    record,
  };
  const [packed, size, offset] = [20, 24, 42].map((field) => record.readUInt32LE(field)) as [
    number,
    number,
    number,
  ];
  const long = longFields(record, CENTRAL_SIZE + nameLength, record.readUInt16LE(30));
  const next = () => {
    const field = long.shift();
    if (field === undefined) throw damaged();
    return field;
  };
  // In this order, each only where its short field cannot hold it.
  const sizeAt = size === IN_ZIP64 ? next() : undefined;
  const packedAt = packed === IN_ZIP64 ? next() : undefined;
  const offsetAt = offset === IN_ZIP64 ? next() : undefined;
  return {
    ...facts,
    size: sizeAt === undefined ? size : number64(record, sizeAt),
    packed: packedAt === undefined ? packed : number64(record, packedAt),
    offset: offsetAt === undefined ? offset : number64(record, offsetAt),
    offsetAt: offsetAt ?? 42,
    offsetBytes: offsetAt === undefined ? 4 : 8,
  };
}

/** Where in a record the numbers of its zip64 field stand. */
function longFields(record: Buffer, start: number, length: number): number[] {
  for (let at = start; at + 4 <= start + length; at += 4 + record.readUInt16LE(at + 2)) {
    if (record.readUInt16LE(at) !== 1) continue;
    const numbers = Math.floor(Math.min(record.readUInt16LE(at + 2), start + length - at - 4) / 8);
    return Array.from({ length: numbers }, (_, number) => at + 4 + number * 8);
  }
  return [];
}

/** Refuses bombs, which are harmless here, but not where the pack is unpacked. */
function verifySizes(files: readonly Recorded[], bytes: number): void {
  const unpacked = files.reduce((sum, { size }) => sum + size, 0);
  if (unpacked > Math.max(MAX_UNPACKED, bytes * MAX_RATIO))
    throw new ArchiveError(`would unpack to ${Math.round(unpacked / 1024 ** 2)} MiB, more than packs do.`);
}

/** Names must be safe on every system, and lead to one file each. */
function verifyNames(files: readonly Recorded[]): void {
  const seen = new Map<string, string>();
  for (const { name } of files) {
    if (/^[/\\]|^[A-Za-z]:|\\|\0/.test(name) || name.split('/').includes('..'))
      throw new ArchiveError(`has a file whose name leads outside of it: ${name}`);
    const folded = foldedName(name);
    const other = seen.get(folded);
    if (other !== undefined) throw new ArchiveError(`has two files of one name: ${other} and ${name}`);
    seen.set(folded, name);
  }
}

/** What names have in common that some systems take for one. */
export function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** With the end of each: records lie one behind the other, with nothing of one inside of another. */
function placed(files: readonly Recorded[], source: ByteSource, directory: number): ArchivedFile[] {
  const inPlace = files.toSorted((a, b) => a.offset - b.offset);
  const ends = new Map(inPlace.map((file, at) => [file, inPlace[at + 1]?.offset ?? directory]));
  return files.map((file) => {
    const end = ends.get(file)!;
    if (file.offset + LOCAL_SIZE + file.packed > end) throw damaged();
    if (source.read(file.offset, 4).readUInt32LE(0) !== LOCAL) throw damaged();
    return { ...file, end };
  });
}

/**
 * The bytes of a file in an archive.
 * @param limit bytes that it may have at most; it is inflated no further
 * @throws ArchiveError
 */
export function readFileIn({ source }: Archive, file: ArchivedFile, limit: number): Buffer {
  if (file.size > limit || file.packed > limit)
    throw new ArchiveError(`has a file of more than ${limit} bytes: ${file.name}`);
  const head = source.read(file.offset, LOCAL_SIZE);
  const start = file.offset + LOCAL_SIZE + head.readUInt16LE(26) + head.readUInt16LE(28);
  if (start + file.packed > file.end) throw damaged();
  const packed = source.read(start, file.packed);
  const bytes = file.isDeflated ? inflated(packed, file) : packed;
  if (bytes.length !== file.size || crc32(bytes) !== file.crc) throw damaged();
  return bytes;
}

function inflated(packed: Buffer, { size, name }: ArchivedFile): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw new ArchiveError(`has a damaged file: ${name}`, { cause: error });
  }
}

/** Bytes that are copied at once. */
const PIECE = 1024 * 1024;

/**
 * The bytes of an archive up to its directory, without some of its files. What stays is copied byte by byte, in its order, with
 * whatever stands between the files.
 * @returns what writes more files behind them, and the directory
 */
export function* keptArchive(
  { source, files, directory }: Archive,
  isDropped: (file: ArchivedFile) => boolean,
): Generator<Uint8Array, ZipWriter> {
  const moved = new Map<ArchivedFile, number>();
  let from = 0;
  let written = 0;
  for (const file of files.toSorted((a, b) => a.offset - b.offset)) {
    if (isDropped(file)) {
      yield* copied(source, from, file.offset);
      written += file.offset - from;
      from = file.end;
    } else moved.set(file, written + file.offset - from);
  }
  yield* copied(source, from, directory);
  const kept = files.filter((file) => moved.has(file)).map((file) => movedRecord(file, moved.get(file)!));
  return new ZipWriter({ offset: written + directory - from, records: kept });
}

function* copied(source: ByteSource, from: number, to: number): Generator<Uint8Array> {
  for (let at = from; at < to; at += PIECE) yield source.read(at, Math.min(PIECE, to - at));
}

function movedRecord({ record, offsetAt, offsetBytes }: ArchivedFile, offset: number): Buffer {
  const moved = Buffer.from(record);
  if (offsetBytes === 8) moved.writeBigUInt64LE(BigInt(offset), offsetAt);
  else moved.writeUInt32LE(offset, offsetAt);
  return moved;
}
