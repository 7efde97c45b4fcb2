/** What a template may contain. `false`, null and undefined render nothing. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** The person a page is written for. */
export interface Reader {
  /** The language, as a BCP 47 tag. */
  readonly language: string;
  /** A text of the pages in that language; undefined: it stays in English. `english`: with {0}, {1} in place of values */
  readonly translate: (english: string) => Translation | undefined;
  /** What the scripts of pages show, by the English text; undefined: it stays in English. */
  readonly scripts?: Readonly<Record<string, Translation>>;
  /** Whether pictures come only with the session, because the service admits nobody without a key. */
  readonly needsSession?: boolean;
  /** Whether the person may put skins into a set of their own, which is the tray of browsers without scripts. */
  readonly maySet?: boolean;
}

/** A text in another language, or its plural forms. */
export type Translation =
  | string
  | (Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string });

/** The language of the source, and of everything that is not a page. */
export const ENGLISH: Reader = { language: 'en', translate: () => undefined };

/** Text that is safe as HTML: it comes from a template, or was marked as safe. It may differ from reader to reader. */
export class Html {
  readonly #write: (reader: Reader) => string;

  protected constructor(write: (reader: Reader) => string) {
    this.#write = write;
  }

  /** Text as it is, unescaped. Only for text of our own, never for anything from outside. */
  static unescaped(text: string): Html {
    return new Html(() => text);
  }

  /** What depends on who reads it, such as a number. Its text is escaped. */
  static forReader(content: (reader: Reader) => Content): Html {
    return new Html((reader) => write(content(reader), reader));
  }

  write(reader: Reader): string {
    return this.#write(reader);
  }

