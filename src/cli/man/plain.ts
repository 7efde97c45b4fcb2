import { Help } from 'commander';
import { type Block, headingOf, type Section } from './document.ts';

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
