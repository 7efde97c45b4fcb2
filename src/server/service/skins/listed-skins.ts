import { parse } from 'node:path';
import { parsedJson, utf16Of } from '../../../base/text.ts';
import { MAX_SET } from '../../../protocol/set.ts';
import { uuidOrShortIdSchema } from '../../../protocol/skin.ts';
import { findSkinWithTexture } from '../../store/similar-skins.ts';
import { type NamedSkin, ownSkinsNamed } from '../../store/skins.ts';
import { type Caller, ownerSeenBy, type StoreContext } from '../callers.ts';
import { type OwnAddresses, ownPath, textureHashIn } from '../own-addresses.ts';
import { Refusal } from '../refusal.ts';
import { findByReference } from './skins.ts';

/** Columns that name a skin, in the order in which they are tried. `source` is that of lists for `skinsmith generate`. */
const COLUMNS = ['uuid', 'skin', 'id', 'url', 'source', 'file', 'name'] as const;

export interface ListedSkin {
  readonly line: number;
  readonly values: Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;
}

/** Lines of a list, blank ones as well, and the longest one, in characters: a line of a lockfile has some 2,000. */
const MAX_LINES = 20 * MAX_SET;
const MAX_LINE = 16 * 1024;

/**
 * The lines of a list of skins: CSV with a header, a lockfile, or one skin per line.
 * @throws Refusal `invalid_request` for invalid CSV, or more lines than a set has skins
 */
export async function readSkinList(bytes: Uint8Array): Promise<ListedSkin[]> {
  const text = new TextDecoder(utf16Of(bytes) ?? 'utf-8').decode(bytes);
  verifyLines(text);
  const first = text.trimStart().split('\n', 1)[0] ?? '';
  const listed = isHeader(first) ? await csvLines(text) : plainLines(text);
  if (listed.length > MAX_SET) throw tooManyLines(MAX_SET);
  return listed;
}

/** Looks at nothing but the ends of lines. @throws Refusal */
function verifyLines(text: string): void {
  let lines = 0;
  for (let start = 0; start < text.length; lines++) {
    const at = text.indexOf('\n', start);
    const end = at === -1 ? text.length : at;
    if (lines >= MAX_LINES) throw tooManyLines(MAX_LINES);
    if (end - start > MAX_LINE)
      throw new Refusal(
        'invalid_request',
        `Line ${lines + 1} of the list has more than ${MAX_LINE} characters.`,
      );
    start = end + 1;
  }
}

function tooManyLines(most: number): Refusal {
  return new Refusal(
    'invalid_request',
    `The list has more than ${most} lines; a set has at most ${MAX_SET} skins.`,
  );
}

const DELIMITERS = [',', ';', '\t'];

function isHeader(line: string): boolean {
  const names = line
    .toLowerCase()
    .split(/[,;\t]/)
    .map((name) => name.trim().replaceAll('"', ''));
  return !line.startsWith('{') && names.some((name) => COLUMNS.some((column) => column === name));
}

async function csvLines(text: string): Promise<ListedSkin[]> {
  const csv = await import('csv-parse/sync'); // loaded on demand: the parser is large
  try {
    const options = {
      delimiter: DELIMITERS,
      trim: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_LINE,
      to: MAX_SET + 1,
    };
    const columns = (header: string[]) => header.map((name) => name.toLowerCase());
    const rows = csv.parse(text, { ...options, columns, info: true }) as unknown as {
      readonly record: Readonly<Record<string, string>>;
      readonly info: { readonly lines: number };
    }[];
    return rows.map(({ record, info }) => ({ line: info.lines, values: record }));
  } catch (error) {
    if (!(error instanceof csv.CsvError)) throw error;
    throw new Refusal('invalid_request', `The list is not valid CSV: ${error.message}.`);
  }
}

