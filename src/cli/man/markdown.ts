import type { Block, Section } from './document.ts';

/** The document as Markdown, under this title. */
export function markdown(title: string, sections: readonly Section[]): string {
  const paragraphs = sections.flatMap((section) => [
    `## ${section.title}`,
    ...section.blocks.map(markdownBlock),
  ]);
  return `${[`# ${title}`, ...paragraphs].join('\n\n')}\n`;
}

function markdownBlock(block: Block): string {
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
