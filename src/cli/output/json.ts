/**
 * JSON as it may meet a terminal: control characters above ASCII, line separators and marks that turn the
 * reading direction are written as escapes. JSON.stringify sees to those below by itself.
 */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One line, for lists of lines and for stderr. */
export function jsonLine(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value))}\n`;
}

/** A document, indented. */
export function jsonDocument(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value, undefined, 2))}\n`;
}

function escapeUnsafe(json: string): string {
  return json.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
