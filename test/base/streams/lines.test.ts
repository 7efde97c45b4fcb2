import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileLines, type RawLine, streamLines } from '../../../src/base/streams.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

/** Bytes; the file is read in whole parts of it. */
const CHUNK = 1024 * 1024;
const LONGEST_LINE = 256 * 1024;

interface Line {
  readonly text: string;
  readonly at: number;
}

/** The lines that are whole, short enough and not empty. @returns bytes up to the end of the last whole line */
function forEachLine(fd: number, each: (line: Buffer, at: number) => void): number {
  let end = 0;
  for (const { bytes, offset, length, isEnded } of fileLines(fd, LONGEST_LINE + 1)) {
    if (!isEnded) break;
    if (bytes && bytes.length > 1) each(bytes.subarray(0, -1), offset);
    end = offset + length;
  }
  return end;
}

/** Reads files of any content from one place. */
async function reader(): Promise<(content: string | Uint8Array) => { lines: Line[]; whole: number }> {
  const path = join(await ownFolder(), 'file');
  writeFileSync(path, '');
  const fd = openSync(path, 'r');
  onTestFinished(() => closeSync(fd));
  return (content) => {
    writeFileSync(path, content);
    const lines: Line[] = [];
    const whole = forEachLine(fd, (line, at) => lines.push({ text: line.toString('utf8'), at }));
    return { lines, whole };
  };
}

/** The same by splitting the whole content. */
function expectedOf(content: string): { lines: Line[]; whole: number } {
  const parts = content.split('\n');
  const lines: Line[] = [];
  let at = 0;
  for (const text of parts.slice(0, -1)) {
    if (text !== '') lines.push({ text, at });
    at += Buffer.byteLength(text) + 1;
  }
  return { lines, whole: at };
}

describe('The lines of a file', () => {
  const files: [what: string, content: string, lines: Line[], whole: number][] = [
    ['nothing', '', [], 0],
    ['a line break', '\n', [], 1],
    ['a line', 'one\n', [{ text: 'one', at: 0 }], 4],
    ['a torn line', 'one', [], 0],
    ['a line and a torn one', 'one\ntw', [{ text: 'one', at: 0 }], 4],
    ['empty lines', '\n\none\n\n', [{ text: 'one', at: 2 }], 7],
    [
      'characters of several bytes',
      'Zoë\n🙂\n',
      [
        { text: 'Zoë', at: 0 },
        { text: '🙂', at: 5 },
      ],
      10,
    ],
    ['a line break of Windows', 'one\r\n', [{ text: 'one\r', at: 0 }], 5],
  ];
  test.each(files)('are found in %s', async (_, content, lines, whole) => {
    expect((await reader())(content)).toEqual({ lines, whole });
  });

  test('are whole when they span two reads', async () => {
    const read = await reader();
    for (let shift = -3; shift <= 3; shift++) {
      const first = 'a'.repeat(100_000);
      const content = `${`${first}\n`.repeat(10)}${'b'.repeat(CHUNK - 1_000_010 - 4 + shift)}\nZoë🙂\n${first}\ntorn`;
      expect(read(content)).toEqual(expectedOf(content));
    }
  });

  test('are whole when a character spans two reads', async () => {
    const read = await reader();
    for (let shift = 0; shift < 4; shift++) {
      const content = `${`${'x'.repeat(200_000)}\n`.repeat(5)}${'y'.repeat(CHUNK - 1_000_005 - shift)}🙂\nend\n`;
      expect(read(content)).toEqual(expectedOf(content));
    }
  });

  test('are skipped only when they are too long to be ours', async () => {
    const read = await reader();
    const longest = 'x'.repeat(LONGEST_LINE);
    const content = `one\n${longest}\n${longest}y\n${'z'.repeat(3 * CHUNK)}\ntwo\n`;
    const { lines, whole } = read(content);
    expect(lines.map(({ text }) => text)).toEqual(['one', longest, 'two']);
    expect(lines.at(-1)?.at).toBe(content.length - 4);
    expect(whole).toBe(content.length);
  });

  test('may be kept by their reader', async () => {
    const path = join(await ownFolder(), 'file');
    const texts = Array.from({ length: 4_000 }, (_, n) => `${n} `.repeat(200));
    writeFileSync(path, texts.map((text) => `${text}\n`).join(''));
    const fd = openSync(path, 'r');
    onTestFinished(() => closeSync(fd));
    const kept: Buffer[] = [];
    forEachLine(fd, (line) => kept.push(line));
    expect(kept.map((line) => line.toString())).toEqual(texts);
  });

  test('are the same as when the whole content is split', async () => {
    const read = await reader();
    const line = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'ë', '🙂', '\r', '{', '}', '\n'), maxLength: 20 }),
      fc.integer({ min: 1, max: LONGEST_LINE }).map((length) => 'x'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.boolean(), (texts, isTorn) => {
        const content = texts.join('\n') + (isTorn ? '' : '\n');
        expect(read(content)).toEqual(expectedOf(content));
      }),
      { numRuns: 60, seed: 20_251_121 },
    );
  });
});

const MAX = 10;

/** Each line's text, or its length if it is too long, as a file and as a stream in pieces of every size. */
async function read(text: string): Promise<unknown[]> {
  const path = join(await ownFolder(), 'lines');
  writeFileSync(path, text);
  const fd = openSync(path, 'r');
  const inFile = Array.from(fileLines(fd, MAX), shown);
  closeSync(fd);
  for (let size = 1; size < text.length; size++) {
    const inStream: unknown[] = [];
    for await (const line of streamLines(pieces(Buffer.from(text), size), MAX)) inStream.push(shown(line));
    expect(inStream).toEqual(inFile);
  }
  return inFile;
}

function shown({ number, offset, isEnded, length, bytes }: RawLine) {
  return [number, offset, isEnded, bytes?.toString() ?? length];
}

/** The same buffer is used for all pieces, as streams may. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size)
    yield piece.subarray(0, bytes.copy(piece, 0, at, at + size));
}

describe('Lines of a file and of a stream', () => {
  test('have their number, place and line break', async () => {
    expect(await read('one\n\ntwo\r\nlast')).toEqual([
      [1, 0, true, 'one\n'],
      [2, 4, true, '\n'],
      [3, 5, true, 'two\r\n'],
      [4, 10, false, 'last'],
    ]);
  });

  test('have no content if they are too long, and later lines do', async () => {
    expect(await read(`123456789\n1234567890\n${'x'.repeat(30)}\nnext\n`)).toEqual([
      [1, 0, true, '123456789\n'],
      [2, 10, true, 11],
      [3, 21, true, 31],
      [4, 52, true, 'next\n'],
    ]);
  });

  test('do not exist in an empty file', async () => {
    expect(await read('')).toEqual([]);
  });
});
