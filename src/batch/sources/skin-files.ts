import { isUtf8 } from 'node:buffer';
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { decodedText, parsedJson, utf16Of } from '../../base/json.ts';
import { BatchSetupError, type BatchSource } from '../model/source.ts';
import { fileProblem } from './files.ts';
import { readLines } from './lines.ts';
import { isSkinText, readSkinText, skinInJson, skinSource } from './supplied-skin.ts';

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
