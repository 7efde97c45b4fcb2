import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import type { Translation } from '../../../src/html/html.ts';
import { LANGUAGES } from '../../../src/pages/language.ts';
import { ERRORS } from '../../../src/protocol/errors.ts';

/** Texts of pages, and of their scripts. */
export const PARTS = ['pages', 'scripts'] as const;
export type Part = (typeof PARTS)[number];

/** A text that readers see in their own language, where the source has it. */
export interface Saying {
  readonly part: Part;
  /** In English, with {0}, {1} in place of values: its name in the catalogues. */
  readonly english: string;
  /** Whether a number changes it, so that languages have forms of it. */
  readonly isPlural: boolean;
  /** What it is for one thing, in English. */
  readonly one?: string | undefined;
  readonly file: string;
  /** Where the template or string is in the file. */
  readonly start: number;
  readonly end: number;
  /** The values of a template, as the source has them. */
  readonly values: readonly string[];
}

/** The catalogue of a language. */
export type Catalogue = Readonly<Record<Part, Readonly<Record<string, Translation>>>>;

/** The languages that have a catalogue. */
export const TRANSLATED: readonly string[] = Object.keys(LANGUAGES).filter((language) => language !== 'en');

export function pathOfCatalogue(language: string): string {
  return `src/pages/languages/${language}.json`;
}

export function readCatalogue(language: string): Catalogue {
  return JSON.parse(readFileSync(pathOfCatalogue(language), 'utf8')) as Catalogue;
}

/** Where codes of problems have their meanings, which pages show as well. */
const ERRORS_FILE = 'src/protocol/errors.ts';
const MEANINGS: ReadonlySet<unknown> = new Set(Object.values(ERRORS).map(({ message }) => message));

/** Reads the texts from the source. */
export function findSayings(): Saying[] {
  return [
    ...sayingsIn('pages', [ERRORS_FILE]),
    ...sayingsIn('pages', globSync('src/pages/*.ts')),
    ...sayingsIn('scripts', globSync('src/pages/browser/*.ts')),
  ];
}

function sayingsIn(part: Part, files: readonly string[]): Saying[] {
  return files.toSorted().flatMap((file) => sayingsOf(readFileSync(file, 'utf8'), { part, file }));
}

/** The texts in the source of a file. */
export function sayingsOf(source: string, place: Pick<Saying, 'part' | 'file'>): Saying[] {
  const tree = parseAst(source, { lang: 'ts' }) as unknown;
  return readings(tree).map(({ at, english, ...plural }) => ({
    ...place,
    english,
    ...plural,
    start: at.start,
    end: at.end,
    values: (at.expressions ?? []).map(({ start, end }) => source.slice(start, end)),
  }));
}

/** The strings and templates of a source that have several words, without the values of templates. */
export function sentencesIn(source: string): string[] {
  const texts = (node: unknown): string[] => {
    if (typeof node !== 'object' || node === null) return [];
    const { type, value, quasis } = node as Partial<Node>;
    const own = quasis?.map((part) => part.value.cooked).join('') ?? (type === 'Literal' ? value : undefined);
    const inside = Object.values(node).flatMap(texts);
    return typeof own === 'string' && own.split(' ').length > 2 ? [own, ...inside] : inside;
  };
  return texts(parseAst(source, { lang: 'ts' }));
}

/** The parts of a syntax tree that matter here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly properties?: readonly { readonly key?: Node; readonly value?: Node }[];
  readonly key?: Node;
  readonly tag?: Node;
  readonly quasi?: Node;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
  readonly expressions?: readonly Node[];
}

/** A text in a syntax tree; `at`: its template or string. */
interface Reading extends Pick<Saying, 'english' | 'isPlural' | 'one'> {
  readonly at: Node;
}

function readings(tree: unknown): Reading[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const node = tree as Node;
  const plural = isCall(node, 'counted') ? pluralOf(node) : undefined;
  const single = plural ? undefined : singleOf(node);
  // The form for one is in the catalogues with the others.
  const parts = plural ? [node.arguments?.[0]] : Object.values(node);
  return [...(plural ?? single ?? []), ...parts.flatMap(readings)];
}

function isCall({ type, callee }: Node, name: string): boolean {
  return type === 'CallExpression' && callee?.name === name;
}

function pluralOf(call: Node): Reading[] | undefined {
  const form = (name: string) => call.arguments?.[1]?.properties?.find(({ key }) => key?.name === name);
  const other = spokenIn(form('other')?.value);
  const one = spokenIn(form('one')?.value)?.english;
  return other && [{ ...other, isPlural: true, one }];
}

function singleOf(node: Node): Reading[] | undefined {
  const spoken = isCall(node, 'say') ? spokenIn(node.arguments?.[0]) : (sayingAt(node) ?? meaningAt(node));
  return spoken && [{ ...spoken, isPlural: false }];
}

type Spoken = Pick<Reading, 'english' | 'at'>;

/** A text that is a string, or a template of `say`. */
function spokenIn(node: Node | undefined): Spoken | undefined {
  if (typeof node?.value === 'string') return { english: node.value, at: node };
  return node && sayingAt(node);
}

function sayingAt({ type, tag, quasi }: Node): Spoken | undefined {
  if (type !== 'TaggedTemplateExpression' || tag?.name !== 'say' || !quasi?.quasis) return undefined;
  const parts = quasi.quasis.map(
    ({ value }, index) => `${index === 0 ? '' : `{${index - 1}}`}${value.cooked}`,
  );
  return { english: parts.join('').replaceAll(/\s+/g, ' '), at: quasi };
}

function meaningAt({ type, key, value }: Node): Spoken | undefined {
  if (type !== 'Property' || key?.name !== 'message') return undefined;
  const spoken = spokenIn(value as Node | undefined);
  return spoken && MEANINGS.has(spoken.english) ? spoken : undefined;
}

/** The texts that catalogues lack, each with the languages in which it is English. */
export function untranslated(sayings: readonly Saying[]): Map<Saying, readonly string[]> {
  const catalogues = TRANSLATED.map((language) => [language, readCatalogue(language)] as const);
  const unique = new Map(sayings.map((saying) => [`${saying.part} ${saying.english}`, saying]));
  const all = [...unique.values()].map((saying) => {
    const lacking = catalogues.filter(([, catalogue]) => !(saying.english in catalogue[saying.part]));
    return [saying, lacking.map(([language]) => language)] as const;
  });
  return new Map(all.filter(([, languages]) => languages.length > 0));
}

/** The texts that are English everywhere for now, in words for whoever looks after the languages; empty if there are none. */
export function describeUntranslated(found: ReadonlyMap<Saying, readonly string[]>): string {
  if (found.size === 0) return '';
  const lines = [...found].map(
    ([{ english, file }, languages]) => `  ${languages.join(', ')}: ${JSON.stringify(english)} (${file})\n`,
  );
  return `Not translated yet, so readers see English:\n${lines.join('')}`;
}
