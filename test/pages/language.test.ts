import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  count,
  counted,
  escapeHtml,
  html,
  measured,
  type Reader,
  say,
  separated,
  type Translation,
} from '../../src/html/html.ts';
import { reasonOf } from '../../src/pages/frame.ts';
import { LANGUAGES, preferredLanguage, readerOf } from '../../src/pages/language.ts';

function reader(language: string, texts: Readonly<Record<string, Translation>>): Reader {
  return { language, translate: (english) => texts[english] };
}

test('A text is English without a translation, and its values are escaped in both', () => {
  const german = reader('de', { 'Signed by {0}': 'Signiert von {0}' });
  const text = html`<p>${say`Signed by ${'<b>'}`}</p>`;
  expect(text.toString()).toBe('<p>Signed by &lt;b&gt;</p>');
  expect(text.write(german)).toBe('<p>Signiert von &lt;b&gt;</p>');
  expect(html`${say`Something new`}`.write(german)).toBe('Something new');
});

test('A translation may have its values in another order, and markup of its own text', () => {
  const german = reader('de', {
    '{0} of {1} are <a href="{2}">yours</a>': 'Von {1} <a href="{2}">gehören dir</a> {0}',
  });
  const text = say`${1} of ${2} are <a href="${'/ui/skins'}">yours</a>`;
  expect(text.write(german)).toBe('Von 2 <a href="/ui/skins">gehören dir</a> 1');
});

test('A translation contains no link that its text does not have', () => {
  const text = (address: string) => say`See <a href="${address}">this</a> ${'javascript:alert(1)'}`;
  expect(() => text('javascript:alert(1)')).toThrow('address');
  const wrong = reader('de', { 'See <a href="{0}">this</a> {1}': '<a href="{1}">Hier</a>' });
  expect(() => text('/ui').write(wrong)).toThrow('address');
});

test('Line breaks of the source do not count, and a text in an attribute cannot end it', () => {
  const german = reader('de', { 'One two': 'Eins zwei', Pages: 'Seiten "x"' });
  expect(
    say`One
  two`.write(german),
  ).toBe('Eins zwei');
  expect(() => html`<nav aria-label="${say`Pages`}">`.write(german)).toThrow('attribute');
  expect(() => html`<nav title="${html`<b>`}">`.toString()).toThrow('attribute');
});

const SKINS = '{0} skins';
const POLISH = reader('pl', {
  [SKINS]: { one: '{0} skin', few: '{0} skiny', many: '{0} skinów', other: '{0} skina' },
});
const RUSSIAN = reader('ru', {
  [SKINS]: { one: '{0} скин', few: '{0} скина', many: '{0} скинов', other: '{0} скина' },
});
const JAPANESE = reader('ja', { [SKINS]: { other: 'スキン{0}個' } });

test.each([
  [1, '1 skin', '1 skin', '1 скин', 'スキン1個'],
  [2, '2 skins', '2 skiny', '2 скина', 'スキン2個'],
  [5, '5 skins', '5 skinów', '5 скинов', 'スキン5個'],
  [11, '11 skins', '11 skinów', '11 скинов', 'スキン11個'],
  [21, '21 skins', '21 skinów', '21 скин', 'スキン21個'],
  [22, '22 skins', '22 skiny', '22 скина', 'スキン22個'],
  [12_345, '12,345 skins', '12 345 skinów', '12 345 скинов', 'スキン12,345個'],
])('%i has the plural form of each language', (number, english, polish, russian, japanese) => {
  const text = counted(number, { one: say`${count(number)} skin`, other: say`${count(number)} skins` });
  const written = [text.toString(), text.write(POLISH), text.write(RUSSIAN), text.write(JAPANESE)];
  expect(written.map((one) => one.replaceAll('\u00a0', ' '))).toEqual([english, polish, russian, japanese]);
});

test('Scripts get texts without elements and escapes', () => {
  const german = reader('de', { 'Run <code>{0}</code>': '<code>{0}</code> ausführen' });
  expect(say`Run <code>${'say "<b>" & `c`'}</code>`.writeText(german)).toBe('say "<b>" & `c` ausführen');
});

