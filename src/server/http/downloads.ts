import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { sleepOrWake } from '../../base/clock.ts';
import { lineOf } from '../../protocol/lock-line.ts';
import type { Caller } from '../service/callers/caller.ts';
import type { ServiceContext } from '../service/context.ts';
import { type ExportQuery, exportSkins, type SkinExport } from '../service/skins/export.ts';
import type { HttpRequest } from './request.ts';
import type { Answer } from './route.ts';

export interface ExportOptions {
  /** The address of the next part, which begins after the last skin of this one. */
  readonly partAfter: (after: string) => string;
}

/** skins.lock alone: a line for each skin. */
export async function* lockLines(skins: SkinExport['skins']): AsyncGenerator<Uint8Array, void, void> {
  for await (const { line } of skins) yield Buffer.from(`${lineOf(line)}\n`);
}

/**
 * The pictures, and the skins.lock that belongs to them. If there are more skins, a file tells people where the next
 * part is, and the comment of the archive tells programs, which need only its last bytes.
 */
export async function* zipArchive(
  skins: SkinExport['skins'],
  { partAfter }: ExportOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const zip = new ZipWriter();
  const lines: string[] = [];
  let newest = 0;
  let next = await skins.next();
  for (; !next.done; next = await skins.next()) {
    const { line, png, time } = next.value;
    lines.push(`${lineOf(line)}\n`);
    newest = Math.max(newest, time);
    yield* zip.file({ name: line.source, bytes: png, time });
  }
  yield* zip.file({ name: 'skins.lock', bytes: Buffer.from(lines.join('')), time: newest, isText: true });
  if (next.value !== undefined) {
    const text = `There are more skins. The next part: ${partAfter(next.value)}\n`;
    yield* zip.file({ name: 'MORE.txt', bytes: Buffer.from(text), time: newest, isText: true });
  }
  yield zip.end(next.value === undefined ? '' : `There are more skins: after=${next.value}`);
}

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

/** Milliseconds in which an export must have been read. */
const MAX_AGE = 10 * 60_000;
/** Bytes that wait for a slow reader. */
const BACKLOG = 256 * 1024;

/** The kinds of exports, by how their names end. */
export const EXPORTS = {
  zip: { type: 'application/zip', write: zipArchive },
  lock: { type: 'application/x-ndjson', write: lockLines },
} as const satisfies Record<string, ExportKind>;

interface ExportKind {
  readonly type: string;
  readonly write: (skins: SkinExport['skins'], options: ExportOptions) => AsyncIterable<Uint8Array>;
}

interface ExportCall {
  readonly context: ServiceContext;
  readonly request: Pick<HttpRequest, 'method' | 'signal'>;
  readonly caller: Caller;
  readonly verify: () => Promise<void>;
  readonly query: ExportQuery;
}

/** The caller's skins as a file, written while it is read. `path`: of this address. @throws Refusal */
export async function exportAnswer(
  kind: keyof typeof EXPORTS,
  path: string,
  { context, request, caller, verify, query }: ExportCall,
): Promise<Answer> {
  const { type, write } = EXPORTS[kind];
  const headers = {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="skins.${kind}"`,
    'Cache-Control': 'no-store',
  };
  if (request.method === 'HEAD') return { status: 200, headers, body: undefined };
  const { skins, end } = await exportSkins(context, caller, query);
  const { after: _, ...filters } = query;
  const partAfter = (after: string) =>
    `${context.publicUrl()}${path}?${new URLSearchParams({ ...withoutAbsent(filters), after })}`;
  const body = Readable.from(write(skins, { partAfter }), { objectMode: false, highWaterMark: BACKLOG });
  const stop = context.openRequests.hold(verify, () => void body.destroy());
  body.once('close', () => {
    stop();
    end();
  });
  endInTime(body, request.signal, context);
  return { status: 200, headers, body };
}

function withoutAbsent(query: object): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}

/** Ends a download whose reader is gone, or too slow. */
function endInTime(body: Readable, signal: AbortSignal, { clock }: Pick<ServiceContext, 'clock'>): void {
  const closed = new AbortController();
  body.once('close', () => closed.abort());
  if (signal.aborted) body.destroy();
  else signal.addEventListener('abort', () => body.destroy(), { once: true, signal: closed.signal });
  void sleepOrWake(clock, MAX_AGE, closed.signal).then(() => body.destroy());
}
