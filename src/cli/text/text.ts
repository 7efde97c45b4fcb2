import { stripVTControlCharacters } from 'node:util';

/** C0 and C1 control characters, escape sequences that contain them, and bidirectional marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Makes external text safe for a terminal or a table: on one line, without active characters. */
export function clean(text: string): string {
  return stripVTControlCharacters(text).replace(UNSAFE, (character) =>
    /[\t\r\n\u2028\u2029]/.test(character) ? ' ' : '',
  );
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

/** Rows for programs: tab-separated, without a header, never truncated. */
export function tabRows(rows: readonly (readonly (string | undefined)[])[]): string {
  return rows.map((row) => `${row.map((cell) => clean(cell ?? '')).join('\t')}\n`).join('');
}

/** Rows for people: aligned columns under a header. The last column is truncated to fit `width`. */
export function alignedRows(
  header: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
  width: number,
): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => clean(cell ?? '')));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${line.length > width ? `${line.slice(0, width - 1)}…` : line}\n`).join('');
}

/** Formats the age of a time for people. */
export function ago(time: string | undefined, now: number): string {
  if (time === undefined) return '';
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (Number.isNaN(seconds)) return time;
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}
