import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { utf16Of, withoutMark } from '../../base/json.ts';
import { streamLines } from '../../base/lines.ts';
import { BatchSetupError } from '../model/source.ts';

/** Bytes. */
const LONGEST_LINE = 64 * 1024;

/** One line of a list, without its end. `number` counts from 1. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly fault: string };

/** The lines of a list as they arrive. @throws BatchSetupError for binary data */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, title: string): AsyncGenerator<Line> {
  for await (const { number, bytes, isEnded } of streamLines(textChunks(chunks, title), LONGEST_LINE + 1)) {
    if (!bytes) yield { number, fault: `it is longer than ${LONGEST_LINE / 1024} KiB` };
    else yield lineIn(isEnded ? bytes.subarray(0, -1) : bytes, number);
  }
}

async function* textChunks(chunks: AsyncIterable<Uint8Array>, title: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of asUtf8(chunks)) {
    if (chunk.includes(0)) throw notText(title);
    yield chunk;
  }
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

function lineIn(bytes: Buffer, number: number): Line {
  if (!isUtf8(bytes)) return { number, fault: 'it is not UTF-8' };
  const text = bytes.toString('utf8').replace(/\r$/, '');
  return { number, text: number === 1 ? withoutMark(text) : text };
}
