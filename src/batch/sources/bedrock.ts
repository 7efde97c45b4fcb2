import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { decodedText, parsedJson } from '../../base/text.ts';
import {
  type Archive,
  type ArchivedFile,
  ArchiveError,
  readArchive,
  readFileIn,
} from '../../pack/archive.ts';
import { type BatchSource, type SourceContent, unusable, type VariantInput } from '../model.ts';
import { fileProblem } from './files.ts';
import { readSnbt } from './snbt.ts';

/**
 * Skin packs of Bedrock Edition, in a folder or in a zip (`.mcpack`); an add-on or a template of a world (`.mcaddon`,
 * `.mctemplate`) may have several, also as zips. Names of files have any case. Facts: Microsoft's "Packaging a Skin Pack" and "Skin Pack JSON
 * Reference" (learn.microsoft.com/minecraft/creator), and the wiki of Bedrock-OSS (visuals/custom-skin-packs).
 */

/** The geometries that are the arms of Java Edition. */
const ARMS: Readonly<Record<string, VariantInput>> = {
  'geometry.humanoid': 'classic',
  'geometry.humanoid.custom': 'classic',
  'geometry.humanoid.customslim': 'slim',
};

const MAX_PACK_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
/** `skins.json` of as many skins as may be in a pack. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const MAX_PICTURE_BYTES = 8 * 1024 * 1024;
/** Bytes of all pictures of a zip. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
const MAX_SKINS = 10_000;

interface PackFiles {
  /** A text; undefined if there is none. @throws PackFault */
  readonly text: (path: string) => string | undefined;
  /** `path`: safe. */
  readonly picture: (path: string) => SourceContent;
  /** The names of the files of a language in `texts`, sorted. */
  readonly languages: () => readonly string[];
}

class PackFault extends Error {
  override readonly name = 'PackFault';
}

/** All skins of a pack as sources, each read when it is taken. `label`: the pack's name in messages. */
export function* bedrockSources(label: string, path: string): Generator<BatchSource> {
  try {
    if (statSync(path).isDirectory()) yield* sourcesIn(label, folderFiles(path));
    else yield* zipSources(label, zipAt(path));
  } catch (error) {
    yield faultySource(label, error);
  }
}

function faultySource(label: string, error: unknown): BatchSource {
  const content: SourceContent =
    error instanceof PackFault
      ? unusable('invalid_skin_pack', `${label} ${error.message}.`, PACK_HINT)
      : { kind: 'problem', problem: fileProblem(label, error) };
  return { label, content, stem: 'pack' };
}

/** The skins of all packs of a zip; those of several are in folders called like the packs. */
function* zipSources(label: string, zip: Zip, isNested = false): Generator<BatchSource> {
  const packs = packsIn(zip, isNested);
  if (packs.length < 2 && packs[0]?.zip === undefined)
    return yield* sourcesIn(label, zipFiles(zip, packs[0]?.folder));
  for (const { name, folder, zip: inner } of packs) {
    const own = `${label}/${name}`;
    const at = (source: BatchSource) => ({ ...source, stem: `${name.replaceAll('/', '_')}/${source.stem}` });
    try {
      const sources = inner ? zipSources(own, inner(), true) : sourcesIn(own, zipFiles(zip, folder));
      for (const source of sources) yield at(source);
    } catch (error) {
      yield at(faultySource(own, error));
    }
  }
}

const PACK_HINT = 'A skin pack has manifest.json, with a module of type skin_pack, and skins.json.';

function* sourcesIn(label: string, files: PackFiles): Generator<BatchSource> {
  const manifest = jsonIn(files, 'manifest.json');
  const types = listOf(manifest['modules']).map((module) => someText(fieldsOf(module)['type']) ?? 'unknown');
  if (!types.includes('skin_pack'))
    throw new PackFault(`is not a skin pack: manifest.json says ${types.join(', ') || 'nothing'}`);
  const pack = jsonIn(files, 'skins.json');
  const skins = listOf(pack['skins']);
  if (skins.length === 0) throw new PackFault('has no skins in skins.json');
  if (skins.length > MAX_SKINS) throw new PackFault(`has more than ${MAX_SKINS} skins`);
  const names = namesIn(files, pack);
  const shapes =
    files.text('geometry.json') === undefined ? undefined : shapesIn(jsonIn(files, 'geometry.json'));
  for (const skin of skins) yield sourceOf(fieldsOf(skin), { label, files, names, shapes });
}

