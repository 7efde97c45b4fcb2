import { Help } from 'commander';

/** A heading followed by rows of terms and their descriptions. */
export function describedRows(
  heading: string,
  rows: readonly (readonly [term: string, meaning: string])[],
  width: number,
): string {
  const helper = new Help();
  helper.prepareContext({ helpWidth: width });
  const termWidth = Math.max(...rows.map(([term]) => term.length));
  const lines = rows.map(([term, meaning]) => helper.formatItem(term, termWidth, meaning, helper));
  return `${[heading, ...lines].join('\n')}\n`;
}
