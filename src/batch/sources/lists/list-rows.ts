import { parsedJson } from '../../../base/parsed-json.ts';
import { BatchSetupError } from '../../model/setup-error.ts';
import { type Line, readLines } from '../files/lines.ts';
import { skinInJson } from '../given/skin-json.ts';
import { LineReader } from './line-reader.ts';
import { checkedRow, type ListRow, UnknownColumns } from './rows.ts';

/**
 * The rows of a list, each as soon as its line arrives; the first line that is not blank decides between
 * NDJSON, CSV and plain lines. `title`: the list's name in messages.
 * @throws BatchSetupError for binary data
 */
export async function* listRows(
  chunks: AsyncIterable<Uint8Array>,
  title: string,
  warn: (message: string) => void = () => {},
): AsyncGenerator<ListRow> {
  const lines = new LineReader(readLines(chunks, title));
  try {
    const first = await firstLine(lines);
    const list = { lines, title, unknown: new UnknownColumns(title, warn) };
    if (first !== undefined) yield* rowsAfter(first, list);
  } finally {
    await lines.close();
  }
}

async function firstLine(lines: LineReader): Promise<Line | undefined> {
  let line = await lines.next();
  while (line !== undefined && 'text' in line && line.text.trim() === '') line = await lines.next();
  return line;
}

/** What in the first line means CSV: column separators, or the name of one. */
const SEPARATOR = /[,;\t]|^"?sep=/i;

interface List {
  readonly lines: LineReader;
  readonly title: string;
  readonly unknown: UnknownColumns;
}

async function* rowsAfter(first: Line, list: List): AsyncGenerator<ListRow> {
  const { lines, title, unknown } = list;
  const text = textOf(first);
  const isObject = text.startsWith('{');
  if (/source/i.test(text) || (!isObject && SEPARATOR.test(text))) {
    const csv = await import('./csv.ts'); // loaded on demand: the parser is large
    const delimiter = csv.namedDelimiter(text);
    const header = delimiter === undefined ? first : await firstLine(lines);
    if (header === undefined) return;
    const shape = csv.csvShape(textOf(header), delimiter);
    if (shape !== undefined) {
      unknown.tell(shape.columns);
      return yield* csv.csvRows(lines, shape);
    }
    if (header !== first) return yield* rowsAfter(header, list);
    const columns = isObject ? undefined : csv.foreignColumns(text, { isTable: /\.[ct]sv$/i.test(title) });
    if (columns !== undefined) throw noSourceColumn(title, columns);
  }
  lines.putBack([first]);
  yield* eachLine(lines, isObject ? (line, json) => jsonRow(line, json, unknown) : plainRow);
}

function textOf(line: Line): string {
  return 'text' in line ? line.text.trim() : '';
}

function noSourceColumn(title: string, columns: readonly string[]): BatchSetupError {
  const message = `No column "source" in ${title}; found: ${columns.join(', ')}.`;
  const hint = 'Name the column with the paths, URLs or players "source".';
  return new BatchSetupError('no_source_column', message, { hint });
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

function jsonRow(line: number, text: string, unknown: UnknownColumns): ListRow {
  const value = parsedJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { line, fault: 'it is not a JSON object' };
  const skin = skinInJson(value);
  if (skin) return { line, skin };
  unknown.tell(Object.keys(value));
  return checkedRow(line, value);
}
