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
  return withoutMark(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** A text without its byte order mark, which programs on Windows write at the start of a file. */
export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/** The value of a text in JSON; undefined if the text is not JSON. */
export function parsedJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? withoutMark(text) : decodedText(text));
  } catch {
    return undefined;
  }
}
