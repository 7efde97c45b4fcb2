/** What a template may contain. `false`, null and undefined render nothing. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** Text that is safe as HTML: it comes from a template, or was marked as safe. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Text as it is, unescaped. Only for text of our own, never for anything from outside. */
  static unescaped(text: string): Html {
    return new Html(text);
  }

  toString(): string {
    return this.#text;
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

/** Characters that no document may contain, lone surrogates among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to replace
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f\ufffe\uffff]|\p{Surrogate}/gu;

/** Escapes a text for elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"'`]/g, (character) => ESCAPES[character]!);
}

/** Where a value is in a template. Inside a tag but outside quotes, only other templates are allowed. */
type Place = 'text' | 'tag' | 'address';

/** Comments and element names, where escaping does not help. */
const UNSAFE_PLACE = /(?:<!--(?:(?!-->)[\s\S])*|<\/?[\w-]*)$/;
/** Attributes that are addresses. A value at the start decides where they lead. */
const ADDRESS_START = /\s(?:href|src|action|formaction)="$/;
/** Inside a tag, after its name and complete attributes. */
const IN_TAG = /<[a-z][^<>"]*(?:"[^"]*"[^<>"]*)*$/i;
/** On this server, on another one, on this page, or a mailbox; never a script or data. */
const SAFE_ADDRESS = /^(?:\/(?![/\\])|https?:\/\/|mailto:|[#?])/;

/** The places of a template's values, found once. */
const PLACES = new WeakMap<TemplateStringsArray, readonly Place[]>();

/**
 * A template that escapes its values. @throws Error if a value is where escaping does not help, or an address could be
 * a script
 */
export function html(literals: TemplateStringsArray, ...values: readonly Content[]): Html {
  const places = PLACES.get(literals) ?? findPlaces(literals);
  let text = literals[0]!;
  values.forEach((value, index) => {
    verifyPlace(value, places[index]!);
    text += write(value) + literals[index + 1]!;
  });
  return Html.unescaped(text);
}

function findPlaces(literals: TemplateStringsArray): readonly Place[] {
  const places = literals.slice(0, -1).map((_, index) => placeBehind(literals.slice(0, index + 1).join('x')));
  PLACES.set(literals, places);
  return places;
}

function placeBehind(before: string): Place {
  if (UNSAFE_PLACE.test(before)) throw new Error(`A value must not follow: ${before.slice(-40)}`);
  if (ADDRESS_START.test(before)) return 'address';
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

function write(content: Content): string {
  if (content === false || content === null || content === undefined) return '';
  if (content instanceof Html) return content.toString();
  if (typeof content === 'object') return content.map(write).join('');
  return escapeHtml(String(content));
}
