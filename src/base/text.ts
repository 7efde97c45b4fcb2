import { hash, randomUUID } from 'node:crypto';

const BYTE_ORDER_MARK = '\uFEFF';

/** The encoding in which a text begins with these bytes of a byte order mark; undefined for UTF-8, with or without one. */
export function utf16Of(start: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined;
}

/** A text as editors save it: UTF-8, or UTF-16 with a byte order mark. The mark is left out. */
export function decodedText(bytes: Uint8Array): string {
  const encoding = utf16Of(bytes);
  if (encoding) return new TextDecoder(encoding).decode(bytes);
  return withoutByteOrderMark(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** A text without its byte order mark, which programs on Windows write at the start of a file. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/** Values that a text in JSON may have. Each takes memory of its own: an array of two characters some hundred bytes. */
export const MAX_JSON_VALUES = 500_000;

/** Whether a text in JSON has more values than are read. Counts commas and brackets, those in strings as well. */
export function hasTooManyValues(text: string, most = MAX_JSON_VALUES): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code === COMMA || code === BRACKET || code === BRACE) && ++count > most) return true;
  }
  return false;
}

/** Levels of lists and objects that a text in JSON may have. Node reads any number, but writes and walks only some thousand. */
export const MAX_JSON_DEPTH = 128;

/** Whether lists and objects of a text in JSON are nested deeper than is read. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if ((code | BRACE_BIT) === BRACE_END) depth--;
    else if ((code | BRACE_BIT) === BRACE && ++depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

/** Where the string ends that begins at a quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
/** The bit that makes a brace of a bracket. */
const BRACE_BIT = BRACKET ^ BRACE;

/** The value of a text in JSON; undefined if the text is not JSON, or has more values or levels than are read. */
export function parsedJson(given: string | Uint8Array): unknown {
  try {
    const text = typeof given === 'string' ? withoutByteOrderMark(given) : decodedText(given);
    return hasTooManyValues(text) || isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How often a text has any of these characters. */
export function countOf(text: string, ...characters: readonly string[]): number {
  let count = 0;
  for (const character of characters)
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++;
  return count;
}

const UUID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Whether a text is a UUID: 32 hexadecimal digits, or 36 characters with dashes. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A new UUID of version 4, in the form of `bareUuid`. Clients check the version. */
export function newUuid(): string {
  return bareUuid(randomUUID());
}

/** A UUID in the form for comparing and storing: 32 hexadecimal digits, lower case. */
export function bareUuid(uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase();
}

/** The same with dashes. */
export function dashed(uuid: string): string {
  return uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Identifies a key without revealing it: the first 16 hexadecimal digits of its text's SHA-256. */
export function shortFingerprint(text: string): string {
  return hash('sha256', text).slice(0, 16);
}

/** Distinguishes the callers of one service: the fingerprint of the API key, or `anonymous` without one. */
export function callerFingerprint(apiKey: string | undefined): string {
  return apiKey === undefined ? 'anonymous' : shortFingerprint(apiKey);
}

/** A name and the full stop of the sentence that it ends; quoted if the name itself ends with a full stop. */
export function endSentence(name: string): string {
  return name.endsWith('.') ? `"${name}".` : `${name}.`;
}

/** Characters of the longest name of a skin for people: more than the game shows well. */
export const MAX_SHOWN_NAME = 48;

/** A name in any language for people: on one line, without what hides or turns text, at most 48 characters. */
export function shownName(name: string): string {
  const line = name.normalize('NFC').replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  const shown = line.replaceAll(/[\p{Bidi_Control}\p{Cs}]/gu, '').trim();
  return [...shown].slice(0, MAX_SHOWN_NAME).join('').trimEnd();
}

/** What is wrong with a name that someone typed, as the end of a sentence about it; undefined: nothing. */
export function shownNameProblem(name: string): string | undefined {
  const { length } = [...name.normalize('NFC').trim()];
  if (length > MAX_SHOWN_NAME) return `has more than ${MAX_SHOWN_NAME} characters`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? undefined : 'has no visible character';
}

/** Hexadecimal digits that stand for what a name lost, or tell equal names apart. */
export const NAME_DIGITS = 6;

/** Names that look the same have the same digits: systems store accents differently. */
export function nameDigits(name: string, count = NAME_DIGITS): string {
  return hash('sha256', name.normalize('NFC')).slice(0, count);
}
