import { globSync, readFileSync, writeFileSync } from 'node:fs';
import type { Translation } from '../../../src/html/html.ts';
import { type Catalogue, findSayings, PARTS, pathOfCatalogue, readCatalogue, TRANSLATED } from './texts.ts';

/** Another text in place of one, both in English with {0}, {1} in place of values. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
}

/** Where a text stands in a source. */
type Place = Pick<ReturnType<typeof findSayings>[number], 'start' | 'end' | 'values'>;

/**
 * Gives a text of the pages another one in English, in the source and in all catalogues, whose translations stay. Answers
 * the files that it changed. @throws Error, with nothing changed
 */
export function renameText({ from, to }: Renaming): string[] {
  const sayings = findSayings();
  const places = Map.groupBy(
    sayings.filter(({ english }) => english === from),
    ({ file }) => file,
  );
  if (places.size === 0) throw new Error(`No page says: ${from}`);
  if (sayings.some(({ english }) => english === to)) throw new Error(`Another text of the pages is: ${to}`);
  verifyValues({ from, to });
  const sources = [...places].map(
    ([file, found]) => [file, renamedInSource(readFileSync(file, 'utf8'), found, to)] as const,
  );
  const catalogues = TRANSLATED.map((language) => {
    const renamed = renamedInCatalogue(readCatalogue(language), { from, to });
    return [pathOfCatalogue(language), `${JSON.stringify(renamed, null, 2)}\n`] as const;
  });
  const changed = [...sources, ...catalogues].filter(([file, text]) => readFileSync(file, 'utf8') !== text);
  for (const [file, text] of changed) writeFileSync(file, text);
  return changed.map(([file]) => file);
}

/** Translations put values where the old text had them. @throws Error */
function verifyValues({ from, to }: Renaming): void {
  const [before, after] = [from, to].map((text) => text.match(/\{\d+\}/g) ?? []);
  if (String(before) !== String(after))
    throw new Error(`Both texts need the same values in the same order: ${before?.join(' ') || 'none'}`);
}

/** The source with another text at these places. Its values stay as they are. */
export function renamedInSource(source: string, places: readonly Place[], to: string): string {
  let renamed = source;
  for (const { start, end, values } of places.toSorted((a, b) => b.start - a.start)) {
    const isTemplate = source[start] === '`';
    const text = isTemplate ? templateOf(to, values) : stringOf(to);
    renamed = renamed.slice(0, start) + text + renamed.slice(end);
  }
  return renamed;
}

function templateOf(text: string, values: readonly string[]): string {
  const escaped = text.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&');
  return `\`${escaped.replaceAll(/\{(\d+)\}/g, (_, index: string) => `\${${values[Number(index)]}}`)}\``;
}

function stringOf(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll('\\', '\\\\')}'`;
}

/** The catalogue with its translation at the new text, in the order of texts. */
export function renamedInCatalogue(catalogue: Catalogue, { from, to }: Renaming): Catalogue {
  const renamed = PARTS.map((part) => {
    const texts = Object.entries(catalogue[part]).map(([text, translation]): [string, Translation] => [
      text === from ? to : text,
      translation,
    ]);
    return [part, Object.fromEntries(texts.toSorted(([a], [b]) => (a < b ? -1 : 1)))];
  });
  return Object.fromEntries(renamed) as Catalogue;
}

/** Tests and documents that have the text, which someone looks through. */
export function mentionsOf(text: string): string[] {
  const [longest = ''] = text.split(/\{\d+\}|<[^>]*>/).toSorted((a, b) => b.length - a.length);
  const files = globSync(['test/**/*.ts', 'docs/**/*.{ts,md}', 'README.md']);
  return files.filter((file) => readFileSync(file, 'utf8').includes(longest.trim())).toSorted();
}
