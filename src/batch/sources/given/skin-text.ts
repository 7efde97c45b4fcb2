import { parsedJson } from '../../../base/parsed-json.ts';
import { type SkinInJson, skinInJson } from './skin-json.ts';

/** The start of base64 of a JSON object: `{` and a quote or white space. Shorter text is no textures document. */
const VALUE = /^e(?:yJ|y[A-D]|w[k-r0-3])[A-Za-z0-9+/]{60,}={0,2}$/;
/** `{` and what may follow it in an object; a path may start with a brace as well. */
const OBJECT = /^\s*\{\s*["}]/;
/** The third line of SkinsRestorer's old files. */
const TIMESTAMP = /^-?\d{1,16}$/;
/** Maximum characters of pasted skin data. */
const LONGEST_TEXT = 64 * 1024;

/** Skin data, or the problem as a sentence. */
export type SkinInText = { readonly skin: SkinInJson } | { readonly fault: string };

/** Whether a text looks like skin data: a JSON object, or a base64 value with or without its signature. */
export function isSkinText(text: string): boolean {
  return OBJECT.test(text) || VALUE.test(wordsOf(text)[0] ?? '');
}

/** Reads `{…}`, `value`, `value signature` or `value signature timestamp`. */
export function readSkinText(text: string): SkinInText {
  if (text.length > LONGEST_TEXT)
    return { fault: `Skin data has at most ${LONGEST_TEXT} characters, and this has ${text.length}.` };
  return OBJECT.test(text) ? readObject(text) : readWords(wordsOf(text));
}

function readObject(text: string): SkinInText {
  const json = parsedJson(text);
  if (json === undefined) return { fault: 'The text starts like a JSON object but is not valid JSON.' };
  const skin = skinInJson(json);
  return skin ? { skin } : { fault: 'The JSON object has no texture value.' };
}

function readWords([value = '', signature, ...more]: readonly string[]): SkinInText {
  const isTimed = more.length === 1 && TIMESTAMP.test(more[0] ?? '');
  if (more.length > 0 && !isTimed) return { fault: 'There is more than a value and its signature.' };
  return { skin: { value, signature } };
}

function wordsOf(text: string): string[] {
  return text.slice(0, LONGEST_TEXT).trim().split(/\s+/);
}
