import { element } from './element.ts';

/** A text in the reader's language, or its plural forms. */
type Translation = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string });
type Value = string | number;

const TEXTS: Readonly<Record<string, Translation>> = JSON.parse(
  document.querySelector('#texts')?.textContent ?? '{}',
);
const { lang: LANGUAGE } = document.documentElement;

/**
 * A text of a script in the reader's language. `english`: the text with {0}, {1} in place of the values; the catalogues
 * in `languages/` have it among `scripts`.
 */
export function say(english: string, ...values: readonly Value[]): string {
  const translation = TEXTS[english];
  return filled(typeof translation === 'string' ? translation : english, values);
}

/** A text about a number of things, which is {0} in the texts. The catalogues have its forms at the text for `other`. */
export function counted(number: number, forms: { readonly one: string; readonly other: string }): string {
  return filled(formFor(number, TEXTS[forms.other]) ?? (number === 1 ? forms.one : forms.other), [
    count(number),
  ]);
}

/** Undefined: the text is not translated, and has the forms of English. */
function formFor(number: number, translation: Translation | undefined): string | undefined {
  if (typeof translation !== 'object') return undefined;
  return translation[new Intl.PluralRules(LANGUAGE).select(number)] ?? translation.other;
}

/** What the server says in English to everyone, such as why a request was refused. */
export function inEnglish(text: string): HTMLElement {
  return element('span', { lang: 'en' }, text);
}

/** Whether texts are in the language of the source. */
export function isEnglish(): boolean {
  return LANGUAGE === 'en';
}

/** A number as its reader writes it. */
export function count(number: number): string {
  return number.toLocaleString(LANGUAGE);
}

function filled(text: string, values: readonly Value[]): string {
  return text.replaceAll(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)]));
}
