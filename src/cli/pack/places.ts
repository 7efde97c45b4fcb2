import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { decodedText } from '../../base/text.ts';
import { indexInside } from '../../pack/existing.ts';
import { functionPath, texturePath } from '../../pack/names.ts';
import { PACK_MARK } from '../../pack/pack.ts';
import { INDEX_NAME, IndexError, indexedPack, parseIndex, type ReadIndex } from '../../pack/pack-index.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { OutputGuard, readPart, startOf } from '../output/output-guard.ts';
import { clean } from '../text/text.ts';

export interface PackPlace {
  /** As typed. */
  readonly name: string;
  readonly kind: 'zip' | 'folder';
}

/** @throws CliError if it could be neither */
export function packPlace(option: string, name: string): PackPlace {
  if (name === '') throw usageError('no_output', `The name after ${option} is empty.`);
  const isFolder = /[/\\]$/.test(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder) return { name, kind: 'folder' };
  if (/\.zip$/i.test(name)) return { name, kind: 'zip' };
  if (extname(name) === '') return { name, kind: 'folder' };
  const hint = `A pack is a file whose name ends in .zip, or a folder: ${clean(name)}/`;
  throw usageError('not_a_pack', `${option} ${clean(name)} names neither a zip nor a folder.`, hint);
}

export function isZip(path: string): boolean {
  return startOf(path, 2).equals(Buffer.from('PK'));
}

/** Whether a file is an archive that we wrote: they end with a comment. */
export function isOurZip(path: string): boolean {
  const { size } = statSync(path);
  if (size < PACK_MARK.length + 2 || !isZip(path)) return false;
  const end = readPart(path, Math.max(0, size - PACK_MARK.length - 2), PACK_MARK.length + 2);
  return end.readUInt16LE(0) === PACK_MARK.length && end.toString('latin1', 2) === PACK_MARK;
}

/** @throws CliError if something is in its place that we did not write */
function verifyPlace({ name, kind }: PackPlace, guard: OutputGuard): void {
  if (kind === 'zip') guard.verify(name, { isOurs: isOurZip });
  else verifyFolder(resolve(name), name);
}

/** A folder is replaced as a whole, so it may have nothing but what its own index names. */
function verifyFolder(path: string, name: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isDirectory()) throw notOurs(name, 'is not a folder');
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  );
  if (files.length === 0) return;
  const own = ownFiles(join(path, INDEX_NAME));
  const other = files
    .map((file) => join(file.parentPath, file.name))
    .find((file) => {
      return !own.has(file.slice(path.length + 1).replaceAll(sep, '/'));
    });
  if (other !== undefined)
    throw notOurs(name, `has ${clean(other.slice(path.length + 1))}, which skinsmith did not write`);
}

function notOurs(name: string, why: string): CliError {
  return new CliError('output_exists', `${clean(name)} ${why}.`, {
    hint: 'A pack replaces a whole folder. Choose another folder, or a zip.',
  });
}

/** The files of a folder according to its index; none if that is not ours. */
function ownFiles(index: string): ReadonlySet<string> {
  if (!statSync(index, { throwIfNoEntry: false })?.isFile()) return new Set();
  const { namespace, skins } = readIndexFile(index);
  const files = skins.flatMap(({ id, texture, cape, elytra }) => [
    ...[texture, cape, elytra].flatMap((location) => (location ? [texturePath(location)] : [])),
    ...['give', 'summon'].map((act) => functionPath(namespace, `${act}/${id}`)),
  ]);
  const common = ['lineup', 'remove'].map((act) => functionPath(namespace, act));
  return new Set(['pack.mcmeta', 'pack.png', INDEX_NAME, ...common, ...files]);
}

export function indexPlace({ name, kind }: PackPlace): string {
  return kind === 'folder' ? join(name, INDEX_NAME) : name.replace(/\.zip$/i, `.${INDEX_NAME}`);
}

/** Largest index that is read, in bytes. */
export const MAX_INDEX = 256 * 1024 * 1024;
/** Bytes at the start of an index that tell its pack. */
const INDEX_START = 2_048;

/** The name of the pack whose index a file seems to be; undefined if it is none, or not there. */
export function indexedPackOf(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  return indexedPack(startOf(path, INDEX_START).toString());
}

/** @throws CliError */
export function readIndexFile(path: string): ReadIndex {
  if (!statSync(path).isFile() || statSync(path).size > MAX_INDEX)
    throw invalidIndex(path, new IndexError('it is not a file of at most 256 MiB'));
  return parsedIndex(path, readFileSync(path));
}

