import { isUtf8 } from 'node:buffer';
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { bareUuid, decodedText, isUuid, parsedJson, utf16Of } from '../../base/text.ts';
import { NetworkError, ServiceError, SkinsmithError } from '../../client/errors.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { CallOptions } from '../../client/types.ts';
import { isGameTexture, readTextures } from '../../dispatch/proof.ts';
import { skinNameFrom, visibilitySchema } from '../../protocol/skin.ts';
import { InvalidTexturesError, parseTextures, textureName } from '../../textures/property.ts';
import { BatchSetupError, type BatchSource, type SourceContent, type SuppliedSkin } from '../model.ts';
import { fileProblem, mirroredStem, readLines } from './files.ts';

/** Characters of a texture's name that identify a skin for people. */
const SHOWN_NAME = 16;
/** The signature of an 8,192-bit key has 1,368. */
const LONGEST_SIGNATURE = 4_096;
/** Names in results and the lockfile for sources without a path. */
const NO_PATH = /^(?:https?|user|bytes|value|skin|data):/i;
const LONGEST_LABEL = 256;

/**
 * Skin data as a source, named by the JSON, otherwise by its place in a file, otherwise by the texture in its
 * value.
 */
export function skinSource({ signature, ...about }: SkinInJson, place?: string): BatchSource {
  const value = padded(about.value);
  const read = readTexture(value, signature);
  if ('problem' in read) {
    const label = about.source ?? place ?? `value:${value.slice(0, SHOWN_NAME)}…`;
    return { label: label.slice(0, LONGEST_LABEL), content: problem(read), stem: 'value' };
  }
  const { name } = read;
  const short = name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name;
  const { source, value: _, ...rest } = about;
  return {
    label: (source ?? place ?? `value:${short}`).slice(0, LONGEST_LABEL),
    content: { kind: 'data', given: { value, ...(signature && { signature }), ...checked(rest) } },
    stem: stemOf(source, about.name, name),
  };
}

/** Base64 whose padding got lost where it was copied. */
function padded(value: string): string {
  return /^[A-Za-z0-9+/]+$/.test(value) && value.length % 4 > 1
    ? value.padEnd(Math.ceil(value.length / 4) * 4, '=')
    : value;
}

/** Why a value is not skin data. `isCut`: its end seems to be missing. */
interface Unreadable {
  readonly problem: string;
  readonly isCut?: boolean;
}

/** The texture's name, or why there is none. */
function readTexture(value: string, signature: string | undefined): { readonly name: string } | Unreadable {
  if (signature !== undefined && signature.length > LONGEST_SIGNATURE)
    return { problem: `The signature has more than ${LONGEST_SIGNATURE} characters.` };
  try {
    const { skin } = parseTextures(value);
    if (!skin) return { problem: 'The value contains no skin.' };
    return { name: textureName(skin.url) || 'texture' };
  } catch (error) {
    if (!(error instanceof InvalidTexturesError)) throw error;
    return { problem: error.message, isCut: error.isCut };
  }
}

function problem({ problem: message, isCut }: Unreadable): SourceContent {
  const hint = isCut
    ? 'Copy the whole value; a signature follows it after a space.'
    : 'A value is the base64 of {"textures":{"SKIN":{"url":"…"}}}.';
  return { kind: 'problem', problem: { code: 'invalid_skin_data', message, hint } };
}

/** What the data claims about itself, as far as it is plausible. */
function checked({ uuid, name, visibility, pixels }: Omit<SkinInJson, 'value'>): Omit<SuppliedSkin, 'value'> {
  const seen = visibilitySchema.safeParse(visibility).data;
  const skinName = name === undefined ? undefined : skinNameFrom(name);
  return {
    ...(uuid !== undefined && isUuid(uuid) && { uuid: bareUuid(uuid) }),
    ...(skinName !== undefined && { name: skinName }),
    ...(seen && { visibility: seen }),
    ...(pixels !== undefined && /^[0-9a-f]{64}$/.test(pixels) && { pixels }),
  };
}

function stemOf(source: string | undefined, name: string | undefined, texture: string): string {
  const isPath = source !== undefined && source !== '-' && !NO_PATH.test(source);
  return (isPath ? mirroredStem(source) : '') || (name && skinNameFrom(name)) || texture;
}

