import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { Replacement, removeLeftovers } from '../../base/files.ts';
import { ALL_GAMES, assumedVersions, type GameRange } from '../../pack/games.ts';
import { legalName } from '../../pack/names.ts';
import {
  DataPack,
  INDEX_NAME,
  type IndexedSkin,
  indexText,
  MAX_SERVER_PACK,
  ResourcePack,
} from '../../pack/pack.ts';
import { specOf, verifySources } from '../batch/call.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError, exitStatus, usageError } from '../errors/exit.ts';
import { nonEmpty } from '../options/option-values.ts';
import {
  addLocalSourceOptions,
  gameRange,
  OVERWRITE,
  packNamespace,
  SOURCE_KINDS,
  variantOption,
} from '../options/skin-options.ts';
import type { Fields } from '../output/described.ts';
import { OutputGuard } from '../output/output-guard.ts';
import { namedSources } from '../pack/named-sources.ts';
import { nextSteps } from '../pack/next-steps.ts';
import {
  openPack,
  type PackPlace,
  type PackWriter,
  packPlace,
  verifyIndexPlace,
  verifyPlace,
} from '../pack/pack-output.ts';
import { FetchedTextures, listSources, readSources } from '../pack/pack-sources.ts';
import { printFailure } from '../terminal/messages.ts';
import { clean, count, jsonDocument } from '../text/text.ts';

export interface PackOptions {
  readonly sources: readonly string[];
  readonly out: string;
  readonly datapack?: string;
  readonly index?: string;
  readonly namespace?: string;
  readonly game?: GameRange;
  readonly description?: string;
  readonly icon?: boolean;
  readonly variant?: 'auto' | 'classic' | 'slim';
  readonly overwrite?: boolean;
  readonly recursive?: boolean;
  readonly ignore?: readonly string[];
  readonly player?: readonly string[];
  readonly from?: readonly string[];
  readonly as?: 'file' | 'url' | 'user';
  readonly fit?: boolean;
  readonly keepTransparency?: boolean;
  readonly vulnerable?: boolean;
}

/** JSON output. */
interface PackView {
  readonly file: string;
  readonly sha1?: string;
  readonly bytes: number;
  readonly skins: number;
  readonly textures: number;
  readonly index: string;
  readonly datapack?: string;
  readonly failed: number;
}

const FIELDS: Fields<PackView> = {
  file: 'the resource pack',
  sha1: 'SHA-1 of a zip: resource-pack-sha1 in server.properties',
  bytes: 'size of the resource pack',
  skins: 'number of skins in the pack',
  textures: 'number of different pictures in the pack',
  index: 'the file with the name of each source in the pack',
  datapack: 'the data pack, with --datapack',
  failed: 'number of sources that could not be used',
};

export const pack = {
  description:
    'Make a resource pack of skins, for heads and mannequins without a signature.\n' +
    'Minecraft 1.21.9 and later show textures of a resource pack on player heads, mannequins and player ' +
    'objects in text, at any multiple of 64×64 pixels. Prints the line resource-pack-sha1 of ' +
    'server.properties. The same sources give the same file, byte for byte. Beside it, skins.json lists ' +
    'the name of each source in the pack.',
  examples: [
    ['Make a resource pack of all skins in a folder', 'skinsmith pack skins/ --out pack.zip'],
    [
      'Add functions that give heads and summon mannequins',
      'skinsmith pack skins/ --out pack.zip --datapack functions.zip --namespace npc',
    ],
  ],
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  declare(command) {
    command.argument('[source...]', SOURCE_KINDS);
    addLocalSourceOptions(command)
      .optionsGroup('Pack:')
      .requiredOption('--out <pack>', 'zip or folder to write', nonEmpty)
      .option('--datapack <pack>', 'also write a data pack with functions for each skin', nonEmpty)
      .option('--vulnerable', 'let the mannequins of the data pack be hurt')
      .option('--namespace <name>', 'namespace of textures and functions (default: skinsmith)', packNamespace)
      .option(
        '--game <versions>',
        `versions of Minecraft, such as 1.21.9..26.1 (default: ${ALL_GAMES.from}..${ALL_GAMES.to})`,
        gameRange,
      )
      .option('--description <text>', 'text in the list of packs', nonEmpty)
      .option('--icon', 'draw pack.png with the faces of the first skins')
      .addOption(variantOption())
      .option('--keep-transparency', 'leave base layers see-through, which a downloaded skin never is')
      .option(
        '--index <file>',
        'index to write (default: skins.json beside a zip, or in the folder)',
        nonEmpty,
      )
      .option(...OVERWRITE);
  },
  run: runPack,
} satisfies CommandModule;

