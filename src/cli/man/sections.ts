import { Help } from 'commander';

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
      readonly rows: readonly TermRow[];
    }
  | { readonly kind: 'heading'; readonly text: string };

export type TermRow = readonly [term: string, meaning: string];

export function text(...sentences: readonly string[]): Block {
  return { kind: 'text', text: sentences.join(' ') };
}

export function rows(heads: readonly [term: string, meaning: string], all: readonly TermRow[]): Block {
  return { kind: 'rows', heads, rows: all };
}

/** A title as a heading: in capitals, but for names of files and options, which are case-sensitive. */
export function headingOf(title: string): string {
  return title
    .split(' ')
    .map((word) => (/--|\./.test(word) ? word : word.toUpperCase()))
    .join(' ');
}

/**
 * Escapes backslashes, hyphens (so that they copy as such from a terminal) and lines that roff would read as requests.
 */
export function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1');
}

/** Sections of a manual page (man(7)), one line per item. */
export function roffSections(sections: readonly Section[]): string[] {
  return sections.flatMap(({ title, blocks }) => [
    `.SH ${roff(headingOf(title))}`,
    ...blocks.flatMap(roffBlock),
  ]);
}

export function roffItem([term, meaning]: TermRow): string[] {
  return ['.TP', `.B ${roff(term)}`, roff(meaning)];
}

function roffBlock(block: Block): string[] {
  switch (block.kind) {
    case 'heading':
      return [`.SS ${roff(block.text)}`];
    case 'text':
      return ['.PP', roff(block.text)];
    case 'rows':
      return block.rows.flatMap(roffItem);
  }
}

/** The document for a terminal, in lines of at most `width` columns. */
export function plainText(sections: readonly Section[], width: number): string {
  const help = new Help();
  help.prepareContext({ helpWidth: width });
  const paragraphs = sections.flatMap(({ title, blocks }) => [
    headingOf(title),
    ...blocks.map((block) => plainBlock(block, help, width)),
  ]);
  return `${paragraphs.join('\n\n')}\n`;
}

function plainBlock(block: Block, help: Help, width: number): string {
  switch (block.kind) {
    case 'heading':
      return help.boxWrap(`${block.text}:`, width);
    case 'text':
      return help.boxWrap(block.text, width);
    case 'rows': {
      const terms = Math.max(...block.rows.map(([term]) => term.length));
      return block.rows.map(([term, meaning]) => help.formatItem(term, terms, meaning, help)).join('\n');
    }
  }
}

export function markdown(title: string, sections: readonly Section[]): string {
  const paragraphs = sections.flatMap((section) => [
    `## ${section.title}`,
    ...section.blocks.map(markdownBlock),
  ]);
  return `${[`# ${title}`, ...paragraphs].join('\n\n')}\n`;
}

export function markdownBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `### ${block.text
        .split(', ')
        .map((name) => `\`${name}\``)
        .join(', ')}`;
    case 'text':
      return block.text;
    case 'rows':
      return [
        `| ${block.heads.join(' | ')} |`,
        '|---|---|',
        ...block.rows.map(([term, meaning]) => `| \`${term}\` | ${meaning.replaceAll('|', '\\|')} |`),
      ].join('\n');
  }
}
