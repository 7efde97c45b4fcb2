/** The value of a text in JSON; undefined if the text is not JSON. */
export function parsedJson(text: string | Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}
