import { readSync } from 'node:fs';

const CHUNK = 1024 * 1024;
/** A longer line is not one of ours and is skipped. */
const LONGEST_LINE = 256 * 1024;
const NEWLINE = 0x0a;

/** Calls back for each whole line of a file with its offset. @returns bytes up to the end of the last whole line */
export function forEachLine(fd: number, each: (line: Buffer, at: number) => void): number {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let kept = Buffer.alloc(0);
  let at = 0;
  for (let position = 0; ; ) {
    const read = readSync(fd, buffer, 0, CHUNK, position);
    if (read === 0) return at;
    position += read;
    const data = Buffer.concat([kept, buffer.subarray(0, read)]);
    let from = 0;
    for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, from)) {
      if (end > from && end - from <= LONGEST_LINE) each(data.subarray(from, end), at + from);
      from = end + 1;
    }
    at += from;
    kept = Buffer.from(data.subarray(from));
  }
}
