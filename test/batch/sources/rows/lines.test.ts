import { describe, expect, test } from 'vitest';
import { listRows } from '../../../../src/batch/sources/lists.ts';
import { readLines } from '../../../../src/batch/sources/rows.ts';
import { collected } from '../../../support/batch/read-sources.ts';

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe('readLines', () => {
  test('gives lines without their ends and without a byte order mark', async () => {
    const list = pieces('\uFEFFa\r', '\nb\rc\n', '\n', ' d', ' \n\uFEFFe');
    expect(await collected(readLines(list, 'list'))).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: 'b\rc' },
      { number: 3, text: '' },
      { number: 4, text: ' d ' },
      { number: 5, text: '\uFEFFe' },
    ]);
  });

  test('keeps nothing of a reused chunk', async () => {
    const buffer = Buffer.alloc(3);
    const reused = async function* () {
      for (const text of ['a\nb', 'c\nd', 'e\nf']) {
        buffer.write(text);
        yield buffer;
      }
    };
    const lines = await collected(readLines(reused(), 'list'));
    expect(lines.map((line) => 'text' in line && line.text)).toEqual(['a', 'bc', 'de', 'f']);
  });
});

describe('A CSV row', () => {
  test('ends where its line does', async () => {
    const rows = await collected(listRows(pieces('source,name\na\rb,c\n'), 'list'));
    expect(rows).toEqual([{ line: 2, row: { source: 'a\rb', name: 'c' } }]);
  });
});
