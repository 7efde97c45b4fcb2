import { clean } from '../../text/text.ts';

/** Longer than any message of skinsmith; longer text is from outside. In UTF-16 units. */
const MAX_TEXT = 2_000;

const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes external text for XML and HTML, between tags and in quoted attributes: on one line, without active characters
 * or those that XML 1.0 forbids, truncated if too long.
 */
export function markupText(text: string): string {
  const line = clean(text);
  return escapeMarkup(line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line);
}

/** Escapes data that is useless unless complete, so it is never truncated. */
export function markupData(text: string): string {
  return escapeMarkup(clean(text));
}

function escapeMarkup(text: string): string {
  return text.replace(FORBIDDEN, '').replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
