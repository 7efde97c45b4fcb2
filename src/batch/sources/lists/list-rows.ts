import { LineReader } from './line-reader.ts';
import { type Line, readLines } from './lines.ts';
import { checkedRow, type ListRow } from './rows.ts';

/**
 * The rows of a list, each as soon as its line is there; the first line that is not blank tells whether it is
 * NDJSON, CSV or lines of sources. `title`: what messages call the list.
 * @throws BatchSetupError for what is no text
 */
export async function* listRows(chunks: AsyncIterable<Uint8Array>, title: string): AsyncGenerator<ListRow> {
  const lines = new LineReader(readLines(chunks, title));
  try {
    const first = await firstLine(lines);
    if (first !== undefined) yield* rowsAfter(first, lines);
  } finally {
    await lines.close();
  }
}

async function firstLine(lines: LineReader): Promise<Line | undefined> {
  let line = await lines.next();
  while (line !== undefined && 'text' in line && line.text.trim() === '') line = await lines.next();
  return line;
}

async function* rowsAfter(first: Line, lines: LineReader): AsyncGenerator<ListRow> {
  const text = 'text' in first ? first.text.trim() : '';
  if (/source/i.test(text)) {
    const { csvRows, csvShape } = await import('./csv.ts'); // the parser is most of what reading a list loads
    const shape = csvShape(text);
    if (shape !== undefined) return yield* csvRows(lines, shape);
  }
  lines.putBack([first]);
  yield* eachLine(lines, text.startsWith('{') ? jsonRow : plainRow);
}

type ToRow = (line: number, text: string) => ListRow | undefined;

async function* eachLine(lines: LineReader, toRow: ToRow): AsyncGenerator<ListRow> {
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    if ('fault' in line) yield { line: line.number, fault: line.fault };
    else {
      const text = line.text.trim();
      const row = text === '' ? undefined : toRow(line.number, text);
      if (row !== undefined) yield row;
    }
  }
}

function plainRow(line: number, text: string): ListRow | undefined {
  return text.startsWith('#') ? undefined : { line, row: { source: text } };
}

function jsonRow(line: number, text: string): ListRow {
  const value = parsedJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { line, fault: 'it is not a JSON object' };
  return checkedRow(line, value);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no object either
  }
}
