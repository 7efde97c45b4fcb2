import { streamLines } from '../../../base/lines.ts';
import type { SkinExportFormat } from '../../../index.ts';
import { CliError } from '../../errors/exit.ts';

/** What an export holds. */
export interface Exported {
  readonly skins: number;
  /** Where the next export begins, if there are more skins. */
  readonly next: string | undefined;
}

/** Requests an export that begins after this place; undefined: at the newest skin. */
type Download = (after: string | undefined) => AsyncIterable<Uint8Array>;

/** Takes the next bytes of the file. */
export type Sink = (bytes: Uint8Array) => Promise<void> | void;

/** Downloads a whole file. @throws CliError `export_cut_off` if its end is missing */
type Copy = (download: Download, after: string | undefined, sink: Sink) => Promise<Exported>;

/** What each format needs, so that the file is complete and its skins are counted. */
export const EXPORT_COPIES: Readonly<Record<SkinExportFormat, Copy>> = { zip: copyZip, lock: copyLock };

/** Bytes of an export: those of 300,000 skins. */
const MAX_BYTES = 1024 ** 3;

/** Takes no more than a service can have for one caller: it must not fill the disk. @throws CliError */
export function bounded(sink: Sink, maxBytes = MAX_BYTES): Sink {
  let taken = 0;
  return async (bytes) => {
    taken += bytes.length;
    if (taken > maxBytes) throw tooLarge(maxBytes);
    await sink(bytes);
  };
}

/** `PK\x05\x06`: the record at the end of an archive. */
const END_SIGNATURE = Buffer.from('PK\x05\x06');
const END_SIZE = 22;
/** Longest comment behind that record that is looked for. */
const MAX_COMMENT = 1024;

async function copyZip(download: Download, after: string | undefined, sink: Sink): Promise<Exported> {
  let tail: Buffer = Buffer.alloc(0);
  let size = 0;
  for await (const bytes of download(after)) {
    await sink(bytes);
    size += bytes.length;
    tail = Buffer.concat([tail, bytes.subarray(-END_SIZE - MAX_COMMENT)]).subarray(-END_SIZE - MAX_COMMENT);
  }
  return endOfZip(tail, size);
}

/** Proves by the last record that the archive is complete. `size`: of the archive. @throws CliError */
function endOfZip(tail: Buffer, size: number): Exported {
  const start = tail.lastIndexOf(END_SIGNATURE);
  const end = tail.subarray(start);
  if (start === -1 || end.length < END_SIZE) throw cutOff();
  const directory = end.readUInt32LE(12) + end.readUInt32LE(16);
  if (directory + end.length !== size || END_SIZE + end.readUInt16LE(20) !== end.length) throw cutOff();
  const next = /\bafter=(\S+)$/.exec(end.toString('latin1', END_SIZE))?.[1];
  const others = next === undefined ? 1 : 2; // skins.lock, and MORE.txt where there are more skins
  return { skins: end.readUInt16LE(10) - others, next };
}

/** Lines need no end of their own, so one part after another is requested until there are no more. */
async function copyLock(download: Download, after: string | undefined, sink: Sink): Promise<Exported> {
  let skins = 0;
  for (let place = after; ; ) {
    let last: Uint8Array | undefined;
    for await (const line of linesOf(download(place))) {
      await sink(line);
      last = line;
      skins++;
    }
    if (!last) return { skins, next: undefined };
    place = placeBehind(last, place);
  }
}

/** Longest line; those of the service are below 8 KiB. */
const MAX_LINE = 256 * 1024;

/** Whole lines, each with the line break at its end. @throws CliError */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  for await (const { bytes, isEnded } of streamLines(chunks, MAX_LINE)) {
    if (!bytes) throw unreadable();
    if (!isEnded) throw cutOff();
    yield bytes;
  }
}

/** @throws CliError when the line has no UUID, or the service begins again where it began before */
function placeBehind(line: Uint8Array, before: string | undefined): string {
  const uuid = uuidIn(Buffer.from(line).toString());
  if (typeof uuid !== 'string' || uuid === before) throw unreadable();
  return uuid;
}

function uuidIn(line: string): unknown {
  try {
    return (JSON.parse(line) as { uuid?: unknown } | null)?.uuid;
  } catch {
    return undefined;
  }
}

function cutOff(): CliError {
  return new CliError('export_cut_off', 'The export broke off before its end.', {
    hint: 'Run the command again.',
    exit: 'tryLater',
  });
}

function tooLarge(maxBytes: number): CliError {
  const message = `The service sent an export of more than ${maxBytes / 1024 ** 2} MiB.`;
  return new CliError('unreadable_export', message, {
    hint: 'If you have that many skins, export them in parts: --visibility, --variant, --filter.',
  });
}

function unreadable(): CliError {
  return new CliError('unreadable_export', 'The service sent an export that this program cannot read.');
}
