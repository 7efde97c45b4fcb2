import { type Block, headingOf, type Section } from './document.ts';

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

function roffBlock(block: Block): string[] {
  switch (block.kind) {
    case 'heading':
      return [`.SS ${roff(block.text)}`];
    case 'text':
      return ['.PP', roff(block.text)];
    case 'rows':
      return block.rows.flatMap(([term, meaning]) => ['.TP', `.B ${roff(term)}`, roff(meaning)]);
  }
}
