import { crc32 } from 'node:zlib';

/** Sizes of the records without their names. */
const LOCAL_SIZE = 30;
const CENTRAL_SIZE = 46;
const END_SIZE = 22;
const END64_SIZE = 56;
const LOCATOR64_SIZE = 20;
/** Names are UTF-8. */
const UTF8 = 0x0800;
const STORED = 0;
const DEFLATED = 8;
/** 2.0, which every program that can inflate reads. */
const VERSION = 20;
/** 4.5: zip64. */
const VERSION64 = 45;
/** A plain file of Unix, readable for all. */
const MODE = 0o100644;
const UNIX = 3;
/** Stands for a number that only the zip64 record holds. */
const IN_ZIP64 = 0xffff;
const MAX_SIZE = 0xffff_ffff;

export interface ZipFile {
  /** Path in the archive, with `/`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch; default: 1980, where the format's time begins. */
  readonly time?: number;
  /** The bytes as raw deflate makes them; absent: they are stored as they are. */
  readonly deflated?: Uint8Array | undefined;
}

/** The archive would have more bytes than the format can count. */
export class ZipTooLargeError extends Error {
  override readonly name = 'ZipTooLargeError';
}

/**
 * Writes a zip archive file by file (APPNOTE.TXT 6.3.10): any number of files, below 4 GiB in all. The same files give
 * the same bytes, whatever the time zone.
 */
export class ZipWriter {
  readonly #directory: Buffer[];
  #offset: number;
  #count: number;

  /** Goes on with an archive that has `offset` bytes and these records so far. */
  constructor({ offset = 0, records = [] }: { offset?: number; records?: readonly Buffer[] } = {}) {
    this.#directory = [...records];
    this.#offset = offset;
    this.#count = records.length;
  }

  /** The next bytes of the archive. @throws ZipTooLargeError */
  file({ name, bytes, time = 0, deflated }: ZipFile): readonly Uint8Array[] {
    const stored = deflated ?? bytes;
    const path = Buffer.from(name);
    const facts = factsOf({ isDeflated: deflated !== undefined, time, bytes, stored, path });
    const head = Buffer.alloc(LOCAL_SIZE + path.length);
    head.writeUInt32LE(0x04034b50);
    facts.copy(head, 4);
    path.copy(head, LOCAL_SIZE);
    this.#directory.push(centralRecord(facts, path, this.#offset));
    this.#offset += head.length + stored.length;
    this.#count++;
    if (this.#offset > MAX_SIZE) throw new ZipTooLargeError('The archive has more than 4 GiB.');
    return [head, stored];
  }

  /** The last bytes of the archive. `comment`: below 64 KiB. @throws ZipTooLargeError */
  end(comment: string | Uint8Array = ''): Uint8Array {
    const directory = Buffer.concat(this.#directory);
    if (this.#offset + directory.length > MAX_SIZE)
      throw new ZipTooLargeError('The archive has more than 4 GiB.');
    const isLong = this.#count >= IN_ZIP64;
    const end = Buffer.alloc(END_SIZE);
    const count = isLong ? IN_ZIP64 : this.#count;
    end.writeUInt32LE(0x06054b50);
    end.writeUInt16LE(count, 8);
    end.writeUInt16LE(count, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(this.#offset, 16);
    const bytes = Buffer.from(comment);
    end.writeUInt16LE(bytes.length, 20);
    const zip64 = isLong ? [this.#zip64End(directory.length)] : [];
    return Buffer.concat([directory, ...zip64, end, bytes]);
  }

  /** The record for more than 65,534 files, and the one that leads to it. */
  #zip64End(directoryLength: number): Buffer {
    const records = Buffer.alloc(END64_SIZE + LOCATOR64_SIZE);
    records.writeUInt32LE(0x06064b50);
    records.writeBigUInt64LE(BigInt(END64_SIZE - 12), 4);
    records.writeUInt16LE((UNIX << 8) | VERSION64, 12);
    records.writeUInt16LE(VERSION64, 14);
    records.writeBigUInt64LE(BigInt(this.#count), 24);
    records.writeBigUInt64LE(BigInt(this.#count), 32);
    records.writeBigUInt64LE(BigInt(directoryLength), 40);
    records.writeBigUInt64LE(BigInt(this.#offset), 48);
    records.writeUInt32LE(0x07064b50, END64_SIZE);
    records.writeBigUInt64LE(BigInt(this.#offset + directoryLength), END64_SIZE + 8);
    records.writeUInt32LE(1, END64_SIZE + 16);
    return records;
  }
}

interface Facts extends Pick<ZipFile, 'bytes'> {
  readonly isDeflated: boolean;
  readonly time: number;
  readonly stored: Uint8Array;
  readonly path: Uint8Array;
}

/** The fields that both records of a file share. */
function factsOf({ isDeflated, time, bytes, stored, path }: Facts): Buffer {
  const facts = Buffer.alloc(LOCAL_SIZE - 4);
  const [day, clock] = dosTime(new Date(time));
  facts.writeUInt16LE(VERSION, 0);
  facts.writeUInt16LE(UTF8, 2);
  facts.writeUInt16LE(isDeflated ? DEFLATED : STORED, 4);
  facts.writeUInt16LE(clock, 6);
  facts.writeUInt16LE(day, 8);
  facts.writeUInt32LE(crc32(bytes), 10);
  facts.writeUInt32LE(stored.length, 14);
  facts.writeUInt32LE(bytes.length, 18);
  facts.writeUInt16LE(path.length, 22);
  return facts;
}

function centralRecord(facts: Buffer, path: Buffer, offset: number): Buffer {
  const record = Buffer.alloc(CENTRAL_SIZE + path.length);
  record.writeUInt32LE(0x02014b50);
  record.writeUInt16LE((UNIX << 8) | VERSION, 4);
  facts.copy(record, 6);
  record.writeUInt32LE(MODE * 0x10000, 38);
  record.writeUInt32LE(offset, 42);
  path.copy(record, CENTRAL_SIZE);
  return record;
}

/** Date and time in UTC, as DOS wrote them: from 1980 on, in steps of two seconds. */
function dosTime(time: Date): [day: number, clock: number] {
  const year = Math.min(Math.max(time.getUTCFullYear(), 1980), 2107) - 1980;
  const day = (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return [day, clock];
}
