import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parsedJson } from '../../base/text.ts';
import { BatchSetupError } from '../model.ts';
import { fileProblem } from './files.ts';
import { checkedRow, type Line, LineReader, type ListRow, readLines, UnknownColumns } from './rows.ts';
import { skinInJson } from './skin-json.ts';

interface RowReading {
  readonly warn?: ((message: string) => void) | undefined;
  /** Whether the columns that only packs have are known. */
  readonly isForPack?: boolean | undefined;
}

/**
 * The rows of a list, each as soon as its line arrives; the first line that is not blank decides between
 * NDJSON, CSV and plain lines. `title`: the list's name in messages.
 * @throws BatchSetupError for binary data
 */
export async function* listRows(
  chunks: AsyncIterable<Uint8Array>,
  title: string,
  { warn = () => {}, isForPack }: RowReading = {},
): AsyncGenerator<ListRow> {
  const lines = new LineReader(readLines(chunks, title));
  try {
    const first = await firstLine(lines);
    const list = { lines, title, unknown: new UnknownColumns(title, warn, isForPack) };
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
  const text = textOfLine(first);
  const isObject = text.startsWith('{');
  if (/source/i.test(text) || (!isObject && SEPARATOR.test(text))) {
    const csv = await import('./csv.ts'); // loaded on demand: the parser is large
    const delimiter = csv.namedDelimiter(text);
    const header = delimiter === undefined ? first : await firstLine(lines);
    if (header === undefined) return;
    const shape = csv.csvShape(textOfLine(header), delimiter);
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

function textOfLine(line: Line): string {
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

const HINT = 'Give --from a text file with a source per line, CSV or NDJSON, or - for stdin.';

export interface ListFile {
  /** As the user wrote it. */
  readonly label: string;
  /** Its name in messages. */
  readonly title: string;
  /** Its absolute path; undefined for stdin. */
  readonly path: string | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Checks before the batch starts that a list can be read. @throws BatchSetupError */
export function verifyList(label: string, cwd: string): void {
  if (label === '-') return;
  try {
    const path = resolve(cwd, label);
    if (statSync(path).isDirectory())
      throw new BatchSetupError('not_a_list', `${label} is a folder, not a list.`, { hint: HINT });
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw listTrouble(label, error);
  }
}

/** Opens the list only when it is read. */
export function openList(
  label: string,
  { cwd, stdin }: { readonly cwd: string; readonly stdin: () => AsyncIterable<Uint8Array> },
): ListFile {
  if (label === '-') {
    const title = 'the list on stdin';
    return { label, title, path: undefined, chunks: read(title, stdin) };
  }
  const path = resolve(cwd, label);
  const chunks = read(label, () => createReadStream(path));
  return { label, title: label, path, chunks };
}

async function* read(title: string, open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* open();
  } catch (error) {
    throw listTrouble(title, error);
  }
}

function listTrouble(title: string, error: unknown): BatchSetupError {
  if (error instanceof BatchSetupError) return error;
  const { code, message } = fileProblem(title, error);
  const isAbsent = code === 'no_such_file';
  return new BatchSetupError(code, isAbsent ? `No list ${title}.` : message, {
    hint: isAbsent ? HINT : undefined,
    cause: error,
  });
}
