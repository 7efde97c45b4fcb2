/** A fenced block of a document. */
export interface CodeBlock {
  /** The word after the fence: `sh`, `ts`, `yaml`; empty where there is none. */
  readonly language: string;
  readonly code: string;
  /** Number of its first line in the document. */
  readonly line: number;
}

/** What is typed at one prompt: a line, or several where a here-document or a backslash holds them together. */
export interface Entry {
  readonly text: string;
  /** Number of its first line in the document. */
  readonly line: number;
}

export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(\S*)\n(.*?)^```$/gms)].map(
    ({ 1: language = '', 2: code = '', index }) => ({
      language,
      code,
      line: markdown.slice(0, index).split('\n').length + 1,
    }),
  );
}

export function shellEntries({ code, line }: CodeBlock): Entry[] {
  const entries: Entry[] = [];
  const lines = code.trimEnd().split('\n');
  for (let at = 0; at < lines.length; at++) {
    const first = at;
    const end = /<<'?(\w+)'?/.exec(lines[at]!)?.[1];
    if (end !== undefined) while (lines[at] !== end && at < lines.length - 1) at++;
    while (lines[at]!.endsWith('\\') && at < lines.length - 1) at++;
    const text = lines.slice(first, at + 1).join('\n');
    if (text.trim() !== '') entries.push({ text, line: line + first });
  }
  return entries;
}
