import { z } from 'zod';
import { ENGLISH, type Html, html, type Reader, say, type Translation } from '../html/html.ts';
import type { HttpRequest } from '../server/http/route.ts';
import { cameFrom, readCookie, setCookie } from './cookies.ts';
import { formFor, seeOther } from './page-route.ts';

/** The languages, by BCP 47 tag, each by the name that its speakers call it. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  pl: 'Polski',
  'pt-BR': 'Português (Brasil)',
  ru: 'Русский',
  'zh-Hans': '简体中文',
} as const;

type Language = keyof typeof LANGUAGES;

/** The texts of a language; those that scripts show are separate. */
interface Catalogue {
  readonly pages: Readonly<Record<string, Translation>>;
  readonly scripts: Readonly<Record<string, Translation>>;
}

const CATALOGUES: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ readonly default: Catalogue }>>> =
  {
    de: async () => await import('./languages/de.json', { with: { type: 'json' } }),
    es: async () => await import('./languages/es.json', { with: { type: 'json' } }),
    fr: async () => await import('./languages/fr.json', { with: { type: 'json' } }),
    ja: async () => await import('./languages/ja.json', { with: { type: 'json' } }),
    pl: async () => await import('./languages/pl.json', { with: { type: 'json' } }),
    'pt-BR': async () => await import('./languages/pt-BR.json', { with: { type: 'json' } }),
    ru: async () => await import('./languages/ru.json', { with: { type: 'json' } }),
    'zh-Hans': async () => await import('./languages/zh-Hans.json', { with: { type: 'json' } }),
  };

/** The reader who sent a request. */
export async function readerOf(request: Pick<HttpRequest, 'headers'>, publicUrl: string): Promise<Reader> {
  const language = languageOf(request, publicUrl);
  if (language === 'en') return ENGLISH;
  const { pages, scripts } = (await CATALOGUES[language]()).default;
  return { language, translate: (english) => pages[english], scripts };
}

/** What the reader chose here, otherwise what the browser prefers. */
function languageOf(request: Pick<HttpRequest, 'headers'>, publicUrl: string): Language {
  const chosen = knownLanguage(readCookie('skinsmith-language', request, publicUrl) ?? '');
  return chosen ?? preferredLanguage(String(request.headers['accept-language'] ?? '')) ?? 'en';
}

/** Languages that a browser may list; more are not read. */
const MAX_PREFERENCES = 20;

/** The language that an Accept-Language header prefers among those of the pages. */
export function preferredLanguage(header: string): Language | undefined {
  const preferences = header.split(',', MAX_PREFERENCES).map((part) => {
    const [tag = '', ...rest] = part.split(';');
    const quality = /^\s*q=([\d.]{1,5})\s*$/.exec(rest[0] ?? '')?.[1];
    return { language: knownLanguage(tag.trim()), quality: quality === undefined ? 1 : Number(quality) };
  });
  const wanted = preferences.filter(({ language, quality }) => language !== undefined && quality > 0);
  return wanted.sort((a, b) => b.quality - a.quality)[0]?.language;
}

/** German for de-AT, and simplified Chinese for zh-SG, but not for zh-TW: countries and scripts follow from each other. */
function knownLanguage(tag: string): Language | undefined {
  const wanted = likelyLocale(tag);
  return wanted && (Object.keys(LANGUAGES) as Language[]).find((name) => isSame(likelyLocale(name), wanted));
}

/** Undefined: this is no tag of a language. */
function likelyLocale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return undefined;
  }
}

function isSame(known: Intl.Locale | undefined, { language, script }: Intl.Locale): boolean {
  return known?.language === language && known.script === script;
}

/** Where the form of `languageForm` goes. */
const LANGUAGE_PATH = '/ui/language';

/** Below every page: the language to read on in. */
export function languageForm({ language }: Reader): Html {
  const choices = Object.entries(LANGUAGES).map(
    ([tag, name]) =>
      html`<option value="${tag}" lang="${tag}"${tag === language && html` selected`}>${name}</option>`,
  );
  return html`<form class="language" method="post" action="${LANGUAGE_PATH}"><label for="language">${say`Language`}</label>
<select id="language" name="language">${choices}</select> <button class="quiet-button">${say`Change language`}</button></form>`;
}

const choice = z.object({ language: z.enum(Object.keys(LANGUAGES) as [Language, ...Language[]]) });

/** Keeps the chosen language in a cookie, and returns to the page. */
export const languageRoute = formFor('everyone', LANGUAGE_PATH, { fields: choice }, async (call) => {
  const { request, fields } = call;
  const publicUrl = call.context.publicUrl();
  const cookie = setCookie('skinsmith-language', request, { publicUrl, secret: fields.language });
  return seeOther(cameFrom(request) ?? '/ui/', { 'Set-Cookie': cookie });
});
