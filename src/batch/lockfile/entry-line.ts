import { parsedJson } from '../../base/parsed-json.ts';
import { safeParse } from '../../protocol/parsing.ts';
import { hasContent, type LockEntry, sourceRecordSchema } from './entry.ts';

/** Maximum bytes of a line, without its line break. */
export const LONGEST_LINE = 64 * 1024;

/*
 * The form that `lineOf` (protocol/lock-line.ts) writes, for reading. A pattern takes a third of the time of a JSON parser plus schema, and reading
 * is most of what an unchanged batch does. Lines in another form (such as with a cape) go to the parser.
 */
const HEX = '[0-9a-f]{64}';
/** A character of a string without escapes: its value is the text between the quotes. */
export const TEXT = String.raw`[^"\\\x00-\x1f]`;
const DIGEST = '[0-9a-f]{16}';
const BASE64 = '[A-Za-z0-9+/=]';
const WISH = 'auto|classic|slim';
const VARIANT = 'classic|slim|unknown';
const VISIBILITY = 'public|unlisted|private';
const FORM = new RegExp(
  `^\\{"source":"(${TEXT}+)",(?:"pixels":"(${HEX})",)?` +
    `"options":\\{"variant":"(${WISH})","visibility":"(${VISIBILITY})"\\},` +
    `"uuid":"(${TEXT}+)",(?:"record":(\\{.*?\\}),)?(?:"name":"(${TEXT}*)",)?"variant":"(${VARIANT})","visibility":"(${VISIBILITY})",` +
    `"value":"(${BASE64}+)","signature":"(${BASE64}*)","texture":"(${TEXT}*)","hash":"(${TEXT}*)",` +
    `"service":"(${TEXT}*)"(?:,"key":"(${TEXT}*)")?(?:,"signer":"(${TEXT}*)")?(?:,"digest":"(${DIGEST})")?\\}\\r?\\n?$`,
);

type Fields = readonly [
  all: string,
  source: string,
  pixels: string | undefined,
  wish: LockEntry['options']['variant'],
  asked: LockEntry['options']['visibility'],
  uuid: string,
  record: string | undefined,
  name: string | undefined,
  variant: LockEntry['variant'],
  visibility: LockEntry['visibility'],
  value: string,
  signature: string,
  texture: string,
  hash: string,
  service: string,
  key: string | undefined,
  signer: string | undefined,
  digest: string | undefined,
];

/** Reads a line, with or without its line break; undefined if it has another, possibly valid, form. */
export function readLine(text: string): LockEntry | undefined {
  const match = FORM.exec(text) as Fields | null;
  if (!match) return undefined;
  const [, source, pixels, wish, asked, uuid, recordText, name, variant, visibility, ...rest] = match;
  if (!hasContent({ source, pixels })) return undefined;
  const record = recordText === undefined ? undefined : readRecord(recordText);
  if (recordText !== undefined && !record) return undefined;
  const [value, signature, texture, hash, service, key, signer, digest] = rest;
  const options = { variant: wish, visibility: asked };
  return {
    source,
    pixels,
    options,
    uuid,
    ...(record && { record }),
    name,
    variant,
    visibility,
    value,
    signature,
    texture,
    hash,
    service,
    key,
    signer,
    digest,
  };
}

/** What was recorded about a source; undefined for any other JSON. */
export function readRecord(text: string): LockEntry['record'] {
  return safeParse(sourceRecordSchema, parsedJson(text)).data;
}
