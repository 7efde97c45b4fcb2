import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { utf16Of } from '../../../src/base/text.ts';
import { BatchSetupError } from '../../../src/batch/model.ts';
import { listRows } from '../../../src/batch/sources/lists.ts';
import type { ListRow, RowOptions } from '../../../src/batch/sources/rows.ts';
import { collected } from '../../support/batch/read-sources.ts';
import { samples } from '../../support/setup/extent.ts';

const RUNS = { numRuns: samples(300), seed: 20_251_121 };

/** These bytes in chunks of these sizes, over and over. */
async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let [start, turn] = [0, 0]; start < bytes.length; turn++) {
    const end = start + sizes[turn % sizes.length]!;
    yield bytes.slice(start, end);
    start = end;
  }
}

async function rowsOf(bytes: Uint8Array, sizes: readonly number[]): Promise<ListRow[]> {
  return await collected(listRows(chunked(bytes, sizes), 'list'));
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

/** Text as a cell may hold it: not blank, no space around it, no zero byte. */
const cell = fc
  .string({ unit: fc.constantFrom(...'ab/.-"\',;#{}\\ é皮😀\t'), minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() === text && text !== '');

const row: fc.Arbitrary<RowOptions> = fc.record(
  {
    source: cell,
    name: fc.stringMatching(/^[A-Za-z0-9_.-]{1,48}$/),
    variant: fc.constantFrom('auto' as const, 'classic' as const, 'slim' as const),
    visibility: fc.constantFrom('public' as const, 'unlisted' as const, 'private' as const),
  },
  { requiredKeys: ['source'] },
);

const rows = fc.array(row, { maxLength: 20 });
const newline = fc.constantFrom('\n', '\r\n');
const mark = fc.constantFrom('', '\uFEFF');
/** As Windows' programs save a text. */
const inBytes = fc.constantFrom(
  (text: string) => Buffer.from(text),
  (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
);

function found(list: readonly ListRow[]): RowOptions[] {
  return list.map((one) => {
    if (!('row' in one)) throw new Error(`Line ${one.line}: ${JSON.stringify(one)}`);
    return one.row;
  });
}

describe('The rows of a list that arrives in any pieces', () => {
  test('are read from CSV', async () => {
    const delimiter = fc.constantFrom(',', ';', '\t');
    const columns = fc.shuffledSubarray(['source', 'name', 'variant', 'visibility', 'notes'] as const, {
      minLength: 5,
    });
    const property = fc.asyncProperty(
      rows,
      delimiter,
      columns,
      newline,
      mark,
      sizes,
      async (all, comma, header, end, bom, pieces) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const line = (one: RowOptions) =>
          header.map((column) => quoted(column === 'notes' ? 'a\n"b"' : (one[column] ?? ''))).join(comma);
        const text = bom + [header.join(comma), ...all.map(line)].join(end);
        expect(found(await rowsOf(Buffer.from(text), pieces))).toEqual(all);
      },
    );
    await fc.assert(property, RUNS);
  });

  test('are read from NDJSON', async () => {
    const property = fc.asyncProperty(rows, newline, mark, sizes, async (all, end, bom, pieces) => {
      const text = bom + all.map((one) => JSON.stringify(one)).join(end);
      expect(found(await rowsOf(Buffer.from(text), pieces))).toEqual(all);
    });
    await fc.assert(property, RUNS);
  });

  test('are read from lines', async () => {
    const sources = fc.array(
      cell.filter((text) => !/^[#{]/.test(text)),
      { maxLength: 20 },
    );
    const property = fc.asyncProperty(sources, newline, inBytes, sizes, async (all, end, encode, pieces) => {
      const list = await rowsOf(encode(all.join(end)), pieces);
      expect(found(list).map((one) => one.source)).toEqual(all);
    });
    await fc.assert(property, RUNS);
  });
});

describe('Columns whose names mean nothing', () => {
  test.each([
    ['CSV', 'Source,varient,notes\na,slim,x\nb,slim,y\n', ['varient', 'notes']],
    [
      'NDJSON',
      '{"source":"a","varient":"slim"}\n{"source":"b","varient":"slim","notes":1}\n',
      ['varient', 'notes'],
    ],
  ])('are reported once in %s, with the nearest known one', async (_what, text, [first, second]) => {
    const told: string[] = [];
    const rows = await collected(
      listRows(chunked(Buffer.from(text), [9]), 'team', { warn: (message) => told.push(message) }),
    );
    expect(found(rows).map(({ source }) => source)).toEqual(['a', 'b']);
    expect(told).toEqual([
      `team: the column ${first} is unknown and ignored. Did you mean variant?`,
      `team: the column ${second} is unknown and ignored.`,
    ]);
  });

  test('are not reported for skin data, nor beyond the first twenty', async () => {
    const told: string[] = [];
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`c${at}`, at]));
    const lines = [
      { value: 'e', id: 1 },
      { source: 'a', ...many },
    ].map((line) => JSON.stringify(line));
    await collected(
      listRows(chunked(Buffer.from(lines.join('\n')), [99]), 'team', { warn: (text) => told.push(text) }),
    );
    expect(told).toHaveLength(20);
    expect(told[0]).toContain('the column c0 ');
  });
});

describe('Random bytes as a list', () => {
  test.each(['', 'source,name\n', '{"source":"a"}\n'])(
    'are rows, faults or no text, never a crash, after %j',
    async (beginning) => {
      const noise = fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc
          .string({ unit: fc.constantFrom(...'a",;\n\r\t{}\\'), maxLength: 60 })
          .map((text) => Buffer.from(text)),
      );
      const property = fc.asyncProperty(noise, sizes, async (bytes, pieces) => {
        const list = Buffer.concat([Buffer.from(beginning), bytes]);
        fc.pre(utf16Of(list) === undefined);
        const read = rowsOf(list, pieces);
        if (list.includes(0)) {
          await expect(read).rejects.toBeInstanceOf(BatchSetupError);
          return;
        }
        const numbers = (await read).map((one) => one.line);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        expect(numbers.at(-1) ?? 0).toBeLessThanOrEqual(list.toString('latin1').split('\n').length);
      });
      await fc.assert(property, RUNS);
    },
  );
});
