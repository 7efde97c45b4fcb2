import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { decodedText, parsedJson } from '../../base/text.ts';
import { type Archive, ArchiveError, readArchive, readFileIn } from '../../pack/archive.ts';
import { type BatchSource, type SourceContent, unusable, type VariantInput } from '../model.ts';
import { fileProblem } from './files.ts';

/**
 * Skin packs of Bedrock Edition, in a folder or in a zip (`.mcpack`). Facts: Microsoft's "Packaging a Skin Pack" and "Skin Pack JSON
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
}

class PackFault extends Error {
  override readonly name = 'PackFault';
}

/** All skins of a pack as sources, each read when it is taken. `label`: the pack's name in messages. */
export function* bedrockSources(label: string, path: string): Generator<BatchSource> {
  try {
    yield* sourcesIn(label, statSync(path).isDirectory() ? folderFiles(path) : zipFiles(path));
  } catch (error) {
    const content: SourceContent =
      error instanceof PackFault
        ? unusable('invalid_skin_pack', `${label} ${error.message}.`, PACK_HINT)
        : { kind: 'problem', problem: fileProblem(label, error) };
    yield { label, content, stem: 'pack' };
  }
}

const PACK_HINT = 'A skin pack has manifest.json, with a module of type skin_pack, and skins.json.';

function* sourcesIn(label: string, files: PackFiles): Generator<BatchSource> {
  const manifest = jsonIn(files, 'manifest.json');
  const types = listOf(manifest['modules']).map((module) => textOf(fieldsOf(module)['type']) ?? 'unknown');
  if (!types.includes('skin_pack'))
    throw new PackFault(`is no skin pack: manifest.json says ${types.join(', ') || 'nothing'}`);
  const pack = jsonIn(files, 'skins.json');
  const skins = listOf(pack['skins']);
  if (skins.length === 0) throw new PackFault('has no skins in skins.json');
  if (skins.length > MAX_SKINS) throw new PackFault(`has more than ${MAX_SKINS} skins`);
  const names = namesIn(files, pack);
  for (const skin of skins) yield sourceOf(fieldsOf(skin), { label, files, names });
}

interface Pack {
  readonly label: string;
  readonly files: PackFiles;
  /** Names for people, by the key of the skin. */
  readonly names: ReadonlyMap<string, string>;
}

function sourceOf(skin: Fields, { label, files, names }: Pack): BatchSource {
  const key = textOf(skin['localization_name']) ?? textOf(skin['texture']) ?? 'skin';
  const name = names.get(key) ?? key.replace(/\.png$/i, '');
  const source = { label: `${label}:${name}`, stem: name.replaceAll('/', '_') };
  const geometry = (textOf(skin['geometry']) ?? '').split(':')[0]!.trim().toLowerCase();
  const variant = Object.hasOwn(ARMS, geometry) ? ARMS[geometry] : undefined;
  const texture = textOf(skin['texture']);
  const cape = textOf(skin['cape']);
  const fault = faultOf(skin, { variant, texture });
  if (fault !== undefined || texture === undefined)
    return { ...source, content: unusable('unusable_skin', `${source.label}: ${fault}.`) };
  return {
    ...source,
    content: contentOf(texture, files, source.label),
    variant,
    ...(cape !== undefined && { cape: contentOf(cape, files, `${source.label}, its cape`) }),
  };
}

/** Why Java Edition cannot show a skin, as the end of a sentence. */
function faultOf(
  skin: Fields,
  { variant, texture }: { variant: VariantInput | undefined; texture: string | undefined },
): string | undefined {
  if (skin['persona'] !== undefined || /persona/i.test(String(skin['type'] ?? '')))
    return 'a persona is put together from pieces in Minecraft and has no texture of its own';
  if (texture === undefined) return 'it has no texture';
  if (variant !== undefined) return undefined;
  return `the geometry ${String(skin['geometry'])} is a shape of its own; Java Edition shows only geometry.humanoid.custom and geometry.humanoid.customSlim`;
}

function contentOf(texture: string, files: PackFiles, label: string): SourceContent {
  const path = safePath(texture);
  if (path !== undefined) return files.picture(path);
  return unusable('unusable_skin', `${label}: its picture ${texture} is outside of the pack.`);
}