export async function runPack(
  sources: readonly string[],
  typed: Omit<PackOptions, 'sources'>,
  context: CommandContext,
): Promise<number> {
  const options = { ...typed, sources };
  verifySources(specOf(options));
  const places = placesOf(options);
  for (const { name } of places.packs) await removeLeftovers(resolve(name), context.clock.now());
  const progress = await context.messages.progress('Packing');
  await warnAboutVersions(options, context);
  const files: PackFiles = { writers: [], done: false };
  const fetched = fetchedFor(options, context);
  try {
    const onProgress = (text: string) => progress.text(text);
    const made = await fill(options, { places, files, context, fetched, onProgress });
    fetched.clear();
    progress.stop();
    await tell(made, options, context);
    return exitStatus(made.failed === 0 ? 'done' : 'failed');
  } finally {
    progress.stop();
    if (!files.done) {
      for (const writer of files.writers) writer.discard();
      if (fetched.count > 0) context.messages.say(keptText(fetched.count));
    }
  }
}

async function warnAboutVersions({ game = ALL_GAMES }: PackOptions, { messages }: CommandContext) {
  for (const { version, as } of assumedVersions(game)) {
    await messages.warn(
      `Minecraft ${version} is newer than this skinsmith: the pack has the formats of ${as}. If Minecraft calls it outdated, update skinsmith.`,
    );
  }
}

function keptText(textures: number): string {
  const what = textures === 1 ? '1 fetched texture is' : `${count(textures)} fetched textures are`;
  return `${what} kept for 24 hours. Run the same command again to continue.`;
}

/** What an earlier run of this command fetched before it was interrupted. */
function fetchedFor(
  { sources, player, from, as }: PackOptions,
  { folders, clock }: CommandContext,
): FetchedTextures {
  const purpose = JSON.stringify([process.cwd(), sources, player, from, as]);
  return new FetchedTextures(join(folders.data, 'batches', 'packs'), purpose, () => clock.now());
}

interface Places {
  readonly pack: PackPlace;
  readonly data: PackPlace | undefined;
  readonly packs: readonly PackPlace[];
  readonly index: string;
  /** Whether the index is a separate file. */
  readonly isIndexBeside: boolean;
  /** Verifies that no foreign file is in the way. @throws CliError */
  readonly verify: () => void;
}

/** @throws CliError */
function placesOf(options: PackOptions): Places {
  const { out, datapack, sources, from = [], overwrite } = options;
  const pack = packPlace('--out', out);
  const data = datapack === undefined ? undefined : packPlace('--datapack', datapack);
  const packs = data ? [pack, data] : [pack];
  const beside = pack.kind === 'folder' ? join(out, INDEX_NAME) : join(dirname(out), INDEX_NAME);
  const index = options.index ?? beside;
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
    if (isIndexBeside) verifyIndexPlace(index, basename(out), guard);
  };
  verify();
  return { pack, data, packs, index, isIndexBeside, verify };
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

interface PackFiles {
  readonly writers: PackWriter[];
  /** Whether all outputs exist. */
  done: boolean;
}

interface Made extends Omit<PackView, 'sha1'> {
  readonly sha1: string | undefined;
  /** A skin of the pack, for examples. */
  readonly first: IndexedSkin;
}

interface Filling {
  readonly places: Places;
  readonly files: PackFiles;
  readonly context: CommandContext;
  readonly fetched: FetchedTextures;
  readonly onProgress: (text: string) => void;
}

/** Collisions to report one by one. */
const TOLD = 10;
/** Sources between progress messages. */
const SHOWN = 50;

