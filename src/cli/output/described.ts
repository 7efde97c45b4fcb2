import type { Command } from 'commander';
import type { Clock } from '../../base/clock.ts';
import type { Io, OutputStream } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';
import { alignedRows, jsonDocument, tabRows } from '../text/text.ts';

/** The columns of tab-separated rows in their order, each with the cell of a row. New ones go last. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | undefined>>;

/** Tab-separated rows: what a command prints into a pipe. */
export function columnRows<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  return tabRows(rows.map((row) => Object.values(columns).map((cell) => cell(row))));
}

/** Columns of a row's fields under their own names, and others. */
export function fieldColumns<Row>(
  ...columns: readonly ((keyof Row & string) | Columns<Row>)[]
): Columns<Row> {
  const all = columns.map((one) =>
    typeof one === 'string' ? { [one]: (row: Row) => textOf(row[one]) } : one,
  );
  return Object.assign({}, ...all) as Columns<Row>;
}

function textOf(value: unknown): string {
  return String(value ?? '');
}

/** How commands print things of one kind; JSON has views of them. */
export interface Table<Row, View = unknown> {
  /** For programs. */
  readonly columns: Columns<Row>;
  /** The meanings of columns that are not named after a JSON field. */
  readonly columnMeanings?: Readonly<Record<string, string>>;
  readonly fields: FieldTable & Fields<View>;
  /** For people: headings, each with the field or the cell below it. `now`: milliseconds since the epoch. */
  readonly shown: Readonly<Record<string, (keyof Row & string) | ((row: Row, now: number) => string)>>;
  /** The heading whose identifiers are cut first, where the rows are too wide. */
  readonly cut?: string;
  /** What JSON has for a row; absent: the row itself. */
  readonly view?: (row: Row) => View;
}

interface Printing {
  readonly io: Pick<Io, 'out'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly flags: { readonly json?: boolean };
}

export function tableText<Row>(
  rows: readonly Row[],
  { columns, shown, cut }: Table<Row>,
  { io: { out }, clock }: Omit<Printing, 'flags'>,
): string {
  if (!out.isTTY) return columnRows(columns, rows);
  const now = clock.now();
  const cells = rows.map((row) =>
    Object.values(shown).map((cell) => (typeof cell === 'string' ? textOf(row[cell]) : cell(row, now))),
  );
  const headings = Object.keys(shown);
  return alignedRows(headings, cells, out.columns, cut === undefined ? undefined : headings.indexOf(cut));
}

export function printRow<Row>(row: Row, table: Table<Row>, printing: Printing): void {
  const { view = (it: Row): unknown => it } = table;
  printing.io.out.write(printing.flags.json ? jsonDocument(view(row)) : tableText([row], table, printing));
}

/** Prints a list. `none`: what people read if it is empty. */
export async function printRows<Row>(
  rows: readonly Row[],
  table: Table<Row>,
  { messages, ...printing }: Printing & { readonly messages: Pick<Messages, 'note'> },
  none: string,
): Promise<void> {
  const { view = (it: Row): unknown => it } = table;
  if (printing.flags.json) printing.io.out.write(jsonDocument(rows.map(view)));
  else if (rows.length === 0) await messages.note(none);
  else printing.io.out.write(tableText(rows, table, printing));
}

export interface Field {
  readonly about: string;
  /** The fields of an object, or of each object in a list. */
  readonly fields?: FieldTable;
}

export type FieldTable = Readonly<Record<string, string | Field>>;

/** The meanings of all fields of a JSON view: the type makes sure that none is missing. */
export type Fields<View> = { readonly [Name in keyof View & string]-?: string | Field };

/** What a command prints for programs. The manual page of the formats is made from it. */
export interface CommandOutput {
  /** The option that selects this output, for commands that have several. */
  readonly mode?: string;
  readonly columns?: Columns<never>;
  /** The meanings of columns that are not named after a JSON field. */
  readonly columnMeanings?: Readonly<Record<string, string>>;
  readonly json?: JsonOutput;
}

/** What a command prints for programs that prints one thing of a table, or a list. */
export function tableOutput<Row>(shape: 'object' | 'list', table: Table<Row>): CommandOutput {
  const { columns, columnMeanings = {}, fields } = table;
  return { columns, columnMeanings, json: { shape, fields } };
}

/** `object or list`: a list if the user named several things. `lines`: one object per line. */
export type JsonOutput =
  | { readonly shape: 'object' | 'list' | 'object or list' | 'lines'; readonly fields: FieldTable }
  | { readonly shape: 'value'; readonly about: string };

/** What a command did to some things, one by one, as JSON: `{"uuid": …, "deleted": true}`. */
export interface DoneViews {
  /** What was done, in a word. */
  readonly done: string;
  readonly fields: FieldTable;
  /** @param id the value that identifies the thing */
  view(id: string): Readonly<Record<string, string | true>>;
}

/** @param about the meaning of the field `id`; `done`: the field that is always true */
export function doneViews(id: string, about: string, done: string): DoneViews {
  const fields = { [id]: about, [done]: 'always true' };
  return { done, fields, view: (value) => ({ [id]: value, [done]: true }) };
}

const OUTPUTS = new WeakMap<Command, readonly CommandOutput[]>();

export function setOutput(command: Command, output: readonly CommandOutput[]): void {
  OUTPUTS.set(command, output);
}

/** Empty for commands that print nothing for programs. */
export function outputOf(command: Command): readonly CommandOutput[] {
  return OUTPUTS.get(command) ?? [];
}

/**
 * Writes one JSON array in the order of the items' positions, although items may arrive in any order. Only items that
 * are ahead of their turn are buffered.
 */
export class JsonList {
  readonly #out: Pick<OutputStream, 'write'>;
  readonly #ahead = new Map<number, unknown>();
  #next = 0;
  #written = 0;
  #isEnded = false;

  constructor(out: Pick<OutputStream, 'write'>) {
    this.#out = out;
  }

  add(item: unknown, position: number): void {
    this.#ahead.set(position, item);
    for (; this.#ahead.has(this.#next); this.#next++) {
      this.#write(this.#ahead.get(this.#next));
      this.#ahead.delete(this.#next);
    }
  }

  /** Writes the items still waiting for a missing position, and closes the array. */
  end(): void {
    this.#isEnded = true;
    for (const [, item] of [...this.#ahead].sort(([a], [b]) => a - b)) this.#write(item);
    this.#ahead.clear();
    this.#out.write(this.#written === 0 ? '[]\n' : '\n]\n');
  }

  /** Ends the list after an error: what was printed becomes a whole document. Prints nothing if nothing was printed. */
  endEarly(): void {
    if (!this.#isEnded && this.#written + this.#ahead.size > 0) this.end();
  }

  #write(item: unknown): void {
    const text = jsonDocument(item).trimEnd().replaceAll('\n', '\n  ');
    this.#out.write(`${this.#written++ === 0 ? '[' : ','}\n  ${text}`);
  }
}
