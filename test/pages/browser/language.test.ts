import { expect, onTestFinished, test, vi } from 'vitest';

type Module = Record<'counted', (number: number, forms: { one: string; other: string }) => string>;

const FORMS = { one: '{0} skin left', other: '{0} skins left' };

/** Opens the module as a page in Russian with these texts does. */
async function openInRussian(texts: Readonly<Record<string, unknown>>): Promise<Module> {
  const textContent = JSON.stringify(texts);
  vi.stubGlobal('document', { documentElement: { lang: 'ru' }, querySelector: () => ({ textContent }) });
  onTestFinished(() => void vi.unstubAllGlobals());
  const address = new URL('../../../src/pages/browser/language.ts', import.meta.url);
  address.search = String(Object.keys(texts).length); // each page has a module of its own
  return (await import(address.href)) as Module;
}

test('A number has the forms of the reader’s language', async () => {
  const forms = { one: '{0} скин', few: '{0} скина', many: '{0} скинов', other: '{0} скина' };
  const { counted } = await openInRussian({ [FORMS.other]: forms });
  expect([1, 3, 5, 21].map((number) => counted(number, FORMS))).toEqual([
    '1 скин',
    '3 скина',
    '5 скинов',
    '21 скин',
  ]);
});

test('A number without a translation has the forms of English', async () => {
  const { counted } = await openInRussian({});
  expect([1, 2, 21].map((number) => counted(number, FORMS))).toEqual([
    '1 skin left',
    '2 skins left',
    '21 skins left',
  ]);
});
