import { isIP } from 'node:net';
import { stripVTControlCharacters } from 'node:util';

/** C0 and C1 control characters, escape sequences that contain them, and bidirectional marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Characters up to which escape sequences are removed as a whole. That takes a time that grows with the square of the
 * length: minutes for a megabyte of sequences without an end. In longer texts, their visible characters stay.
 */
const LONGEST_STRIPPED = 4_096;

/** Makes external text safe for a terminal or a table: on one line, without active characters. */
export function clean(text: string): string {
  const stripped = text.length > LONGEST_STRIPPED ? text : stripVTControlCharacters(text);
  return stripped.replace(UNSAFE, (character) => (/[\t\r\n\u2028\u2029]/.test(character) ? ' ' : ''));
}

/** Makes external text safe for a terminal, line by line. */
export function cleanLines(text: string): string {
  return text.split('\n').map(clean).join('\n');
}

/** Breaks a line between words. A command at its end stays whole, so that it can be copied. */
export function wrapped(line: string, width: number): string {
  const lines: string[] = [];
  for (const word of line.match(/(?<=: )skinsmith .*$|\S+/g) ?? []) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}

/** The same for a text after a label: further lines begin below the text. `indent`: the length of the label. */
export function hanging(text: string, indent: number, width: number): string {
  return wrapped(text, Math.max(NARROWEST, width - indent)).replaceAll('\n', `\n${' '.repeat(indent)}`);
}

/** Columns below which breaking a text makes it worse to read. */
const NARROWEST = 20;

/** Cuts a text to a width, so that it takes one line. */
export function oneLine(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

/** Rows for programs: tab-separated, without a header, never truncated. */
export function tabRows(rows: readonly (readonly (string | undefined)[])[]): string {
  return rows.map((row) => `${row.map((cell) => clean(cell ?? '')).join('\t')}\n`).join('');
}

const GAP = '  ';
/** Characters kept of an identifier that is cut: enough to distinguish it. */
const IDENTIFYING = 13;

/**
 * Rows for people: aligned columns under a header. The last column is truncated to fit `width`. `cut`: the column whose
 * identifiers are cut first, where the rows are too wide.
 */
export function alignedRows(
  header: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
  width: number,
  cut?: number,
): string {
  const whole = [header, ...rows].map((row) => row.map((cell) => clean(cell ?? '')));
  const isTooWide = widthsOf(whole).reduce((sum, column) => sum + column + GAP.length, -GAP.length) > width;
  const cells = isTooWide
    ? whole.map((row) => row.map((cell, column) => (column === cut ? oneLine(cell, IDENTIFYING) : cell)))
    : whole;
  const widths = widthsOf(cells);
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join(GAP)
      .trimEnd(),
  );
  return lines.map((line) => `${oneLine(line, width)}\n`).join('');
}

function widthsOf(cells: readonly (readonly string[])[]): number[] {
  return (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
}

export function ago(time: string | undefined, now: number): string {
  if (time === undefined) return '';
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (Number.isNaN(seconds)) return time;
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}

/** Formats a number for people: `1,234`. */
export function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function span(seconds: number): string {
  if (seconds < 1) return 'a moment';
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a local time of day, with the date unless it is today. Milliseconds since the epoch. */
export function momentAt(at: number, now: number): string {
  const time = new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  if (new Date(at).toDateString() === new Date(now).toDateString()) return time;
  const day = new Date(at).toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
  return `${day}, ${time}`;
}

/** A key by its last four characters. */
export function masked(last4: string): string {
  return `…${last4}`;
}

/** Whether a host, as in a URL or as an address, is always the machine itself. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * JSON that is safe to print on a terminal: control characters above ASCII, line separators and bidirectional marks are
 * escaped, and what GitHub Actions takes for a command. JSON.stringify escapes the ASCII control characters itself.
 */
const UNSAFE_IN_JSON = /#(?=#\[)|[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A single line, for JSON lines and for stderr. */
export function jsonLine(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value))}\n`;
}

export function jsonDocument(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value, undefined, 2))}\n`;
}

function escapeUnsafe(json: string): string {
  return json.replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
