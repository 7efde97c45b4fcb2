import { afterAll, describe, expect, test } from 'vitest';
import {
  type Catalogue,
  describeUntranslated,
  findSayings,
  PARTS,
  type Part,
  readCatalogue,
  TRANSLATED,
  untranslated,
} from '../../support/pages/texts.ts';

const SAYINGS = findSayings();

// A new text may wait for its translations, and its readers see English until then.
afterAll(() => {
  const report = describeUntranslated(untranslated(SAYINGS));
  process.stderr.write(report);
});

/** The texts of a part; a text that has forms somewhere has them in the catalogues. */
function textsOf(part: Part): ReadonlyMap<string, 'text' | 'plural'> {
  const own = SAYINGS.filter((saying) => saying.part === part);
  const inOrder = own.toSorted((a, b) => Number(a.isPlural) - Number(b.isPlural));
  return new Map(inOrder.map(({ english, isPlural }) => [english, isPlural ? 'plural' : 'text']));
}

const TEXTS = { pages: textsOf('pages'), scripts: textsOf('scripts') };

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

describe.each(TRANSLATED)('The catalogue of %s', (language) => {
  const catalogue = readCatalogue(language);

  test.each(PARTS)('has no text that the %s do not have', (part) => {
    expect(Object.keys(catalogue[part]).filter((text) => !TEXTS[part].has(text))).toEqual([]);
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
        if (translation === undefined) continue;
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