/** @throws CliError that names the line */
export function parsedIndex(path: string, bytes: Uint8Array): ReadIndex {
  try {
    return parseIndex(decodedText(bytes));
  } catch (error) {
    throw error instanceof IndexError ? invalidIndex(path, error) : error;
  }
}

function invalidIndex(path: string, error: IndexError): CliError {
  const place = error.line === undefined ? '' : `, line ${error.line}`;
  const hint =
    'It remembers which skin has which name. Restore it from version control or a backup, or delete it: a zip has a copy inside.';
  return new CliError('invalid_index', `${clean(path)}${place}: ${clean(error.message)}.`, {
    exit: 'usage',
    hint,
    cause: error,
  });
}

interface PlaceOptions {
  readonly sources: readonly string[];
  readonly from?: readonly string[];
  readonly out: string;
  readonly datapack?: string;
  readonly index?: string;
  readonly overwrite?: boolean;
}

export interface Places {
  readonly pack: PackPlace;
  readonly data: PackPlace | undefined;
  readonly packs: readonly PackPlace[];
  readonly index: string;
  /** Absolute path of the folder from which the index names sources. */
  readonly home: string;
  readonly isIndexBeside: boolean;
  /** Whether players get an index, which names no sources. */
  readonly hidesSources: boolean;
  /** Verifies that no foreign file is in the way. @throws CliError */
  readonly verify: () => void;
}

/** @throws CliError */
export function placesOf(options: PlaceOptions): Places {
  const { out, datapack, sources, from = [], overwrite } = options;
  const pack = packPlace('--out', out);
  const data = datapack === undefined ? undefined : packPlace('--datapack', datapack);
  const packs = data ? [pack, data] : [pack];
  const index = options.index ?? indexPlace(pack);
  const isIndexBeside = options.index !== undefined || pack.kind === 'zip';
  const paths = [...packs.map(({ name }) => resolve(name)), ...(isIndexBeside ? [resolve(index)] : [])];
  if (new Set(paths).size < paths.length)
    throw usageError('same_output', 'Two outputs have the same name.', 'Choose different names.');
  const guard = new OutputGuard([...sources, ...from], { overwrite });
  const verify = () => {
    for (const place of packs) {
      if (place.kind === 'folder') verifyNoSource(place.name, [...sources, ...from]);
      verifyPlace(place, guard);
    }
    if (isIndexBeside) guard.verify(index, { isOurs: (file) => indexedPackOf(file) !== undefined });
  };
  const home = dirname(resolve(index));
  return { pack, data, packs, index, home, isIndexBeside, hidesSources: pack.kind === 'zip', verify };
}

/** The same for a run that writes into a pack of others, which has the index inside. @throws CliError */
export function placesInside(
  { datapack, sources, from = [] }: PlaceOptions,
  { into, namespace }: { readonly into: string; readonly namespace: string },
): Places {
  const pack = packPlace('--into', into);
  if (!statSync(into, { throwIfNoEntry: false }))
    throw usageError(
      'no_such_pack',
      `There is no pack ${clean(into)}.`,
      `To make a new one: --out ${clean(into)}`,
    );
  const data = datapack === undefined ? undefined : packPlace('--datapack', datapack);
  if (data && resolve(data.name) === resolve(pack.name))
    throw usageError('same_output', 'Two outputs have the same name.', 'Choose different names.');
  const guard = new OutputGuard([...sources, ...from], {});
  const verify = () => {
    if (data) verifyPlace(data, guard);
  };
  const index = join(into, indexInside(namespace));
  const packs = data ? [pack, data] : [pack];
  const home = dirname(resolve(into));
  return { pack, data, packs, index, home, isIndexBeside: false, hidesSources: true, verify };
}

/** An output folder is replaced as a whole. @throws CliError if a source is in it */
function verifyNoSource(folder: string, texts: readonly string[]): void {
  if (!statSync(folder, { throwIfNoEntry: false })) return;
  const root = realpathSync(folder);
  const inside = texts.find((text) => {
    const found = isPathLike(text) ? statSync(text, { throwIfNoEntry: false }) : undefined;
    return found && `${realpathSync(text)}${sep}`.startsWith(`${root}${sep}`);
  });
  if (inside === undefined) return;
  throw usageError(
    'output_is_source',
    `${clean(inside)} is a source, which the output would replace.`,
    'Choose another folder.',
  );
}

/** Pasted skin data is too long for a path. */
function isPathLike(text: string): boolean {
  return text.length < 4_096 && !text.includes('\0');
}