async function fill(
  options: PackOptions,
  { places, files, context, fetched, onProgress }: Filling,
): Promise<Made> {
  const { namespace: ns = 'skinsmith', game = ALL_GAMES, out, datapack, variant } = options;
  const about = { namespace: ns, game, description: options.description ?? `Skins of ${ns}` };
  const [pack, data] = [
    new ResourcePack(about),
    places.data && new DataPack({ ...about, isVulnerable: options.vulnerable }),
  ];
  const open = (place: PackPlace) => {
    const writer = openPack(place);
    files.writers.push(writer);
    return writer;
  };
  const [packFile, dataFile] = [open(places.pack), places.data && open(places.data)];
  packFile.add(pack.meta());
  if (data) dataFile?.add(data.meta());
  const skins: IndexedSkin[] = [];
  const opaque: string[] = [];
  let [failed, renamed] = [0, 0];
  const outputs = places.packs.filter(({ kind }) => kind === 'folder').map(({ name }) => resolve(name));
  const spec = { ...specOf(options), isForPack: true };
  const named = namedSources(await listSources(spec, outputs, context), dirname(resolve(places.index)));
  const reading = {
    fetched,
    homes: [process.cwd(), ...spec.args.map((path) => dirname(resolve(path)))],
    variant: variant === 'auto' ? undefined : variant,
    keepsTransparency: options.keepTransparency === true,
  };
  for await (const { source, id, read, problem } of readSources(named, reading, context)) {
    if (problem) {
      failed++;
      await printFailure(source.label, problem, context);
      continue;
    }
    const { skin, files: added } = pack.add(read);
    for (const file of added) packFile.add(file);
    if (data) for (const file of data.add(skin)) dataFile?.add(file);
    if (id !== legalName(source.stem) && ++renamed <= TOLD)
      await context.messages.warn(`${source.label}: another source has this name, so it is called ${id}.`);
    if (read.skin.isMadeOpaque) opaque.push(source.label);
    skins.push({ source: source.label, ...skin });
    if (skins.length % SHOWN === 0) onProgress(`Packing ${count(skins.length)} skins`);
  }
  if (skins.length === 0) throw nothing(failed);
  if (opaque.length > 0) await context.messages.warn(opaqueText(opaque));
  if (renamed > TOLD)
    await context.messages.warn(`${count(renamed - TOLD)} more were renamed: see ${places.index}.`);
  if (options.icon) packFile.add(pack.icon());
  if (data) for (const file of data.rest()) dataFile?.add(file);
  const indexed = (sha1: string | undefined) =>
    indexText({
      namespace: ns,
      game: `${game.from}..${game.to}`,
      pack: basename(out),
      ...(sha1 && { sha1 }),
      skins,
    });
  const { bytes, sha1 } = packFile.finish(indexed);
  dataFile?.finish(() => indexed(sha1));
  const index = places.isIndexBeside ? indexFile(places.index, indexed(sha1)) : undefined;
  if (index) files.writers.push(index);
  places.verify(); // in case something was put there in the meantime
  for (const writer of files.writers) writer.put();
  files.done = true;
  return {
    file: out,
    sha1,
    first: skins[0]!,
    bytes,
    skins: skins.length,
    textures: pack.textures,
    index: places.index,
    datapack,
    failed,
  };
}

/** Beside its place, as the packs are. */
function indexFile(path: string, text: string): PackWriter {
  const file = new Replacement(resolve(path));
  try {
    file.write(text);
    file.close(true);
  } catch (error) {
    file.discard();
    throw error;
  }
  return {
    add: () => {},
    finish: () => ({ bytes: text.length }),
    put: () => file.replace(true),
    discard: () => file.discard(),
  };
}

function opaqueText(sources: readonly string[]): string {
  const names = sources.slice(0, TOLD).map(clean).join(', ');
  const more = sources.length > TOLD ? ` and ${count(sources.length - TOLD)} more` : '';
  return `Made see-through base layers opaque, as Minecraft does with downloaded skins: ${names}${more}. --keep-transparency leaves them.`;
}

function nothing(failed: number): CliError {
  const message =
    failed === 0 ? 'Nothing to pack: the list is empty.' : 'No usable source, so no pack was written.';
  return new CliError('nothing_to_pack', message);
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

function sizeText(bytes: number): string {
  const isSmall = bytes < MEBIBYTE;
  return isSmall ? `${Math.ceil(bytes / KIBIBYTE)} KiB` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

async function tell(
  { sha1, first, ...made }: Made,
  options: PackOptions,
  context: CommandContext,
): Promise<void> {
  const { io, flags, messages } = context;
  const { bytes, skins, textures, failed, datapack, index } = made;
  const { out } = options;
  if (flags.json) io.out.write(jsonDocument({ ...made, ...(sha1 && { sha1 }) }));
  else if (sha1) io.out.write(`resource-pack-sha1=${sha1}\n`);
  const parts = [
    `${count(skins)} ${skins === 1 ? 'skin' : 'skins'}`,
    ...(textures === skins ? [] : [`${count(textures)} ${textures === 1 ? 'texture' : 'textures'}`]),
    sizeText(bytes),
  ];
  const beside = [datapack, index].filter((name) => name !== undefined).map(clean);
  messages.say(`Wrote ${clean(out)}: ${parts.join(', ')}. Also wrote ${beside.join(' and ')}.`);
  if (failed > 0) messages.say(`${count(failed)} ${failed === 1 ? 'source' : 'sources'} could not be used.`);
  if (bytes > MAX_SERVER_PACK)
    await messages.warn('The pack is larger than 250 MiB, and clients refuse such packs from a server.');
  const { namespace = 'skinsmith' } = options;
  const { source, id } = first;
  for (const line of nextSteps({ out, isZip: sha1 !== undefined, datapack, namespace, id, source }))
    messages.say(line);
}
