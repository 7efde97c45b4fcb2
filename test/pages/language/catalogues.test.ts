import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Translation } from '../../../src/html/html.ts';
import { LANGUAGES } from '../../../src/pages/language.ts';
import { textsOfPages } from '../../support/pages/texts.ts';

const TEXTS = textsOfPages();
const PARTS = ['pages', 'scripts'] as const;
const OTHERS = Object.keys(LANGUAGES).filter((language) => language !== 'en');

type Catalogue = Readonly<Record<(typeof PARTS)[number], Readonly<Record<string, Translation>>>>;

function catalogueOf(language: string): Catalogue {
  return JSON.parse(readFileSync(`src/pages/languages/${language}.json`, 'utf8')) as Catalogue;
}

/** Every form of a text, with the English text. */
function formsIn(catalogue: Catalogue): [english: string, form: string][] {
  return PARTS.flatMap((part) =>
    Object.entries(catalogue[part]).flatMap(([english, translation]) =>
      Object.values(typeof translation === 'string' ? [translation] : translation).map(
        (form): [string, string] => [english, form],
      ),
    ),
  );
}

function valuesIn(text: string): string[] {
  return (text.match(/\{\d+\}/g) ?? []).toSorted();
}

/** Elements in order, by name; attributes count too. */
function elementsIn(text: string): string[] {
  return (text.match(/<[^>]*>/g) ?? []).toSorted();
}

/** Letters of Chinese and Japanese are twice as wide as others. */
function widthOf(text: string): number {
  return text.replaceAll(/<[^>]*>/g, '').replaceAll(/[\u3000-\u30ff\u4e00-\u9fff\uff00-\uff60]/g, 'xx')
    .length;
}

describe.each(OTHERS)('The catalogue of %s', (language) => {
  const catalogue = catalogueOf(language);

  test.each(PARTS)('has every text of the %s, and no other', (part) => {
    const known = Object.keys(catalogue[part]);
    const needed = [...TEXTS[part].keys()];
    expect({
      missing: needed.filter((text) => !known.includes(text)),
      superfluous: known.filter((text) => !needed.includes(text)),
    }).toEqual({ missing: [], superfluous: [] });
  });

  test('is sorted, so that changes are easy to read', () => {
    for (const part of PARTS) {
      const names = Object.keys(catalogue[part]);
      expect(names).toEqual(names.toSorted());
    }
  });

  test('has exactly the plural forms of the language, where the text has some', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    for (const part of PARTS) {
      for (const [text, kind] of TEXTS[part]) {
        const translation = catalogue[part][text];
        if (translation === undefined) continue; // another test names it
        const own = typeof translation === 'string' ? 'text' : Object.keys(translation).toSorted();
        expect([text, own]).toEqual([text, kind === 'plural' ? forms : 'text']);
      }
    }
  });

  test('keeps values and elements', () => {
    for (const [english, form] of formsIn(catalogue)) {
      // A plural form may leave out the number: "one skin".
      if (valuesIn(form).length > 0) expect([english, valuesIn(form)]).toEqual([english, valuesIn(english)]);
      expect([english, elementsIn(form)]).toEqual([english, elementsIn(english)]);
      expect(form).toBe(form.trim());
      expect(form.replaceAll(/<[^>]*>/g, ''), 'typographic quotes only').not.toMatch(/["<>]/);
    }
  });

  test('has no text that is too long for the place of the English one', () => {
    const long = formsIn(catalogue).filter(([english, form]) => widthOf(form) > 1.5 * widthOf(english) + 12);
    expect(long).toEqual([]);
  });
});
