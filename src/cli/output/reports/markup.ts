import { clean } from '../text.ts';

/** Longer than any message of ours; what is longer came from outside. In UTF-16 units. */
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
 * Text from outside as it may stand in XML and HTML, between tags and in quoted attributes: on one line, without
 * anything that acts or that XML 1.0 forbids, cut when it is endless.
 */
export function markupText(text: string): string {
  const line = clean(text);
  return escapeMarkup(line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line);
}

function escapeMarkup(text: string): string {
  return text.replace(FORBIDDEN, '').replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
