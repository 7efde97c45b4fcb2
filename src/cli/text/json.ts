/**
 * JSON that is safe to print on a terminal: control characters above ASCII, line separators and bidirectional marks are
 * escaped. JSON.stringify escapes the ASCII control characters itself.
 */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A single line, for JSON lines and for stderr. */
export function jsonLine(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value))}\n`;
}

/** An indented document. */
export function jsonDocument(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value, undefined, 2))}\n`;
}

function escapeUnsafe(json: string): string {
  return json.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
