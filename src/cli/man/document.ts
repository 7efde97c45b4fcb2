/** A reference text, to be written as a manual page, as Markdown or as plain text. */
export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** Names with their meanings. `heads`: what the two columns of a table are called. */
  | {
      readonly kind: 'rows';
      readonly heads: readonly [term: string, meaning: string];
      readonly rows: readonly Row[];
    }
  | { readonly kind: 'heading'; readonly text: string };

export type Row = readonly [term: string, meaning: string];

export function text(...sentences: readonly string[]): Block {
  return { kind: 'text', text: sentences.join(' ') };
}

export function rows(heads: readonly [term: string, meaning: string], all: readonly Row[]): Block {
  return { kind: 'rows', heads, rows: all };
}

/** A title as a heading: in capitals, but for names of files and options, which are case-sensitive. */
export function headingOf(title: string): string {
  return title
    .split(' ')
    .map((word) => (/--|\./.test(word) ? word : word.toUpperCase()))
    .join(' ');
}