function plainLines(text: string): ListedSkin[] {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: index + 1, trimmed: line.trim() }));
  const filled = lines.filter(({ trimmed }) => trimmed !== '').slice(0, MAX_SET + 1);
  return filled.map(({ line, trimmed }): ListedSkin => {
    const json = trimmed.startsWith('{') ? parsedJson(trimmed) : undefined;
    const texts = Object.entries(json ?? {}).filter(([, value]) => typeof value === 'string');
    return { line, values: json ? Object.fromEntries(texts) : { source: trimmed } };
  });
}

export interface MissingSkin {
  readonly line: number;
  readonly text: string;
  /** Whether the caller has several skins of this name. */
  readonly isAmbiguous: boolean;
}

interface FoundSkins {
  /** UUIDs, in the order of the list. */
  readonly skins: string[];
  readonly missing: MissingSkin[];
}

type FindContext = Pick<StoreContext, 'db'> & OwnAddresses;

/**
 * The skins that a list names and the caller sees: by UUID, short ID, or the address here of the skin or its texture; the
 * caller's own also by name, or the name of a file.
 */
export async function findListedSkins(
  context: FindContext,
  caller: Caller,
  listed: readonly ListedSkin[],
): Promise<FoundSkins> {
  const own = await ownByName(context, caller, listed.flatMap(namesIn));
  const referenced = await readReferences(context, caller, listed.flatMap(referencesIn));
  const skins: string[] = [];
  const missing: MissingSkin[] = [];
  for (const one of listed) {
    const named = firstIn(own, namesIn(one));
    const uuid = firstIn(referenced, referencesIn(one)) ?? (named?.isAmbiguous ? undefined : named?.uuid);
    if (uuid === undefined)
      missing.push({ line: one.line, text: textOf(one), isAmbiguous: named?.isAmbiguous ?? false });
    else skins.push(uuid);
  }
  return { skins: [...new Set(skins)], missing };
}

function firstIn<Found>(all: ReadonlyMap<string, Found>, texts: readonly string[]): Found | undefined {
  return texts.map((text) => all.get(text)).find((found) => found !== undefined);
}

/** What may be a UUID, short ID or address. */
function referencesIn({ values }: ListedSkin): string[] {
  return COLUMNS.filter((column) => column !== 'name').flatMap((column) => values[column] || []);
}

/** The name that a line gives, otherwise that of its file. */
function namesIn({ values: { name, source, file, skin } }: ListedSkin): string[] {
  return [name ?? '', parse((source ?? file ?? skin ?? '').replaceAll('\\', '/')).name].filter(
    (text) => text !== '',
  );
}

function textOf({ values }: ListedSkin): string {
  return COLUMNS.map((column) => values[column] ?? '').find((text) => text !== '') ?? '';
}

async function ownByName(
  { db }: FindContext,
  caller: Caller,
  names: readonly string[],
): Promise<ReadonlyMap<string, NamedSkin>> {
  const owner = ownerSeenBy(caller);
  if (owner === undefined) return new Map();
  const found = await ownSkinsNamed(db, owner, [...new Set(names)]);
  return new Map(found.map((skin) => [skin.name, skin]));
}

/** The UUIDs of the skins that these texts lead to. Looks up each text once. */
async function readReferences(
  context: FindContext,
  caller: Caller,
  texts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const text of new Set(texts)) {
    const uuid = await skinAt(context, caller, text);
    if (uuid !== undefined) found.set(text, uuid);
  }
  return found;
}

async function skinAt(context: FindContext, caller: Caller, text: string): Promise<string | undefined> {
  const url = URL.parse(text);
  const path = url ? ownPath(context, url) : undefined;
  const texture = path === undefined ? undefined : textureHashIn(path);
  if (texture !== undefined) return await findSkinWithTexture(context.db, texture, ownerSeenBy(caller));
  const [, end = text] = /^\/(?:ui\/skins|v2\/skins|skins|embed|s)\/([^/]+)/.exec(path ?? '') ?? [];
  const reference = uuidOrShortIdSchema.safeParse(end).data;
  return reference && (await findByReference(context, caller, reference))?.uuid;
}
