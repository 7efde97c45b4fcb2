import { CsvError, parse } from 'csv-parse/sync';
import { ALL_COLUMNS, checkedRow, isColumn, type Line, type LineReader, type ListRow } from './rows.ts';

const DELIMITERS: readonly string[] = [',', ';', '\t'];
/** A quoted field may have line breaks; an unclosed quote must not swallow the rest of the list. */
const MAX_RECORD_LENGTH = 64 * 1024;

interface CsvShape {
  readonly delimiter: string;
  /** As written, in their order. */
  readonly columns: readonly string[];
  /** The same in lower case. */
  readonly header: readonly string[];
}

/** The delimiter that a first line names, as spreadsheets write it: `sep=;`. */
export function namedDelimiter(firstLine: string): string | undefined {
  return /^"?sep=(.)"?$/i.exec(firstLine)?.[1];
}

/**
 * The layout of a list with this first line; undefined if that is not a header with a column `source`. `delimiter`: the
 * one that the list names.
 */
export function csvShape(firstLine: string, delimiter?: string): CsvShape | undefined {
  for (const one of delimiter === undefined ? DELIMITERS : [delimiter]) {
    const { fields: columns = [] } = parsed(firstLine, one);
    const header = columns.map((field) => field.toLowerCase());
    if (header.includes('source')) return { delimiter: one, columns, header };
  }
  return undefined;
}

/** A column name as people write it: no path, no URL. */
const COLUMN_NAME = /^[\p{L}_][\p{L}\p{N}_ -]*$/u;

/**
 * Columns of an apparent header without a column `source`; undefined if it is not a header. `isTable`: the
 * list's file name says CSV.
 */
export function foreignColumns(
  firstLine: string,
  { isTable }: { isTable: boolean },
): readonly string[] | undefined {
  for (const delimiter of DELIMITERS) {
    const { fields = [] } = parsed(firstLine, delimiter);
    const isHeader = fields.length > 1 && fields.every((field) => COLUMN_NAME.test(field));
    const isKnown = fields.some((field) => isColumn(field.toLowerCase()));
    if (isHeader && (isTable || isKnown)) return fields;
  }
  return undefined;
}

/** The rows after the header. A row that is not valid CSV loses only its first line. */
export async function* csvRows(lines: LineReader, shape: CsvShape): AsyncGenerator<ListRow> {
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    const { number } = line;
    const record: Parsed =
      'fault' in line ? { fault: line.fault } : await readRecord(line, lines, shape.delimiter);
    if (!record.fields) yield { line: number, fault: record.fault };
    else if (!isBlank(record.fields)) yield rowOf(number, record.fields, shape);
  }
}

/** The result of parsing a piece of text as CSV. `isOpen`: it ends inside a quoted field. */
type Parsed =
  | { readonly fields: readonly string[]; readonly fault?: never; readonly isOpen?: never }
  | { readonly fault: string; readonly isOpen?: boolean; readonly fields?: never };

/** The record that starts at a line, read on while a quote is open; if it fails, all but that line is pushed back. */
async function readRecord(
  first: Extract<Line, { text: string }>,
  lines: LineReader,
  delimiter: string,
): Promise<Parsed> {
  const read: Line[] = [];
  let text = first.text;
  let record = parsed(text, delimiter);
  while (record.isOpen) {
    const line = await lines.next();
    if (line !== undefined) read.push(line);
    if (line === undefined || !('text' in line) || text.length > MAX_RECORD_LENGTH) break;
    text += `\n${line.text}`;
    if (line.text.includes('"')) record = parsed(text, delimiter); // only a quote can close it
  }
  if (!record.fields) lines.putBack(read);
  return record;
}

function parsed(text: string, delimiter: string): Parsed {
  try {
    const options = { delimiter, record_delimiter: '\n', trim: true, relax_column_count: true };
    return { fields: parse(text, options)[0] ?? [] };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') return { fault: 'a quote is never closed', isOpen: true };
    return { fault: 'a quote is in an invalid place' };
  }
}

/** Blank rows, as spreadsheets leave them below a table. */
function isBlank(fields: readonly string[]): boolean {
  return fields.every((field) => field === '');
}

function rowOf(line: number, fields: readonly string[], { header }: CsvShape): ListRow {
  if (!isBlank(fields.slice(header.length))) return { line, fault: 'it has more fields than the header' };
  const values = ALL_COLUMNS.map((column) => [column, fields[header.indexOf(column)]] as const);
  return checkedRow(line, Object.fromEntries(values));
}
