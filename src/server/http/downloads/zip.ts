import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** Sizes of the records without their names. */
const LOCAL_SIZE = 30;
const CENTRAL_SIZE = 46;
const END_SIZE = 22;
/** Names are UTF-8. */
const UTF8 = 0x0800;
const STORED = 0;
const DEFLATED = 8;
/** 2.0, as whoever can inflate understands. */
const VERSION = 20;
/** A plain file of Unix, readable for all. */
const MODE = 0o100644;
const UNIX = 3;

export interface ZipFile {
  /** Path in the archive, with `/`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Whether it is worth compressing. */
  readonly isText?: boolean;
}

/** Writes a zip archive file by file (APPNOTE.TXT 6.3.10, without zip64: below 65,535 files and 4 GiB). */
export class ZipWriter {
  readonly #directory: Buffer[] = [];
  #offset = 0;

  /** The next bytes of the archive. */
  async *file({ name, bytes, time, isText = false }: ZipFile): AsyncGenerator<Uint8Array, void, void> {
    const stored = isText ? await deflate(bytes) : bytes;
    const path = Buffer.from(name);
    const facts = factsOf({ isText, time, bytes, stored, path });
    const head = Buffer.alloc(LOCAL_SIZE);
    head.writeUInt32LE(0x04034b50);
    facts.copy(head, 4);
    this.#directory.push(centralRecord(facts, this.#offset), path);
    this.#offset += LOCAL_SIZE + path.length + stored.length;
    yield Buffer.concat([head, path]);
    yield stored;
  }

  /** The last bytes of the archive. `comment`: ASCII, below 64 KiB. */
  end(comment = ''): Uint8Array {
    const directory = Buffer.concat(this.#directory);
    const count = this.#directory.length / 2;
    const end = Buffer.alloc(END_SIZE);
    end.writeUInt32LE(0x06054b50);
    end.writeUInt16LE(count, 8);
    end.writeUInt16LE(count, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(this.#offset, 16);
    end.writeUInt16LE(comment.length, 20);
    return Buffer.concat([directory, end, Buffer.from(comment)]);
  }
}

interface Facts extends Pick<ZipFile, 'time' | 'bytes'> {
  readonly isText: boolean;
  readonly stored: Uint8Array;
  readonly path: Uint8Array;
}

/** The fields that both records of a file share. */
function factsOf({ isText, time, bytes, stored, path }: Facts): Buffer {
  const facts = Buffer.alloc(LOCAL_SIZE - 4);
  const [day, clock] = dosTime(new Date(time));
  facts.writeUInt16LE(VERSION, 0);
  facts.writeUInt16LE(UTF8, 2);
  facts.writeUInt16LE(isText ? DEFLATED : STORED, 4);
  facts.writeUInt16LE(clock, 6);
  facts.writeUInt16LE(day, 8);
  facts.writeUInt32LE(crc32(bytes), 10);
  facts.writeUInt32LE(stored.length, 14);
  facts.writeUInt32LE(bytes.length, 18);
  facts.writeUInt16LE(path.length, 22);
  return facts;
}

function centralRecord(facts: Buffer, offset: number): Buffer {
  const record = Buffer.alloc(CENTRAL_SIZE);
  record.writeUInt32LE(0x02014b50);
  record.writeUInt16LE((UNIX << 8) | VERSION, 4);
  facts.copy(record, 6);
  record.writeUInt32LE(MODE * 0x10000, 38);
  record.writeUInt32LE(offset, 42);
  return record;
}

/** Date and time in UTC, as DOS wrote them: from 1980 on, in steps of two seconds. */
function dosTime(time: Date): [day: number, clock: number] {
  const year = Math.min(Math.max(time.getUTCFullYear(), 1980), 2107) - 1980;
  const day = (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return [day, clock];
}