test('Numbers with a unit are written as in the language', () => {
  const half = measured(0.5, { style: 'percent' });
  expect([half.toString(), half.write(reader('de', {})).replace('\u00a0', ' ')]).toEqual(['50%', '50 %']);
});

test('A problem is shown translated, or as the meaning of its code with the message in English', () => {
  const german = reader('de', {
    'No such player.': 'Diesen Spieler gibt es nicht.',
    'Choose <a> file.': 'Wähle <eine> Datei.',
  });
  const told = (code: string, message: string) => reasonOf({ code, message }).write(german);
  const player = 'There is no player "<x>".';
  expect(reasonOf({ code: 'invalid_user', message: player }).toString()).toBe(escapeHtml(player));
  expect(told('invalid_user', 'No such player.')).toBe('Diesen Spieler gibt es nicht.');
  expect(told('invalid_user', player)).toBe(
    `Diesen Spieler gibt es nicht. <span lang="en">${escapeHtml(player)}</span>`,
  );
  expect(told('invalid_request', 'Choose <a> file.')).toBe('Wähle &lt;eine&gt; Datei.');
  expect(told('unknown_code', player)).toBe(`<span lang="en">${escapeHtml(player)}</span>`);
});

test('Names in a row are joined as in the language', () => {
  const parts = ['a', false, '<b>', undefined, 'c'] as const;
  expect(separated(', ', parts).toString()).toBe('a, &lt;b&gt;, c');
  expect(separated('; ', parts).write(reader('ja', {}))).toBe('a、&lt;b&gt;、c');
  expect(separated(': ', ['a', 'b']).write(reader('zh-Hans', {}))).toBe('a：b');
  expect(separated(': ', ['a', 'b']).write(reader('fr', {}))).toBe('a : b');
});

test.each([
  ['', undefined],
  ['de', 'de'],
  ['de-AT,en;q=0.8', 'de'],
  ['en-GB,de;q=0.9', 'en'],
  ['tlh, de;q=0.5, en;q=0.4', 'de'],
  ['en;q=0.1, DE;q=0.9', 'de'],
  ['de;q=0, en', 'en'],
  ['*', undefined],
  ['tlh', undefined],
  ['constructor', undefined],
  ['__proto__, de', 'de'],
  [`${'xx,'.repeat(50)}de`, undefined],
  ['de;q=x', 'de'],
  ['pt', 'pt-BR'],
  ['pt-PT,en', 'pt-BR'],
  ['pt-AO', 'pt-BR'],
  ['zh-CN,zh;q=0.9', 'zh-Hans'],
  ['zh-TW', undefined],
  ['zh-Hans-SG', 'zh-Hans'],
  ['zh-HK', undefined],
  ['zh-Hant-HK, ja;q=0.5', 'ja'],
])('%j leads to %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});

const PUBLIC_URL = 'http://127.0.0.1';
const readerWith = async (headers: Readonly<Record<string, string>>) =>
  await readerOf({ headers }, PUBLIC_URL);

test.each(Object.keys(LANGUAGES).filter((tag) => tag !== 'en'))(
  'Readers of %s get its own catalogue',
  async (tag) => {
    const path = join(import.meta.dirname, '../../src/pages/languages', `${tag}.json`);
    const { pages } = JSON.parse(readFileSync(path, 'utf8')) as { pages: Record<string, Translation> };
    const reader = await readerWith({ 'accept-language': tag });
    expect(reader.language).toBe(tag);
    for (const [english, translation] of Object.entries(pages))
      expect(reader.translate(english)).toEqual(translation);
  },
);

test.each([
  ['de;q=0, fr;q=0.1', undefined, 'fr'],
  ['de;q=0', undefined, 'en'],
  ['de', 'pl', 'pl'],
  ['de', 'tlh', 'de'],
  ['de', undefined, 'de'],
])('A browser that prefers %s shows, after the choice of %s, %s', async (preferred, chosen, shown) => {
  const headers = {
    'accept-language': preferred,
    ...(chosen && { cookie: `skinsmith-language=${chosen}` }),
  };
  expect((await readerWith(headers)).language).toBe(shown);
});