  /** The text alone, for scripts. */
  writeText(reader: Reader): string {
    const text = this.write(reader).replaceAll(/<[^>]*>/g, '');
    return text.replaceAll(/&[a-z\d#]+;/g, (entity) => CHARACTERS.get(entity) ?? entity);
  }

  /** In English. */
  toString(): string {
    return this.write(ENGLISH);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

const CHARACTERS = new Map(Object.entries(ESCAPES).map(([character, entity]) => [entity, character]));

/** Characters that no document may contain, lone surrogates among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to replace
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f\ufffe\uffff]|\p{Surrogate}/gu;

/** Escapes a text for elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"'`]/g, (character) => ESCAPES[character]!);
}

/** Where a value is in a template. Inside a tag but outside quotes, only other templates are allowed. */
type Place = 'text' | 'tag' | 'attribute' | 'address';

/** Comments and element names, where escaping does not help. */
const UNSAFE_PLACE = /(?:<!--(?:(?!-->)[\s\S])*|<\/?[\w-]*)$/;
/** Attributes that are addresses. A value at the start decides where they lead. */
const ADDRESS_START = /\s(?:href|src|action|formaction)="$/;
/** Inside a tag, after its name and complete attributes. */
const IN_TAG = /<[a-z][^<>"]*(?:"[^"]*"[^<>"]*)*$/i;
/** Inside the quotes of an attribute. */
const IN_ATTRIBUTE = /<[a-z][^<>"]*(?:"[^"]*"[^<>"]*)*="[^"]*$/i;
/** On this server, on another one, on this page, or a mailbox; never a script or data. */
const SAFE_ADDRESS = /^(?:\/(?![/\\])|https?:\/\/|mailto:|[#?])/;

/** The places of a template's values, found once. */
const PLACES = new WeakMap<readonly string[], readonly Place[]>();

/**
 * A template that escapes its values. @throws Error if a value is where escaping does not help, or an address could be
 * a script
 */
export function html(literals: readonly string[], ...values: readonly Content[]): Html {
  const places = PLACES.get(literals) ?? findPlaces(literals);
  values.forEach((value, index) => {
    verifyPlace(value, places[index]!);
  });
  return Html.forReader((reader) => {
    let text = literals[0]!;
    values.forEach((value, index) => {
      text += writeAt(places[index]!, value, reader) + literals[index + 1]!;
    });
    return Html.unescaped(text);
  });
}

function findPlaces(literals: readonly string[]): readonly Place[] {
  const places = literals.slice(0, -1).map((_, index) => placeBehind(literals.slice(0, index + 1).join('x')));
  PLACES.set(literals, places);
  return places;
}

function placeBehind(before: string): Place {
  if (UNSAFE_PLACE.test(before)) throw new Error(`A value must not follow: ${before.slice(-40)}`);
  if (ADDRESS_START.test(before)) return 'address';
  if (IN_ATTRIBUTE.test(before)) return 'attribute';
  if (!IN_TAG.test(before)) return 'text';
  if (/=\s*$/.test(before)) throw new Error(`An attribute needs quotes: ${before.slice(-40)}`);
  return 'tag';
}

function verifyPlace(value: Content, place: Place): void {
  if (place === 'address') verifyAddress(value);
  if (place === 'tag' && (typeof value === 'string' || typeof value === 'number')) {
    throw new Error('Only a template is allowed inside a tag outside quotes.');
  }
}

function verifyAddress(value: Content): void {
  if (typeof value === 'string' && SAFE_ADDRESS.test(value) && !/[\t\n\r]/.test(value)) return;
  throw new Error('The address of an element is neither on this server nor http(s) or mailto.');
}

/** @throws Error if a template would end the attribute that it is in */
function writeAt(place: Place, content: Content, reader: Reader): string {
  const text = write(content, reader);
  if (place === 'attribute' && /["<>]/.test(text))
    throw new Error(`An attribute holds text only: ${text.slice(0, 40)}`);
  return text;
}

function write(content: Content, reader: Reader): string {
  if (content === false || content === null || content === undefined) return '';
  if (content instanceof Html) return content.write(reader);
  if (typeof content === 'object') return content.map((one) => write(one, reader)).join('');
  return escapeHtml(String(content));
}

/**
 * Pages are written in English, in templates. `say` marks a text that readers see: `say`Search``,
 * `say`Signed by ${name}``, with markup too: `say`No skins match. <a href="${PATH}">Show all skins.</a>``. In
 * `languages/de.json`, its translation has the English text as its key, with {0}, {1} in place of the values:
 * `"Signed by {0}": "Signiert von {0}"`. Elements are part of the text; their addresses and other attributes stay
 * values, and an attribute of English text, such as aria-label, is a text of its own. Say whole sentences: parts cannot
 * be put together in another language. Texts begin and end without spaces. Names, codes and commands need no translation.
 */
export class Saying extends Html {
  /** The English text with {0}, {1} in place of the values. */
  readonly english: string;
  readonly values: readonly Content[];

  constructor(literals: readonly string[], values: readonly Content[]) {
    const own = html(literals, ...values);
    const english = keyOf(literals);
    super((reader) => {
      const translation = reader.translate(english);
      return (typeof translation === 'string' ? filled(translation, values) : own).write(reader);
    });
    this.english = english;
    this.values = values;
  }
}

/** A text of the pages, which readers see in their own language. */
export function say(literals: TemplateStringsArray, ...values: readonly Content[]): Saying {
  return new Saying(literals, values);
}

/**
 * A text about a number of things, which other languages have more forms of: `counted(n, { one: say`one skin`, other:
 * say`${count(n)} skins` })`. The catalogues have the forms at the text for `other`, with its values:
 * `"{0} skins": { "one": "{0} Skin", "other": "{0} Skins" }`.
 */
export function counted(number: number, forms: { readonly one: Html; readonly other: Saying }): Html {
  const { one, other } = forms;
  return Html.forReader((reader) => {
    const translation = reader.translate(other.english);
    if (typeof translation !== 'object') return number === 1 ? one : other;
    const form = new Intl.PluralRules(reader.language).select(number);
    return filled(translation[form] ?? translation.other, other.values);
  });
}

/** A number as its reader writes it. */
export function count(number: number): Html {
  return Html.forReader(({ language }) => number.toLocaleString(language));
}

/** How languages write what separates parts; others write it as in English. */
const MARKS = {
  ', ': { ja: '、', 'zh-Hans': '，' },
  '; ': { ja: '、', 'zh-Hans': '；', fr: ' ; ' },
  ': ': { ja: '：', 'zh-Hans': '：', fr: ' : ' },
} as const;

/** Parts in a row, without those that are empty. `mark`: what separates them in English. */
export function separated(mark: keyof typeof MARKS, parts: readonly Content[]): Html {
  const known: Readonly<Record<string, string>> = MARKS[mark];
  return Html.forReader(({ language }) => {
    const shown = parts.filter(
      (part) => part !== false && part !== null && part !== undefined && part !== '',
    );
    return shown.map((part, index) => [index > 0 && (known[language] ?? mark), part]);
  });
}

/** A number with its unit, such as milliseconds or per cent. */
export function measured(number: number, form: Intl.NumberFormatOptions): Html {
  return Html.forReader(({ language }) => number.toLocaleString(language, form));
}

/** Source files break lines where browsers show a space. */
function keyOf(literals: readonly string[]): string {
  const parts = literals.map((literal, index) => (index === 0 ? literal : `{${index - 1}}${literal}`));
  return parts.join('').replaceAll(/\s+/g, ' ');
}

function filled(translation: string, values: readonly Content[]): Html {
  // Literals and numbers take turns.
  const parts = translation.split(/\{(\d+)\}/);
  const literals = parts.filter((_, index) => index % 2 === 0);
  const order = parts.filter((_, index) => index % 2 === 1);
  return html(literals, ...order.map((number) => values[Number(number)]));
}
