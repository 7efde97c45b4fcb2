import { isUtf8 } from 'node:buffer';
import { createReadStream, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parsedJson } from '../../../base/parsed-json.ts';
import { BatchSetupError } from '../../model/setup-error.ts';
import type { BatchSource } from '../../model/source.ts';
import { fileProblem } from '../files/file-problem.ts';
import { readLines } from '../files/lines.ts';
import { skinInJson } from './skin-json.ts';
import { skinSource } from './skin-source.ts';
import { isSkinText, readSkinText } from './skin-text.ts';

/** Maximum bytes of a JSON document; a file with one skin per line may have any number. */
const LARGEST_DOCUMENT = 64 * 1024 * 1024;
const DOCUMENT = /\.json$/i;
const LINES = /\.(?:lock|ndjson|jsonl)$/i;

/** Whether a file name means skin data: a lockfile or JSON. */
export function isSkinFile(path: string): boolean {
  return DOCUMENT.test(path) || LINES.test(path);
}

const FILE_HINT = 'Give a lockfile (skins.lock), or JSON as written by generate --json and --out.';
/** One line of a file of skins is damaged. */
const LINE_HINT = 'Restore the file, for example from version control, or delete the line.';

/** All skins of a file, each with its name there. `label`: the file's name in messages. */
export async function* skinFileSources(label: string, path: string): AsyncGenerator<BatchSource> {
  try {
    if (LINES.test(path)) yield* lineSources(label, path);
    else yield* documentSources(label, await readDocument(path));
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

function* documentSources(label: string, text: string): Generator<BatchSource> {
  const json = parsedJson(text);
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
  return await readFile(path, 'utf8');
}

function faulty(label: string, message: string, hint = FILE_HINT): BatchSource {
  const problem = { code: 'invalid_skin_data', message, hint };
  return { label, content: { kind: 'problem', problem }, stem: 'skins' };
}

/** Skin data piped in instead of a picture; undefined if the bytes cannot be that. */
export function skinOnStdin(bytes: Uint8Array): BatchSource | undefined {
  if (!MAY_BE_TEXT.test(String.fromCharCode(bytes[0] ?? 0)) || !isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes).toString('utf8').trim();
  const skins = skinTexts(text);
  if (skins.length > 1) return severalOnStdin(skins.length);
  const [only = ''] = skins;
  if (!isSkinText(only)) return undefined;
  const read = readSkinText(only);
  return 'skin' in read ? skinSource(read.skin) : faulty('-', read.fault);
}

/** The first characters of a value or JSON, or white space before them; a PNG file starts differently. */
const MAY_BE_TEXT = /[\s{[e]/;

/** The members of a JSON list, otherwise the lines if each is skin data, otherwise the whole text. */
function skinTexts(text: string): string[] {
  const json = parsedJson(text);
  if (Array.isArray(json)) return json.map((item) => JSON.stringify(item));
  const lines = json === undefined ? text.split('\n').filter((line) => isSkinText(line)) : [];
  return lines.length > 1 ? lines : [text];
}

function severalOnStdin(count: number): BatchSource {
  const message = `Stdin holds ${count} skins, but - stands for one source.`;
  const hint = 'Read them as a list, one per line: --from -';
  const problem = { code: 'several_skins', message, hint };
  return { label: '-', content: { kind: 'problem', problem }, stem: 'stdin' };
}