/** The names of the geometries that a pack defines, in either form of the file. */
function shapesIn(json: Fields): ReadonlySet<string> {
  const listed = listOf(json['minecraft:geometry']).map((one) =>
    someText(fieldsOf(fieldsOf(one)['description'])['identifier']),
  );
  return new Set([...Object.keys(json), ...listed].map((name) => shapeName(name ?? '')));
}

/** `geometry.own` of `geometry.own:geometry.humanoid`. */
function shapeName(geometry: string): string {
  return geometry.split(':')[0]!.trim().toLowerCase();
}

interface Pack {
  readonly label: string;
  readonly files: PackFiles;
  /** Names for people, by the key of the skin. */
  readonly names: ReadonlyMap<string, string>;
  /** Undefined if the pack defines none: Minecraft then shows every skin in the usual shape. */
  readonly shapes: ReadonlySet<string> | undefined;
}

function sourceOf(skin: Fields, { label, files, names, shapes }: Pack): BatchSource {
  const key = someText(skin['localization_name']) ?? someText(skin['texture']) ?? 'skin';
  const name = names.get(key) ?? key.replace(/\.png$/i, '');
  const source = { label: `${label}:${name}`, stem: name.replaceAll('/', '_') };
  const geometry = shapeName(someText(skin['geometry']) ?? '');
  const variant = Object.hasOwn(ARMS, geometry) ? ARMS[geometry] : undefined;
  const texture = someText(skin['texture']);
  const cape = someText(skin['cape']);
  const isOwnShape = variant === undefined && (geometry === '' || (shapes?.has(geometry) ?? false));
  const fault = faultOf(skin, { isOwnShape, texture });
  if (fault !== undefined || texture === undefined)
    return { ...source, content: unusable('unusable_skin', `${source.label}: ${fault}.`) };
  return {
    ...source,
    content: contentOf(texture, files, source.label),
    ...(variant && { variant }),
    ...(cape !== undefined && { cape: contentOf(cape, files, `${source.label}, its cape`) }),
  };
}

/** Why Java Edition cannot show a skin, as the end of a sentence. */
function faultOf(
  skin: Fields,
  { isOwnShape, texture }: { isOwnShape: boolean; texture: string | undefined },
): string | undefined {
  if (skin['persona'] !== undefined || /persona/i.test(String(skin['type'] ?? '')))
    return 'a persona is put together from pieces in Minecraft and has no texture of its own';
  if (texture === undefined) return 'it has no texture';
  if (!isOwnShape) return undefined;
  return `the geometry ${String(skin['geometry'])} is a shape of its own; Java Edition shows only geometry.humanoid.custom and geometry.humanoid.customSlim`;
}

function contentOf(texture: string, files: PackFiles, label: string): SourceContent {
  const path = safePath(texture);
  if (path !== undefined) return files.picture(path);
  return unusable('unusable_skin', `${label}: its picture ${texture} is outside of the pack.`);
}

