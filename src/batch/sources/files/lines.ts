import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { utf16Of, withoutMark } from '../../../base/parsed-json.ts';
import { BatchSetupError } from '../../model/setup-error.ts';

/** Bytes. */
const LONGEST_LINE = 64 * 1024;
const NEWLINE = 0x0a;

/** One line of a list, without its end. `number` counts from 1. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly fault: string };

/** The lines of a list as they arrive; buffers one chunk and one line. @throws BatchSetupError for binary data */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, title: string): AsyncGenerator<Line> {
  const line = new GrowingLine();
  let number = 1;
  for await (const bytes of asUtf8(chunks)) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (chunk.includes(0)) throw notText(title);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end));
      yield line.end(number++);
      start = end + 1;
    }
    line.add(Buffer.from(chunk.subarray(start))); // a copy: the stream may reuse the chunk
  }
  if (!line.isEmpty) yield line.end(number);
}

/** The same text in UTF-8: Windows' editors and PowerShell write UTF-16 as well, and say so in its first two bytes. */
async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    let next = chunk;
    if (start) {
      next = start.length > 0 ? Buffer.concat([start, chunk]) : chunk;
      start = next.length < 2 ? Buffer.from(next) : undefined; // a copy: the stream may reuse the chunk
      if (start) continue;
      const encoding = utf16Of(next);
      if (encoding) decoder = new TextDecoder(encoding, { ignoreBOM: true });
    }
    yield decoder ? Buffer.from(decoder.decode(next, { stream: true })) : next;
  }
  if (start && start.length > 0) yield start;
  if (decoder) yield Buffer.from(decoder.decode());
}

function notText(title: string): BatchSetupError {
  return new BatchSetupError('not_a_list', `Not a list: ${title} contains zero bytes, so it is not text.`, {
    hint: 'A list is a text file: a source per line, CSV, or NDJSON.',
  });
}

/** The pieces of one line, up to a limit. */
class GrowingLine {
  #pieces: Buffer[] = [];
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length <= LONGEST_LINE) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  end(number: number): Line {
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const isTooLong = this.#length > LONGEST_LINE;
    this.#pieces = [];
    this.#length = 0;
    if (isTooLong) return { number, fault: `it is longer than ${LONGEST_LINE / 1024} KiB` };
    if (!isUtf8(bytes)) return { number, fault: 'it is not UTF-8' };
    return { number, text: textOf(bytes, number) };
  }
}

function textOf(bytes: Buffer, number: number): string {
  const text = bytes.toString('utf8').replace(/\r$/, '');
  return number === 1 ? withoutMark(text) : text;
}
