import { join, resolve } from 'node:path';
import { removeLeftovers, restoreFolder } from '../../base/files.ts';
import { ALL_GAMES, assumedVersions } from '../../pack/games.ts';
import { MAX_SERVER_PACK } from '../../pack/pack.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { exitStatus } from '../errors/exit.ts';
import { nonEmpty } from '../options/option-values.ts';
import {
  addLocalSourceOptions,
  gameRange,
  OVERWRITE,
  packNamespace,
  SOURCE_KINDS,
  specOf,
  variantOption,
  verifySources,
} from '../options/skin-options.ts';
import type { Fields } from '../output/described.ts';
import { changeText, openTarget, type PackTarget, removeFrom, verifyTarget } from '../pack/into-pack.ts';
import { listed, type Made, type MakeOptions, makePack } from '../pack/make-pack.ts';
import type { PackWriter } from '../pack/pack-output.ts';
import { FetchedTextures } from '../pack/pack-sources.ts';
import { clean, count, jsonDocument } from '../text/text.ts';

export interface PackOptions extends Omit<MakeOptions, 'out'> {
  readonly out?: string;
  readonly into?: string;
  readonly removeFrom?: string;
  readonly allowOlder?: boolean;
  readonly dryRun?: boolean;
  readonly index?: string;
  readonly overwrite?: boolean;
}

const FIELDS: Fields<ReturnType<typeof viewOf>> = {
  file: 'the resource pack',
  sha1: 'SHA-1 of a zip: resource-pack-sha1 in server.properties',
  bytes: 'size of the resource pack',
  skins: 'number of skins in the pack',
  textures: 'number of different pictures in the pack',
  index: 'the file with the ID of each source in the pack',
  datapack: 'the data pack, with --datapack',
  copy: 'copy of the earlier pack, with --into',
  added: 'number of skins that the last pack did not have',
  dropped: 'IDs of skins that only the last pack had, with --prune',
  sourceless: 'IDs of skins that the pack keeps, although their source is gone or cannot be used',
  failed: 'number of sources that could not be used',
};

export const pack = {
  description:
    'Make a resource pack of skins, for heads and mannequins without a signature.\n' +
    'Minecraft 1.21.9 and later show textures of a resource pack on player heads, mannequins and player ' +
    'objects in text, at any multiple of 64×64 pixels. Prints the resource-pack-sha1 line for ' +
    'server.properties. The same sources give the same file, byte for byte. The index beside it, ' +
    'NAME.skins.json, remembers the ID of each source: the next run keeps it, and with it the commands in your world.',
  examples: {
    'Make a resource pack of all skins in a folder': 'skinsmith pack skins/ --out pack.zip',
    'Add functions that give heads and summon mannequins':
      'skinsmith pack skins/ --out npcs.zip --datapack functions.zip --namespace npc',
  },
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  declare(command) {
    command.argument('[source...]', SOURCE_KINDS);
    addLocalSourceOptions(command)
      .optionsGroup('Pack:')
      .option('--out <pack>', 'zip or folder to write', nonEmpty)
      .option(
        '--into <pack>',
        'existing pack, as a zip or folder, to put the skins into; its other files stay as they are',
        nonEmpty,
      )
      .option('--remove-from <pack>', 'existing pack to take the skins of the namespace out of', nonEmpty)
      .option(
        '--allow-older',
        'with --into, accept packs that also support Minecraft versions before 1.21.9, which will not show the skins',
      )
      .option('--dry-run', 'show what would change, and write nothing')
      .option('--datapack <pack>', 'also write a data pack with functions for each skin', nonEmpty)
      .option('--vulnerable', 'make the mannequins of the data pack vulnerable')
      .option('--namespace <name>', 'namespace of textures and functions (default: skinsmith)', packNamespace)
      .option(
        '--game <versions>',
        `versions of Minecraft, such as 1.21.9..26.1 (default: ${ALL_GAMES.from}..${ALL_GAMES.to})`,
        gameRange,
      )
      .option('--description <text>', "description of the pack in Minecraft's list", nonEmpty)
      .option('--icon', 'draw pack.png with the faces of the first skins')
      .addOption(variantOption())
      .option(
        '--keep-transparency',
        'leave base layers see-through, which Minecraft never does with downloaded skins',
      )
      .option(
        '--index <file>',
        'index to read and write (default: NAME.skins.json beside NAME.zip, or skins.json in the folder)',
        nonEmpty,
      )
      .option('--prune', 'drop skins of the last pack whose source is gone')
      .option(...OVERWRITE);
  },
  run: runPack,
} satisfies CommandModule;

export async function runPack(
  sources: readonly string[],
  typed: Omit<PackOptions, 'sources'>,
  context: CommandContext,
): Promise<number> {
  verifyTarget(typed, sources);
  const { namespace = 'skinsmith', dryRun: isDryRun = false } = typed;
  if (typed.removeFrom === undefined)
    return await runMaking({ ...typed, sources, out: (typed.out ?? typed.into)! }, context);
  await removeFrom(typed.removeFrom, { namespace, isDryRun }, context);
  return exitStatus('done');
}

type MakingOptions = PackOptions & MakeOptions;