/** A path in the pack; undefined if there is none, or it leads out of the pack. */
function safePath(texture: unknown): string | undefined {
  const path = someText(texture)?.replaceAll('\\', '/').replace(/^\.\//, '');
  const isOutside = path === undefined || /^(?:\/|[a-z]:)/i.test(path) || path.split('/').includes('..');
  return isOutside || path.includes('\0') ? undefined : path;
}

/**
 * Names for people, as Minecraft has them: `skin.PACK.SKIN=Name` in `texts/en_US.lang`, otherwise in another language of
 * the pack, in the order of its `languages.json`.
 */
function namesIn(files: PackFiles, pack: Fields): ReadonlyMap<string, string> {
  const packs = [pack['localization_name'], pack['serialize_name']].map(someText);
  const names = new Map<string, string>();
  for (const language of languagesOf(files)) {
    for (const line of (files.text(`texts/${language}.lang`) ?? '').split('\n')) {
      const [, key = '', value = ''] = /^skin\.([^=]+)=(.*)$/.exec(line.trim()) ?? [];
      const prefix = packs.find((one) => one !== undefined && key.startsWith(`${one}.`));
      const name = value.split('##', 1)[0]!.trim();
      const skin = prefix && key.slice(prefix.length + 1);
      if (skin && name !== '' && !names.has(skin)) names.set(skin, name);
    }
  }
  return names;
}

/** Languages of a pack that are read. */
const MAX_LANGUAGES = 64;

function languagesOf(files: PackFiles): readonly string[] {
  const text = files.text('texts/languages.json');
  const listed = listOf(text === undefined ? undefined : parsedJson(text)).flatMap(
    (one) => someText(one) ?? [],
  );
  const all = ['en_US', ...listed.filter((one) => /^\w+$/.test(one)), ...files.languages()];
  return [...new Set(all)].slice(0, MAX_LANGUAGES);
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(json: unknown): Fields {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : {};
}

function listOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : [];
}

function someText(json: unknown): string | undefined {
  return typeof json === 'string' && json !== '' ? json : undefined;
}

/** What ends each part of a text in JSON with comments, by how the part begins. */
const ENDS = { '"': /\\[\s\S]|"/g, '//': /(?=\n)/g, '/*': /\*\//g };
const STARTS = /"|\/\/|\/\*/g;

/** Leaves out comments, which the game allows in its JSON, but not what looks like one in a text. One pass. */
function withoutComments(text: string): string {
  let [kept, at] = ['', 0];
  for (let start = nextIn(text, STARTS, at); start; start = nextIn(text, STARTS, at)) {
    const kind = start[0] as keyof typeof ENDS;
    let end = nextIn(text, ENDS[kind], STARTS.lastIndex);
    while (end?.[0].startsWith('\\')) end = nextIn(text, ENDS[kind], ENDS[kind].lastIndex);
    const after = end ? end.index + end[0].length : text.length;
    kept += text.slice(at, kind === '"' ? after : start.index);
    if (kind === '/*') kept += text.slice(start.index, after).replace(/[^\n]+/g, ''); // lines keep their numbers
    at = after;
  }
  return kept + text.slice(at);
}

function nextIn(text: string, what: RegExp, from: number): RegExpExecArray | null {
  what.lastIndex = from;
  return what.exec(text);
}

/** @throws PackFault */
function jsonIn(files: PackFiles, path: string): Fields {
  const text = files.text(path);
  if (text === undefined) throw new PackFault(`is not a skin pack: it has no ${path}`);
  const plain = withoutComments(text);
  const json = parsedJson(text) ?? parsedJson(plain);
  if (json !== undefined) return fieldsOf(json);
  const read = readSnbt(plain); // allows commas at the end of lists, as Minecraft does
  if ('groups' in read && read.groups.length === 1) return fieldsOf(read.groups[0]);
  const stop = 'stop' in read ? read.stop : undefined;
  const line = stop === undefined ? '' : `: line ${plain.slice(0, stop).split('\n').length}`;
  throw new PackFault(`has a ${path} that is not JSON${line}`);
}

function folderFiles(folder: string): PackFiles {
  const root = realpathSync(folder) + sep;
  const listings = new Map<string, ReadonlyMap<string, string>>();
  /** Links may not lead out of the pack. */
  const isInside = (path: string) => realpathSync(path).startsWith(root);
  return {
    text: (path) => {
      const file = pathIn(folder, path, listings);
      const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
      if (!file || !found?.isFile() || !isInside(file)) return undefined;
      if (found.size > MAX_TEXT_BYTES) throw new PackFault(`has a ${path} that is too large`);
      return decodedText(readFileSync(file));
    },
    picture: (path) => {
      const file = pathIn(folder, path, listings);
      if (!file || !statSync(file, { throwIfNoEntry: false })) return absentPicture(path);
      if (isInside(file)) return { kind: 'file', path: file };
      return unusable('unusable_skin', `${path} is a link that leads out of the pack.`);
    },
    languages: () => languageNames(entriesIn(pathIn(folder, 'texts', listings))),
  };
}

function absentPicture(path: string): SourceContent {
  return unusable('unusable_skin', `${path} is not in the pack.`);
}

/**
 * A path below a folder whose names may have another case; undefined if there is none. `listings`: the names in folders, by those in
 * lower case; of names that differ only in case, the first counts.
 */
function pathIn(
  folder: string,
  path: string,
  listings: Map<string, ReadonlyMap<string, string>>,
): string | undefined {
  let at = folder;
  for (const name of path.split('/').filter((one) => one !== '' && one !== '.')) {
    const listing =
      listings.get(at) ??
      new Map(
        entriesIn(at)
          .toReversed()
          .map((one) => [one.toLowerCase(), one]),
      );
    listings.set(at, listing);
    const found = listing.get(name.toLowerCase());
    if (found === undefined) return undefined;
    at = join(at, found);
  }
  return at;
}

function entriesIn(folder: string | undefined): string[] {
  return folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(folder)
    : [];
}

function languageNames(files: readonly string[]): string[] {
  return files.flatMap((file) => /^(\w+)\.lang$/i.exec(file)?.[1] ?? []).toSorted();
}

/** A zip, of which nothing is written to disk, and only wanted files are inflated, each no further than the zip says. */
interface Zip {
  readonly archive: Archive;
  /** By their names in lower case: the archive has no two that differ only in that. */
  readonly files: ReadonlyMap<string, ArchivedFile>;
  /** Bytes that its pictures and zips may still take. */
  left: number;
}

/** @throws PackFault */
function zipAt(path: string): Zip {
  const { size } = statSync(path);
  if (size > MAX_PACK_BYTES) throw new PackFault(`has more than ${MAX_PACK_BYTES / 1024 ** 2} MiB`);
  return zipOf(readFileSync(path), MAX_UNPACKED_BYTES);
}

function zipOf(bytes: Buffer, left: number): Zip {
  const archive = readZip(bytes);
  const files = new Map(archive.files.map((file) => [file.name.toLowerCase(), file]));
  if (files.size > MAX_ENTRIES) throw new PackFault(`has more than ${MAX_ENTRIES} files`);
  return { archive, files, left };
}

/** A pack in a zip: a folder of it, or a zip in it. */
interface InnerPack {
  readonly name: string;
  /** Empty, or ends with a slash. */
  readonly folder: string;
  readonly zip?: () => Zip;
}

/** The skin packs of a zip: `manifest.json` and `skins.json` in the same folder, and the zips in it. */
function packsIn(zip: Zip, isNested: boolean): readonly InnerPack[] {
  const manifests = [...zip.files.values()].filter(({ name }) => /(?:^|\/)manifest\.json$/i.test(name));
  const folders = manifests.map(({ name }) => name.slice(0, -'manifest.json'.length));
  const packs = folders.filter((folder) => zip.files.has(`${folder}skins.json`.toLowerCase()));
  const inner = isNested ? [] : [...zip.files.values()].filter(({ name }) => /\.mcpack$/i.test(name));
  return [
    ...packs.map((folder) => ({ name: folder.slice(0, -1), folder })),
    ...inner.map((file) => ({
      name: file.name.replace(/\.mcpack$/i, ''),
      folder: '',
      zip: () => innerZip(zip, file),
    })),
  ];
}

function innerZip(zip: Zip, file: ArchivedFile): Zip {
  if (file.size > Math.min(MAX_PACK_BYTES, zip.left)) throw new PackFault('is too large');
  zip.left -= file.size;
  return zipOf(
    faulty(() => readFileIn(zip.archive, file, MAX_PACK_BYTES)),
    zip.left,
  );
}

/** `folder`: where the pack is; if no folder has one, that of any manifest, so that it says what is missing. */
function zipFiles(zip: Zip, folder = folderOfManifest(zip)): PackFiles {
  const fileAt = (path: string) => zip.files.get(`${folder}${path}`.toLowerCase());
  const texts = `${folder}texts/`.toLowerCase();
  return {
    text: (name) => {
      const file = fileAt(name);
      if (file && file.size > MAX_TEXT_BYTES) throw new PackFault(`has a ${name} that is too large`);
      return file && faulty(() => decodedText(readFileIn(zip.archive, file, MAX_TEXT_BYTES)));
    },
    picture: (name) => {
      const file = fileAt(name);
      return file ? zippedPicture(zip, file, name) : absentPicture(name);
    },
    languages: () => {
      const names = [...zip.files].filter(([name]) => name.startsWith(texts)).map(([, { name }]) => name);
      return languageNames(names.map((name) => name.slice(texts.length)));
    },
  };
}

function folderOfManifest(zip: Zip): string {
  const names = [...zip.files.values()].map(({ name }) => name);
  const manifest = names.find((name) => /^(?:[^/]+\/)?manifest\.json$/i.test(name)) ?? 'manifest.json';
  return manifest.slice(0, -'manifest.json'.length);
}

function zippedPicture(zip: Zip, file: ArchivedFile, name: string): SourceContent {
  if (file.size > Math.min(MAX_PICTURE_BYTES, zip.left))
    return unusable('unusable_skin', `The pack has a ${name} that is too large.`);
  zip.left -= file.size;
  try {
    return { kind: 'bytes', bytes: new Uint8Array(readFileIn(zip.archive, file, MAX_PICTURE_BYTES)) };
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return unusable('unusable_skin', `The pack has a ${name} that is damaged.`);
  }
}

function readZip(zip: Buffer): Archive {
  const read = (offset: number, length: number) => zip.subarray(offset, offset + length);
  return faulty(() => readArchive({ size: zip.length, read }));
}

/** @throws PackFault for a damaged zip */
function faulty<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof ArchiveError) throw new PackFault(error.message.replace(/\.$/, ''));
    throw error;
  }
}