/** Skin data as found in JSON, not checked yet. */
export interface SkinInJson {
  readonly value: string;
  readonly signature?: string | undefined;
  /** Its source, according to the JSON. */
  readonly source?: string | undefined;
  readonly uuid?: string | undefined;
  readonly name?: string | undefined;
  readonly variant?: string | undefined;
  readonly visibility?: string | undefined;
  /** URL of the texture beside the value. */
  readonly url?: string | undefined;
  readonly pixels?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The skin data of a JSON object: a lockfile line, a result of ours, a skin as services answer it (either
 * version, with or without the envelope), a game profile, one of its properties, or a file of SkinsRestorer. Only known places are
 * searched, however deep the JSON is. Undefined if there is no value.
 */
export function skinInJson(json: unknown): SkinInJson | undefined {
  const item = fieldsOf(json);
  if (!item) return undefined;
  const whole = fieldsOf(item['skin']) ?? item;
  const data = dataOf(whole);
  const value = textOf(data?.['value']);
  if (!data || value === undefined) return undefined;
  const isProperty = data['name'] === 'textures';
  return {
    value,
    signature: textOf(data['signature']) || undefined,
    source: textOf(item['source']) || undefined,
    uuid: textOf(whole['uuid']),
    name: isProperty && data === whole ? undefined : (textOf(whole['name']) ?? textOf(whole['skinName'])),
    variant: textOf(whole['variant']),
    visibility: textOf(whole['visibility']),
    url: addressOf(whole),
    pixels: textOf(whole['pixels']),
  };
}

/** Where value and signature are. */
function dataOf(whole: Fields): Fields | undefined {
  const texture = fieldsOf(whole['texture']);
  const first = fieldsOf(whole['data']);
  const places = [
    whole,
    texture,
    fieldsOf(texture?.['data']),
    fieldsOf(first?.['texture']),
    propertyOf(whole['properties']),
  ];
  return places.find((place) => textOf(place?.['value']) !== undefined);
}

function propertyOf(properties: unknown): Fields | undefined {
  if (!Array.isArray(properties)) return undefined;
  return properties.map(fieldsOf).find((property) => property?.['name'] === 'textures');
}

function addressOf({ texture, url }: Fields): string | undefined {
  if (typeof texture === 'string') return texture; // the lockfile's form
  const address = fieldsOf(texture)?.['url'];
  return textOf(address) ?? textOf(fieldsOf(address)?.['skin']) ?? textOf(url);
}

function fieldsOf(json: unknown): Fields | undefined {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : undefined;
}

function textOf(json: unknown): string | undefined {
  return typeof json === 'string' ? json : undefined;
}

/** The start of base64 of a JSON object: `{` and a quote or white space. Shorter text is no textures document. */
const VALUE = /^e(?:yJ|y[A-D]|w[k-r0-3])[A-Za-z0-9+/]{60,}={0,2}$/;
/** `{` and what may follow it in an object; a path may start with a brace as well. */
const OBJECT = /^\s*\{\s*["}]/;
/** The third line of SkinsRestorer's old files. */
const TIMESTAMP = /^-?\d{1,16}$/;
/** Maximum characters of pasted skin data. */
const LONGEST_TEXT = 64 * 1024;

/** Skin data, or the problem as a sentence. */
type SkinInText = { readonly skin: SkinInJson } | { readonly fault: string };

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
  if (more.length > 0 && !isTimed) return { fault: 'The text has more than a value and its signature.' };
  return { skin: { value, signature } };
}

function wordsOf(text: string): string[] {
  return text.slice(0, LONGEST_TEXT).trim().split(/\s+/);
}

/** A texture that cannot be fetched. */
export class SuppliedTextureError extends SkinsmithError {
  override readonly name = 'GivenTextureError';
  readonly code = 'texture_unavailable';
  readonly isPassing = false;
  readonly hint = 'Save the picture as a file and give that.';
}

/** Milliseconds that the texture's host may fail. */
const RETRY = { budget: 3_000, patience: 10_000 };

/**
 * The texture of given skin data, a PNG of at most 256 KiB. An embedded service signs URLs that only `serve`
 * answers, so the same path is also tried on the service in use.
 * @throws GivenTextureError; the signal's reason
 */
export async function fetchSuppliedTexture(
  given: SuppliedSkin,
  client: SkinClient,
  { signal }: Pick<CallOptions, 'signal'>,
): Promise<Uint8Array> {
  const { url } = readTextures(given.value).skin;
  const call = { signal, retry: RETRY };
  try {
    return await client.texture(url, call);
  } catch (error) {
    if (signal?.aborted || !(error instanceof SkinsmithError)) throw error;
    const { pathname } = new URL(url);
    if (!isGameTexture(url) && isOwnPath(pathname)) {
      const served = await ownTexture(client, pathname, call);
      if (served) return served;
    }
    throw new SuppliedTextureError(`Its texture could not be fetched: ${error.message}`, { cause: error });
  }
}

/** Where services of ours serve textures. */
function isOwnPath(path: string): boolean {
  return /^\/textures\/[0-9a-f]{64}$/.test(path);
}

/** Undefined if the service does not have it either. */
async function ownTexture(
  client: SkinClient,
  path: string,
  call: CallOptions,
): Promise<Uint8Array | undefined> {
  try {
    return await client.texture(new URL(path, client.baseUrl).href, call);
  } catch (error) {
    if (error instanceof ServiceError || error instanceof NetworkError) return undefined;
    throw error;
  }
}

/** Answers meaning that the service has no such skin, or none visible to the caller. */
const ABSENT = new Set([400, 403, 404, 410, 422]);

/** Milliseconds that a service may fail after it has answered before. */
const OUTAGE = { budget: 15 * 60_000, patience: 15 * 60_000 };

/** Asks a service for skins by UUID; see `findSkin`. Waits longer for it once it has answered. */
export function skinFinder(
  connect: () => Promise<SkinClient>,
  call: CallOptions,
): (uuid: string) => Promise<SuppliedSkin | undefined> {
  let hasAnswered = false;
  return async (uuid) => {
    const client = await connect();
    const skin = await findSkin(client, uuid, hasAnswered ? { ...call, retry: OUTAGE } : call);
    hasAnswered = true;
    return skin;
  };
}

/** The skin with a UUID; undefined if the service has none. @throws the client's other errors */
export async function findSkin(
  client: SkinClient,
  uuid: string,
  call: CallOptions,
): Promise<SuppliedSkin | undefined> {
  try {
    const { name, visibility, texture } = await client.skin(uuid, call);
    const { value, signature } = texture.data;
    return { value, signature, uuid, name, visibility };
  } catch (error) {
    if (error instanceof ServiceError && ABSENT.has(error.status)) return undefined;
    throw error;
  }
}

/** Maximum bytes of a JSON document; a file with one skin per line may have any number. */
const LARGEST_DOCUMENT = 64 * 1024 * 1024;
const DOCUMENT = /\.json$/i;
const PICTURE = /\.png$/i;
const LINES = /\.(?:lock|ndjson|jsonl)$/i;

/** Bytes at the start of a file that tell skin data from a picture. */
const START = 256;
/** JSON, or the base64 of JSON. */
const STARTS_AS_SKIN_DATA = /^\s*(?:[{[]|e(?:yJ|y[A-D]|w[k-r0-3])[A-Za-z0-9+/]{40})/;

/**
 * Whether a file has skin data: a lockfile, JSON, or any other file that starts as those do, such as one of
 * SkinsRestorer's. `name`: as written.
 */
export function isSkinFile(name: string, path: string): boolean {
  if (DOCUMENT.test(name) || LINES.test(name)) return true;
  return !PICTURE.test(name) && STARTS_AS_SKIN_DATA.test(startOf(path));
}

/** Empty if it is no file or cannot be read: reading it as a source says why. */
function startOf(path: string): string {
  try {
    if (!statSync(path).isFile()) return '';
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(START);
      return decodedText(bytes.subarray(0, readSync(fd, bytes)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}

const FILE_HINT = 'Give a lockfile (skins.lock), or JSON as written by generate --json and --out.';
/** One line of a file of skins is damaged. */
const LINE_HINT = 'Restore the file, for example from version control, or delete the line.';

/** All skins of a file, each with its name there. `label`: the file's name in messages. */
export async function* skinFileSources(label: string, path: string): AsyncGenerator<BatchSource> {
  try {
    if (LINES.test(path)) yield* lineSources(label, path);
    else yield* textSources(label, await readDocument(path));
  } catch (error) {
    if (error instanceof BatchSetupError) yield faulty(label, error.message);
    else yield { label, content: { kind: 'problem', problem: fileProblem(label, error) }, stem: 'skins' };
  }
}

async function* lineSources(label: string, path: string): AsyncGenerator<BatchSource> {
  for await (const line of readLines(createReadStream(path), label)) {
    const place = `${label}:${line.number}`;
    if ('fault' in line) yield faulty(place, `Line ${line.number} of ${label}: ${line.fault}.`, LINE_HINT);
    else if (line.text.trim() !== '') yield lineSource(place, line.text);
  }
}

function lineSource(place: string, text: string): BatchSource {
  const read = isSkinText(text) ? readSkinText(text) : { fault: 'It is not skin data.' };
  return 'skin' in read ? skinSource(read.skin, place) : faulty(place, `${place}: ${read.fault}`, LINE_HINT);
}

/** The skins of a whole text: a JSON document, a skin on each line, or a single one. */
function* textSources(label: string, text: string): Generator<BatchSource> {
  const json = parsedJson(text);
  if (json !== undefined || DOCUMENT.test(label)) return yield* documentSources(label, json);
  const lines = text.split('\n').map((line) => line.trim());
  if (lines.filter((line) => isSkinText(line)).length < 2) return yield lineSource(label, text.trim());
  for (const [at, line] of lines.entries()) if (line !== '') yield lineSource(`${label}:${at + 1}`, line);
}

function* documentSources(label: string, json: unknown): Generator<BatchSource> {
  const items: unknown[] = Array.isArray(json) ? json : [json];
  for (const [position, item] of items.entries()) {
    const place = items.length === 1 ? label : `${label}:${position + 1}`;
    const skin = skinInJson(item);
    yield skin ? skinSource(skin, place) : faulty(place, `${place} holds no skin data.`);
  }
  if (items.length === 0) yield faulty(label, `${label} holds no skin data.`);
}

/** @throws BatchSetupError, Error of the file system */
async function readDocument(path: string): Promise<string> {
  const { size } = statSync(path);
  if (size > LARGEST_DOCUMENT)
    throw new BatchSetupError('invalid_skin_data', `The file has more than ${LARGEST_DOCUMENT} bytes.`);
  return decodedText(await readFile(path));
}

function faulty(label: string, message: string, hint = FILE_HINT): BatchSource {
  const problem = { code: 'invalid_skin_data', message, hint };
  return { label, content: { kind: 'problem', problem }, stem: 'skins' };
}

/** Skin data piped in instead of a picture; undefined if the bytes are not skin data. `label`: the stream's name. */
export function skinOnStdin(bytes: Uint8Array, label: string): BatchSource | undefined {
  if (!STARTS_AS_TEXT.test(decodedText(bytes.subarray(0, START))) || !isText(bytes)) return undefined;
  const text = decodedText(bytes).trim();
  const skins = skinTexts(text);
  if (skins.length > 1) return severalSkins(skins.length, label);
  const [only = ''] = skins;
  if (!isSkinText(only)) return undefined;
  const read = readSkinText(only);
  return 'skin' in read ? skinSource(read.skin) : faulty(label, read.fault);
}

/** The first characters of a value or JSON, or white space before them; a PNG file starts differently. */
const STARTS_AS_TEXT = /^[\s{[e]/;

function isText(bytes: Uint8Array): boolean {
  return utf16Of(bytes) !== undefined || isUtf8(bytes);
}

/** The members of a JSON list, otherwise the lines if each is skin data, otherwise the whole text. */
function skinTexts(text: string): string[] {
  const json = parsedJson(text);
  if (Array.isArray(json)) return json.map((item) => JSON.stringify(item));
  const lines = json === undefined ? text.split('\n').filter((line) => isSkinText(line)) : [];
  return lines.length > 1 ? lines : [text];
}

function severalSkins(count: number, label: string): BatchSource {
  const place = label === '-' ? 'Stdin' : label;
  const message = `${place} holds ${count} skins, but ${label === '-' ? label : 'it'} stands for one source.`;
  const hint = `Read them as a list, one per line: --from ${label}`;
  return {
    label,
    content: { kind: 'problem', problem: { code: 'several_skins', message, hint } },
    stem: 'stdin',
  };
}