async function runMaking(options: MakingOptions, context: CommandContext): Promise<number> {
  verifySources(specOf(options));
  for (const name of [options.out, options.datapack])
    if (name !== undefined) restoreFolder(resolve(name), context.clock.now());
  const target = openTarget(options);
  const { places } = target;
  const writers: PackWriter[] = [];
  const fetched = fetchedFor(options, context);
  let isDone = false;
  const progress = await context.messages.progress('Packing');
  try {
    places.verify();
    for (const { name } of places.packs) removeLeftovers(resolve(name), context.clock.now());
    await warnAboutVersions(options, context);
    const onProgress = (text: string) => progress.text(text);
    const made = await makePack(options, { ...target, writers, context, fetched, onProgress });
    target.endReading();
    places.verify(); // in case something was put there in the meantime
    if (!options.dryRun) for (const writer of writers) writer.put();
    isDone = !options.dryRun;
    fetched.clear();
    progress.stop();
    await tell(made, { ...options, index: places.index }, { target, context });
    return exitStatus(made.failed === 0 ? 'done' : 'failed');
  } finally {
    progress.stop();
    target.close(isDone);
    if (!isDone) {
      for (const writer of writers) writer.discard();
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

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

function sizeText(bytes: number): string {
  const isSmall = bytes < MEBIBYTE;
  return isSmall ? `${Math.ceil(bytes / KIBIBYTE)} KiB` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

async function tell(
  made: Made,
  options: MakingOptions & { readonly index: string },
  { target: { existing }, context }: { readonly target: PackTarget; readonly context: CommandContext },
): Promise<void> {
  const { io, flags, messages } = context;
  const { out, datapack, index, dryRun = false, namespace = 'skinsmith' } = options;
  const { sha1, bytes, skins } = made;
  if (flags.json) io.out.write(jsonDocument(viewOf(made, { ...options, copy: existing?.copy })));
  else if (sha1 && !dryRun) io.out.write(`resource-pack-sha1=${sha1}\n`);
  const written = [datapack, existing ? undefined : index].filter((name) => name !== undefined).map(clean);
  const beside = written.length === 0 || dryRun ? '' : ` Also wrote ${written.join(' and ')}.`;
  const change = existing ? ` ${changeText(existing)}` : '';
  const did = existing && !existing.hasChanged ? 'Kept' : 'Wrote';
  messages.say(`${dryRun ? 'Would write' : did} ${clean(out)}: ${summary(made)}.${change}${beside}`);
  for (const line of remarks(made)) messages.say(line);
  if (bytes > MAX_SERVER_PACK)
    await messages.warn('The pack is larger than 250 MiB, and clients refuse such packs from a server.');
  if (dryRun) return;
  const [{ id }, sources] = [skins[0]!, sourcesText(options)];
  for (const line of nextSteps({ out, isZip: sha1 !== undefined, datapack, namespace, id, sources }))
    messages.say(line);
}

/** The first of the sources, as a command names it. */
function sourcesText({
  sources: [source],
  player: [player] = [],
  from: [list] = [],
  recursive,
}: MakingOptions) {
  if (source !== undefined) return recursive ? `${source} -r` : source;
  return player === undefined ? `--from ${list}` : `--player ${player}`;
}

function viewOf(
  { sha1, skins, ...made }: Made,
  {
    out,
    datapack,
    index,
    copy,
  }: MakingOptions & { readonly index: string; readonly copy: string | undefined },
) {
  const { bytes, textures, added, dropped, sourceless, failed } = made;
  return {
    file: out,
    ...(sha1 && { sha1 }),
    bytes,
    skins: skins.length,
    textures,
    index,
    ...(datapack !== undefined && { datapack }),
    ...(copy !== undefined && { copy }),
    added,
    dropped,
    sourceless,
    failed,
  };
}

function summary({ skins, textures, added, dropped, bytes }: Made): string {
  const changes = [
    ...(added < skins.length ? [`${count(added)} added`, `${count(skins.length - added)} kept`] : []),
    ...(dropped.length > 0 ? [`${count(dropped.length)} dropped`] : []),
  ];
  return [
    `${count(skins.length)} ${skins.length === 1 ? 'skin' : 'skins'}${changes.length > 0 ? ` (${changes.join(', ')})` : ''}`,
    ...(textures === skins.length ? [] : [`${count(textures)} ${textures === 1 ? 'texture' : 'textures'}`]),
    sizeText(bytes),
  ].join(', ');
}

function remarks({ failed, dropped, sourceless }: Made): readonly string[] {
  const lines: string[] = [];
  if (failed > 0) lines.push(`${count(failed)} ${failed === 1 ? 'source' : 'sources'} could not be used.`);
  if (dropped.length > 0) lines.push(`Dropped: ${listed(dropped)}.`);
  if (sourceless.length > 0)
    lines.push(
      `Kept from the last pack, although the source is gone or cannot be used: ${listed(sourceless)}. --prune drops skins whose source is gone.`,
    );
  return lines;
}

interface WrittenPack {
  /** As the user named it. */
  readonly out: string;
  readonly isZip: boolean;
  readonly datapack: string | undefined;
  readonly namespace: string;
  /** The id of one of its skins, for examples. */
  readonly id: string;
  /** What it was made from, as the user named it: words of a command. */
  readonly sources: string;
}

/** What to do with a pack that was just written, a line for each step. */
function nextSteps({ out, isZip, datapack, namespace, id, sources }: WrittenPack): readonly string[] {
  const pack = clean(out);
  const first = isZip
    ? `1. Offer it to players: skinsmith serve --pack ${pack} prints both lines for server.properties.`
    : `1. Put ${pack} into the folder resourcepacks of Minecraft, and choose it there under Resource Packs.`;
  if (datapack === undefined)
    return [
      first,
      `2. Print commands for the skins: skinsmith generate ${clean(sources)} --format mannequin --pack ${pack}`,
      '3. Type them into chat, with a slash in front; you must be op.',
    ];
  return [
    first,
    `2. Put ${clean(datapack)} into the folder datapacks of the world, and type /reload.`,
    `3. Type one of these in Minecraft (you must be op); ${id} is one of the skins:`,
    ...['lineup', 'remove', `summon/${id}`, `give/${id}`].map((name) => `   /function ${namespace}:${name}`),
  ];
}
