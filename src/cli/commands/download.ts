import { statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { BatchSource } from '../../batch/model.ts';
import { OutputNames } from '../../batch/names.ts';
import { isSingle, openSources } from '../../batch/sources/arguments.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import { MAX_CHECKED_BYTES } from '../../skin/check.ts';
import { decodePng } from '../../skin/png/decode.ts';
import { fitSkin } from '../../skin/read-skin.ts';
import { chooseVariant } from '../../skin/variant.ts';
import { type CommandContext, type CommandModule, connectWithProgress } from '../context/context.ts';
import { sourceReportOf } from '../errors/error-report.ts';
import { CliError, exitStatus, usageError } from '../errors/exit.ts';
import { verifyUuids } from '../nouns.ts';
import {
  addLocalSourceOptions,
  OVERWRITE,
  rootsOf,
  SOURCE_KINDS,
  specOf,
  type TypedBatchOptions,
  verifySources,
} from '../options/skin-options.ts';
import { columnRows, type Fields, fieldColumns, JsonList } from '../output/described.ts';
import { COPIED_PICTURE, OutputGuard } from '../output/output-guard.ts';
import { findTexture, readable } from '../preview.ts';
import { printFailure } from '../terminal/messages.ts';
import { clean, jsonDocument } from '../text/text.ts';

/** `out`: a PNG file, a folder, or `-` for stdout. */
type DownloadOptions = Pick<
  TypedBatchOptions,
  'out' | 'overwrite' | 'recursive' | 'ignore' | 'player' | 'from' | 'as'
>;

type DownloadView = NonNullable<Awaited<ReturnType<typeof downloadOne>>>;

const COLUMNS = fieldColumns<DownloadView>('source', 'file', 'variant');

const FIELDS: Fields<DownloadView> = {
  source: 'the source as you typed it',
  file: 'path of the PNG file',
  variant: 'classic or slim',
  width: 'width of the texture in pixels',
  height: 'height of the texture in pixels',
};

export const download = {
  description:
    'Save the textures of players, skins, skin data and addresses as PNG files, unchanged.\n' +
    "Makes no skin. A texture's hash works as a source too. Prints each source and its file.",
  examples: {
    'Save the skin of a player': 'skinsmith download --player Notch --out notch-skin.png',
    'Save the skins of several players in a folder': 'skinsmith download Notch jeb_ --out textures/',
  },
  output: [{ columns: COLUMNS, json: { shape: 'object or list', fields: FIELDS } }],
  declare(command) {
    command.argument('[source...]', SOURCE_KINDS);
    addLocalSourceOptions(command, { fit: false })
      .optionsGroup('Output:')
      .option('--out <path>', 'PNG file, folder, or - for stdout (default: the current folder)')
      .option(...OVERWRITE);
  },
  run: runDownload,
} satisfies CommandModule;

export async function runDownload(
  sources: readonly string[],
  options: DownloadOptions,
  context: CommandContext,
): Promise<number> {
  const spec = specOf({ ...options, sources });
  verifySources(spec, 'Give a player, URL, UUID, hash or lockfile.');
  const isOne = await isSingle(spec, rootsOf(context));
  const place = placeOf(options, isOne, context);
  const guard = new OutputGuard([...sources, ...spec.from], options);
  const names = new OutputNames();
  const list = context.flags.json && !isOne ? new JsonList(context.io.out) : undefined;
  const tally = { all: 0, failed: 0 };
  const warn = (message: string) => void context.messages.warn(message);
  try {
    for await (const source of openSources(spec, { ...rootsOf(context), warn })) {
      context.signal.throwIfAborted();
      const file = place.kind === 'folder' ? join(place.path, `${names.take(source.stem)}.png`) : place.path;
      const view = await downloadOne(source, { file, guard, context });
      if (!view) tally.failed++;
      else if (list) list.add(view, tally.all);
      else if (place.kind !== 'stdout')
        context.io.out.write(context.flags.json ? jsonDocument(view) : columnRows(COLUMNS, [view]));
      tally.all++;
    }
    list?.end();
  } finally {
    list?.endEarly();
  }
  return exitStatus(tally.failed > 0 ? 'failed' : 'done');
}

interface Place {
  readonly kind: 'file' | 'folder' | 'stdout';
  readonly path: string;
}

/** @throws CliError */
function placeOf({ out = '.' }: DownloadOptions, isOne: boolean, { io, flags }: CommandContext): Place {
  const kind = out === '-' ? 'stdout' : extname(out).toLowerCase() === '.png' ? 'file' : 'folder';
  if (kind === 'stdout' && (io.out.isTTY || flags.json))
    throw usageError(
      'stdout_taken',
      'A picture cannot go to a terminal or beside JSON.',
      'Name a file: --out skin.png',
    );
  if (kind !== 'folder' && !isOne)
    throw usageError(
      'one_file_many_sources',
      `${clean(out)} is one file, but several sources are given.`,
      'Name a folder, such as --out textures/.',
    );
  return { kind, path: out };
}

interface Downloading {
  readonly file: string;
  readonly guard: OutputGuard;
  readonly context: CommandContext;
}

/** A failed texture does not stop the others. */
async function downloadOne(source: BatchSource, { file, guard, context }: Downloading) {
  try {
    const { bytes, variant = 'auto' } = await findTexture(source, context);
    const { picture, size } = pictureIn(bytes, source.label);
    if (file === '-') await context.io.out.writePart(bytes);
    else guard.write(file, bytes, COPIED_PICTURE);
    return { source: source.label, file, variant: chooseVariant(picture, variant).variant, ...size };
  } catch (error) {
    await printFailure(source.label, sourceReportOf(error, context), context);
    return undefined;
  }
}

/** Saves only skins, including HD skins, and never a web page, for instance. `size`: of the file. @throws CliError */
function pictureIn(bytes: Uint8Array, label: string) {
  return readable(label, () => {
    const { picture = decodePng(bytes, { maxBytes: MAX_CHECKED_BYTES }), from } = fitSkin(bytes) ?? {};
    const { width, height } = from ?? picture;
    return { picture, size: { width, height } };
  });
}

interface Downloaded {
  readonly uuid: string;
  readonly name?: string | undefined;
  readonly file: string;
}

const SKIN_COLUMNS = fieldColumns<Downloaded>('uuid', 'file', 'name');

const SKIN_FIELDS: Fields<Downloaded> = {
  uuid: 'UUID of the skin',
  name: 'name of the skin',
  file: 'path of the PNG file',
};
export const skinsDownload = {
  description:
    'Save the textures of skins as PNG files.\n' +
    'Files are named after the skins and their UUIDs. Prints which skin is in which file.',
  examples: {
    'Save a texture in the current folder': 'skinsmith skins download UUID',
    'Save the textures of all your skins in a folder':
      'skinsmith skins list --all | cut -f1 | xargs -r skinsmith skins download --out textures/',
  },
  output: [{ columns: SKIN_COLUMNS, json: { shape: 'object or list', fields: SKIN_FIELDS } }],
  declare: (command) =>
    command
      .argument('<uuid...>', 'UUIDs of skins')
      .option('--out <folder>', 'folder for the files (default: the current folder)')
      .option(...OVERWRITE),
  run: runSkinsDownload,
} satisfies CommandModule;

export async function runSkinsDownload(
  uuids: readonly string[],
  options: { readonly out?: string; readonly overwrite?: boolean },
  context: CommandContext,
): Promise<number> {
  const { out = '.' } = options;
  verifyUuids(uuids, context);
  verifyFolder(out);
  const { client } = await connectWithProgress(await context.settings(), context);
  const names = new OutputNames();
  const guard = new OutputGuard([], options);
  const done: Downloaded[] = [];
  for (const uuid of uuids) {
    const one = await downloadSkin(uuid, { client, context, names, out, guard });
    if (!one) continue;
    done.push(one);
    if (!context.flags.json) context.io.out.write(columnRows(SKIN_COLUMNS, [one]));
  }
  const document = uuids.length > 1 ? done : done[0];
  if (context.flags.json && document) context.io.out.write(jsonDocument(document));
  return exitStatus(done.length === uuids.length ? 'done' : 'failed');
}

/** A folder with a picture's name is probably a mistake, unless it exists. @throws CliError */
function verifyFolder(out: string): void {
  const found = statSync(out, { throwIfNoEntry: false });
  if (found?.isDirectory() || (!found && !/\.png$/i.test(out))) return;
  const hint = 'Name a folder, such as --out textures/. The files in it are named after the skins.';
  throw usageError('not_a_folder', `${clean(out)} is not a folder.`, hint);
}

/** A texture that cannot be fetched does not stop the others. */
async function downloadSkin(
  wanted: string,
  {
    client,
    context,
    names,
    out,
    guard,
  }: { client: SkinClient; context: CommandContext; names: OutputNames; out: string; guard: OutputGuard },
): Promise<Downloaded | undefined> {
  try {
    const { uuid, name } = await client.skin(wanted, { signal: context.signal });
    const png = await client.skinTexture(uuid, { signal: context.signal });
    verifyPng(png, uuid);
    // A skin always gets the same file name, and no two skins share one.
    const stem = name === undefined ? uuid : `${name.replaceAll('/', '_')}-${uuid.slice(0, 8)}`;
    const file = join(out, `${names.take(stem)}.png`);
    guard.write(file, png, COPIED_PICTURE);
    return { uuid, name, file };
  } catch (error) {
    await printFailure(wanted, sourceReportOf(error, context), context);
    return undefined;
  }
}

/** Rejects an answer that is not a PNG, so that it is never saved as one. */
function verifyPng(bytes: Uint8Array, uuid: string): void {
  try {
    decodePng(bytes);
  } catch (cause) {
    throw new CliError('invalid_texture', `The texture of ${uuid} is not a skin.`, { cause });
  }
}
