import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventStreamParser, type ServerSentEvent } from '../../../src/client/answers.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function parse(...pieces: (string | Uint8Array)[]): ServerSentEvent[] {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(typeof piece === 'string' ? bytes(piece) : piece));
}

const event = (data: string, type = 'message', id = '') => ({ type, data, id });

describe('a stream of server-sent events', () => {
  const streams: [what: string, text: string, events: ServerSentEvent[]][] = [
    ['one event', 'event: job\ndata: {}\nid: 7\n\n', [event('{}', 'job', '7')]],
    ['an event without a type', 'data: a\n\n', [event('a')]],
    ['data of several lines', 'data: a\ndata:\ndata: b\n\n', [event('a\n\nb')]],
    ['only the first space after a colon gone', 'data:  a \ndata:b\n\n', [event(' a \nb')]],
    ['colons in the value', 'data: {"a":"b: c"}\n\n', [event('{"a":"b: c"}')]],
    ['a field without a colon', 'data\n\ndata\ndata\n\n', [event(''), event('\n')]],
    ['comments', ': hello\n\n:\ndata: a\n: between\ndata: b\n\n', [event('a\nb')]],
    ['fields nobody knows', 'retry: 1000\nfoo: bar\nDATA: x\n data: y\ndata: a\n\n', [event('a')]],
    ['an event without data', 'event: job\nid: 1\n\ndata: a\n\n', [event('a', 'message', '1')]],
    ['a type that holds for one event', 'event: x\ndata: a\n\ndata: b\n\n', [event('a', 'x'), event('b')]],
    ['the last of two types', 'event: x\nevent: y\ndata: a\n\n', [event('a', 'y')]],
    [
      'an id that stays',
      'id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n',
      [event('a', 'message', '1'), event('b', 'message', '1'), event('c')],
    ],
    ['an id with a null passed over', 'id: 1\nid: 2\0\ndata: a\n\n', [event('a', 'message', '1')]],
    ['CR at the ends of lines', 'event: x\rdata: a\r\rdata: b\r\r', [event('a', 'x'), event('b')]],
    ['CRLF at the ends of lines', 'event: x\r\ndata: a\r\n\r\n', [event('a', 'x')]],
    ['all of them mixed', 'data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\r', [event('a\nb\nc'), event('d')]],
    ['a byte order mark at its beginning', '\uFEFFdata: a\n\n', [event('a')]],
    ['a byte order mark later on', 'data: a\n\n\uFEFFdata: b\n\ndata: c\n\n', [event('a'), event('c')]],
    ['an event that is cut off', 'data: a\n\ndata: b\n', [event('a')]],
    ['nothing', '', []],
    ['characters of every length', 'data: aé€😀\n\n', [event('aé€😀')]],
  ];
  test.each(streams)('with %s is read, whole and byte by byte', (_, text, events) => {
    expect(parse(text)).toEqual(events);
    expect(parse(...Array.from(bytes(text), (byte) => Uint8Array.of(byte)))).toEqual(events);
  });

  test('gives an event as soon as its empty line is there', () => {
    const parser = new EventStreamParser();
    expect(parser.push(bytes('data: a\r'))).toEqual([]);
    expect(parser.push(bytes('\n\r'))).toEqual([event('a')]);
    expect(parser.push(bytes('\ndata: b\n\n'))).toEqual([event('b')]);
  });

  test('replaces bytes that are no UTF-8', () => {
    expect(parse(Uint8Array.of(...bytes('data: a'), 0xff, ...bytes('b\n\n')))).toEqual([event('a\uFFFDb')]);
  });

  test('is refused when a line does not end', () => {
    const line = `data: ${'x'.repeat(1024 * 1024 - 6)}`;
    expect(parse(`${line}\n\n`)).toHaveLength(1);
    expect(() => parse(`${line}x\n\n`)).toThrow('too long');
    const parser = new EventStreamParser();
    const piece = bytes('x'.repeat(100_000));
    expect(() => {
      for (let n = 0; n < 11; n++) parser.push(piece);
    }).toThrow(expect.objectContaining({ code: 'unreadable_answer' }));
  });

  test('is refused when an event does not end', () => {
    const parser = new EventStreamParser();
    const line = bytes(`data: ${'x'.repeat(1_000_000)}\n`);
    expect(() => {
      for (let n = 0; n < 9; n++) parser.push(line);
    }).toThrow('too long');
  });

  test('begins after one byte order mark, wherever that is cut; a second one is text', () => {
    const all = bytes('\uFEFF\uFEFFdata\n\n\uFEFF\n');
    for (const cut of [1, 2, 3, 4, 5, 6]) expect(parse(all.subarray(0, cut), all.subarray(cut))).toEqual([]);
  });

  test('is the same however it is cut into pieces', () => {
    const alphabet = [
      'data',
      'event',
      'id',
      ':',
      ' ',
      'a',
      'é',
      '😀',
      '\uFEFF',
      '\r',
      '\n',
      '\r\n',
      '\n\n',
      '\0',
    ];
    const text = fc.array(fc.constantFrom(...alphabet), { maxLength: 40 }).map((parts) => parts.join(''));
    const cuts = fc.array(fc.nat(200), { maxLength: 12 });
    fc.assert(
      fc.property(text, cuts, (whole, places) => {
        const all = bytes(whole);
        const ends = [...places.filter((place) => place < all.length), all.length].sort((a, b) => a - b);
        const pieces = ends.map((end, index) => all.subarray(ends[index - 1] ?? 0, end));
        expect(parse(...pieces)).toEqual(parse(all));
      }),
      { numRuns: 500 },
    );
  });

  test('reads back what is written by the standard', () => {
    const word = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n\0]/g, ''));
    const written = fc.record({
      type: word,
      lines: fc.array(word, { minLength: 1, maxLength: 3 }),
      id: word,
      end: fc.constantFrom('\n', '\r', '\r\n'),
    });
    fc.assert(
      fc.property(fc.array(written, { maxLength: 5 }), (events) => {
        const text = events.map(({ type, lines, id, end }) =>
          [`event: ${type}`, ...lines.map((line) => `data: ${line}`), `id: ${id}`, '', ''].join(end),
        );
        expect(parse(text.join(''))).toEqual(
          events.map(({ type, lines, id }) => event(lines.join('\n'), type || 'message', id)),
        );
      }),
    );
  });
});
