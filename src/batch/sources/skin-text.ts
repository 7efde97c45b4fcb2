import { isUuid, parsedJson } from '../../base/text.ts';
import { type SkinInJson, skinInJson } from './skin-json.ts';
import { hasSkinValue } from './skin-runs.ts';
import { skinsInTree } from './skin-tree.ts';

/** The start of base64 of a JSON object: `{` and a quote or white space. Shorter text is no textures document. */
const VALUE = /^e(?:yJ|y[A-D]|w[k-r0-3])[A-Za-z0-9+/]{60,}={0,2}$/;
/** `{` and what may follow it in an object; a path may start with a brace as well. */
const OBJECT = /^\s*\{\s*["}]/;
/** The third line of SkinsRestorer's old files: for a skin that never expires, almost the largest number of 64 bits. */
const TIMESTAMP = /^-?\d{1,19}$/;
/** Maximum characters of pasted skin data. */
const LONGEST_TEXT = 64 * 1024;

/** Skin data, or the problem as a sentence. */
type SkinInText = { readonly skin: SkinInJson } | { readonly fault: string };

/** What precedes the value in commands, scripts and files of Citizens, Denizen and ZNPCsPlus. */
const LEAD = /^(?:\/?npc skin -t (\S+) |(?:- |\/?ex )?adjust \S+ skin_blob:|skin_blob:|prefetched;textures;)/;

/**
 * Whether a text looks like skin data: a JSON object, SNBT or a command with a value in it, or a base64 value with or without
 * its signature.
 */
export function isSkinText(text: string): boolean {
  return OBJECT.test(text) || VALUE.test(wordsOf(text).words[0] ?? '') || isSnbt(text);
}

function isSnbt(text: string): boolean {
  return /[{[]/.test(text) && hasSkinValue(text);
}

/** Reads `{…}`, a command, `value`, `value signature` (or with a semicolon) or `value signature timestamp`. */
export function readSkinText(text: string): SkinInText {
  if (text.length > LONGEST_TEXT)
    return { fault: `Skin data has at most ${LONGEST_TEXT} characters, and this has ${text.length}.` };
  if (VALUE.test(wordsOf(text).words[0] ?? '')) return readWords(wordsOf(text));
  const json = OBJECT.test(text) ? readObject(text) : undefined;
  if (json && 'skin' in json) return json;
  const [only, ...others] = isSnbt(text) ? skinsInTree([text]) : [];
  if (!only) return json ?? { fault: 'The text has no texture value.' };
  return others.length === 0
    ? { skin: only.skin }
    : { fault: 'The text has several skins. Save it as a file and use that as the source.' };
}

function readObject(text: string): SkinInText {
  const json = parsedJson(text);
  if (json === undefined) return { fault: 'The text starts like a JSON object but is not valid JSON.' };
  const skin = skinInJson(json);
  return skin ? { skin } : { fault: 'The JSON object has no texture value.' };
}

interface Words {
  readonly words: readonly string[];
  /** The name of the skin in a command. */
  readonly name?: string | undefined;
  readonly areSeparated: boolean;
}

function readWords({
  words: [value = '', signature, third, ...more],
  name,
  areSeparated,
}: Words): SkinInText {
  const isName = areSeparated && third !== undefined && /^[\w.-]{1,64}$/.test(third);
  if (more.length > 0 || (third !== undefined && !TIMESTAMP.test(third) && !isName))
    return { fault: 'The text has more than a value and its signature.' };
  const called = isName ? third : name;
  return { skin: { value, signature, ...(called !== undefined && !isUuid(called) && { name: called }) } };
}

/** Plugins separate a value from its signature with a semicolon as well; Denizen puts a name after them. */
function wordsOf(text: string): Words {
  const start = text.slice(0, LONGEST_TEXT).trim();
  const lead = LEAD.exec(start);
  const rest = start.slice(lead?.[0].length ?? 0);
  const words = rest.split(/\s*;\s*|\s+/).filter((word, index) => word !== '' || index === 0);
  return { words, name: lead?.[1], areSeparated: rest.includes(';') };
}