/** A path in the pack; undefined if there is none, or it leads out of the pack. */
function safePath(texture: unknown): string | undefined {
  const path = textOf(texture)?.replaceAll('\\', '/').replace(/^\.\//, '');
  const isOutside = path === undefined || /^(?:\/|[a-z]:)/i.test(path) || path.split('/').includes('..');
  return isOutside || path.includes('\0') ? undefined : path;
}

/** Names for people, as the game has them: `skin.PACK.SKIN=Name` in `texts/en_US.lang`. */
function namesIn(files: PackFiles, pack: Fields): ReadonlyMap<string, string> {
  const packs = [pack['localization_name'], pack['serialize_name']].map(textOf);
  const names = new Map<string, string>();
  for (const line of (files.text('texts/en_US.lang') ?? '').split('\n')) {
    const [, key = '', value = ''] = /^skin\.([^=]+)=(.*)$/.exec(line.trim()) ?? [];
    const prefix = packs.find((one) => one !== undefined && key.startsWith(`${one}.`));
    const name = value.split('##', 1)[0]!.trim();
    if (prefix !== undefined && name !== '') names.set(key.slice(prefix.length + 1), name);
  }
  return names;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(json: unknown): Fields {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : {};
}

function listOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : [];
}

function textOf(json: unknown): string | undefined {
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
    at = after;
  }
  return kept + text.slice(at);
}

function nextIn(text: string, what: RegExp, from: number): RegExpExecArray | null {
  what.lastIndex = from;
  return what.exec(text);
}

function jsonIn(files: PackFiles, path: string): Fields {
  const text = files.text(path);
  if (text === undefined) throw new PackFault(`is no skin pack: it has no ${path}`);
  const json = parsedJson(text) ?? parsedJson(withoutComments(text));
  if (json === undefined) throw new PackFault(`has a ${path} that is not JSON`);
  return fieldsOf(json);
}

function folderFiles(folder: string): PackFiles {
  const root = realpathSync(folder) + sep;
  /** Links may not lead out of the pack. */
  const inside = (path: string) => realpathSync(join(folder, path)).startsWith(root);
  return {
    text: (path) => {
      const file = join(folder, path);
      const found = statSync(file, { throwIfNoEntry: false });
      if (!found?.isFile() || !inside(path)) return undefined;
      if (found.size > MAX_TEXT_BYTES) throw new PackFault(`has a ${path} that is too large`);
      return decodedText(readFileSync(file));
    },
    picture: (path) => {
      const file = join(folder, path);
      if (!statSync(file, { throwIfNoEntry: false }) || inside(path)) return { kind: 'file', path: file };
      return unusable('unusable_skin', `${path} is a link that leads out of the pack.`);
    },
  };
}

/** Nothing is written to disk, and only wanted files are inflated, each no further than the zip says. */
function zipFiles(path: string): PackFiles {
  const { size } = statSync(path);
  if (size > MAX_PACK_BYTES) throw new PackFault(`has more than ${MAX_PACK_BYTES / 1024 ** 2} MiB`);
  const archive = readZip(readFileSync(path));
  const files = new Map(archive.files.map((file) => [file.name, file]));
  if (files.size > MAX_ENTRIES) throw new PackFault(`has more than ${MAX_ENTRIES} files`);
  const manifest =
    [...files.keys()].find((name) => /^(?:[^/]+\/)?manifest\.json$/.test(name)) ?? 'manifest.json';
  const root = manifest.slice(0, -'manifest.json'.length);
  let left = MAX_UNPACKED_BYTES;
  const pictureIn = (name: string): SourceContent => {
    const file = files.get(root + name);
    if (!file) return unusable('unusable_skin', `${name} is not in the pack.`);
    if (file.size > Math.min(MAX_PICTURE_BYTES, left))
      return unusable('unusable_skin', `The pack has a ${name} that is too large.`);
    left -= file.size;
    try {
      return { kind: 'bytes', bytes: new Uint8Array(readFileIn(archive, file, MAX_PICTURE_BYTES)) };
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      return unusable('unusable_skin', `The pack has a ${name} that is damaged.`);
    }
  };
  return {
    text: (name) => {
      const file = files.get(root + name);
      if (file && file.size > MAX_TEXT_BYTES) throw new PackFault(`has a ${name} that is too large`);
      return file && faulty(() => decodedText(readFileIn(archive, file, MAX_TEXT_BYTES)));
    },
    picture: pictureIn,
  };
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
