import { countOf, isTooDeep } from '../base/text.ts';
import { legalName, namespaceProblem, type PackTextureKind, textureLocation } from './names.ts';
import type { PackedSkin } from './pack.ts';

/** The file that tells which source has which id in a pack. */
export const INDEX_NAME = 'skins.json';

/** A skin in the index, with its source as this index names it. */
export interface IndexedSkin extends PackedSkin {
  readonly source: string;
}

export interface PackIndex {
  readonly namespace: string;
  readonly game: string;
  /** The name of the pack that it belongs to. */
  readonly pack: string;
  /** SHA-1 of a zip. */
  readonly sha1?: string | undefined;
  readonly skins: readonly IndexedSkin[];
}

/** An index that was read. */
export interface ReadIndex extends PackIndex {
  /** 1: sources are as they were typed; 2: paths begin at the folder of the index. */
  readonly version: number;
}

const GENERATOR = 'skinsmith pack';
const VERSION = 2;

/** The index as text: a line for each skin, so that changes show in version control. */
export function indexText({ skins, ...about }: PackIndex): string {
  const head = { generator: GENERATOR, version: VERSION, ...about };
  const lines = skins.map(({ source, id, name, variant, pixels, texture, cape, elytra }) =>
    JSON.stringify({ source, id, name, variant, pixels, texture, cape, elytra }),
  );
  return `${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "skins": [\n    ${lines.join(',\n    ')}\n  ]\n}\n`;
}

/** Whether a text begins as an index does, and of which pack. */
export function indexedPack(start: string): string | undefined {
  const [, pack] = /^\{\s*"generator": "skinsmith pack",[^}]*?"pack": ("(?:[^"\\]|\\.)*")/.exec(start) ?? [];
  return pack === undefined ? undefined : (JSON.parse(pack) as string);
}

/** Whether a text seems to be an index, and is none of another program with that file name. */
export function isIndexText(text: string): boolean {
  return text.includes(`"generator": "${GENERATOR}"`);
}

/** What is wrong with an index, as a sentence without a full stop; `it` is the index. */
export class IndexError extends Error {
  override readonly name = 'IndexError';
  /** From 1; undefined: the file as a whole. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** Values of the largest index that is read: of more skins than fit into a zip of 4 GiB. */
const MAX_VALUES = 10_000_000;

/**
 * Reads an index. What it says about a pack is a claim: ids are legal and given once, and all paths are those of their
 * namespace.
 * @throws IndexError
 */
export function parseIndex(text: string): ReadIndex {
  const { generator, version = 1, namespace, game, pack, sha1, skins } = fieldsOf(json(text));
  if (generator !== GENERATOR) throw new IndexError('it is not the index of a pack of skinsmith');
  if (version !== 1 && version !== VERSION) throw new IndexError('it was written by a newer skinsmith');
  if (typeof namespace !== 'string') throw new IndexError('it names no namespace');
  const problem = namespaceProblem(namespace);
  if (problem !== undefined) throw new IndexError(`it has a namespace that ${problem}`);
  if (typeof pack !== 'string' || typeof game !== 'string' || !Array.isArray(skins))
    throw new IndexError('it lacks the fields pack, game or skins');
  const about = { version, namespace, game, pack, ...(typeof sha1 === 'string' && { sha1 }) };
  return { ...about, skins: readSkins(skins, namespace, text) };
}

function readSkins(items: readonly unknown[], namespace: string, text: string): readonly IndexedSkin[] {
  const seen = new Set<string>();
  return items.map((item, at) => {
    const fault = (reason: string) => new IndexError(`skin ${at + 1} ${reason}`, lineOf(text, at));
    const skin = readSkin(fieldsOf(item), namespace, fault);
    if (seen.has(skin.id)) throw fault(`has the ID ${skin.id}, which another skin has too`);
    seen.add(skin.id);
    return skin;
  });
}

type Fields = Readonly<Record<string, unknown>>;

function readSkin(fields: Fields, namespace: string, fault: (reason: string) => Error): IndexedSkin {
  const { source, id, name, variant, pixels } = fields;
  if (typeof source !== 'string' || typeof name !== 'string') throw fault('has no source or no name');
  if (!isId(id)) throw fault('has no ID that packs may have');
  if (variant !== 'classic' && variant !== 'slim') throw fault('has no variant');
  if (typeof pixels !== 'string' || !/^[0-9a-f]{64}$/.test(pixels)) throw fault('has no pixel hash');
  const location = (kind: PackTextureKind) => {
    const given = fields[kind];
    const start = textureLocation(namespace, kind, '');
    if (typeof given === 'string' && given.startsWith(start) && isId(given.slice(start.length))) return given;
    throw fault(`has a ${kind} outside of the textures of ${namespace}`);
  };
  return {
    source,
    id,
    name,
    variant,
    pixels,
    texture: location('texture'),
    ...(fields['cape'] !== undefined && { cape: location('cape') }),
    ...(fields['elytra'] !== undefined && { elytra: location('elytra') }),
  };
}

function isId(given: unknown): given is string {
  return typeof given === 'string' && legalName(given) === given;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function json(text: string): unknown {
  if (countOf(text, ',') > MAX_VALUES) throw new IndexError(`it has more than ${MAX_VALUES} values`);
  if (isTooDeep(text)) throw new IndexError('it is nested too deep');
  try {
    return JSON.parse(text);
  } catch {
    throw new IndexError('it is not JSON', badLine(text));
  }
}

/** The first of the lines with skins, in our layout; 0: in another one. */
function firstLine(lines: readonly string[]): number {
  return lines.findIndex((line) => /^\s*"skins": \[$/.test(line)) + 1;
}

/** The line with a skin. */
function lineOf(text: string, at: number): number | undefined {
  const lines = text.split('\n');
  const first = firstLine(lines);
  return first > 0 && lines[first + at]?.includes('"id"') ? first + at + 1 : undefined;
}

/** The first line that is not as we write it. */
function badLine(text: string): number | undefined {
  const lines = text.split('\n');
  const first = firstLine(lines);
  const bad = lines.findIndex((line, at) => at >= first && !isSkinLine(line));
  return first > 0 && bad !== -1 ? bad + 1 : undefined;
}

function isSkinLine(line: string): boolean {
  const text = line.trim().replace(/,$/, '');
  if (text === ']' || text === '}' || text === '') return true;
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
