import { extname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { BatchSource, VariantInput } from '../../batch/model.ts';
import { OutputNames } from '../../batch/names.ts';
import { isSingle, openSources } from '../../batch/sources/arguments.ts';
import type { Picture } from '../../skin/picture.ts';
import { encodeSmallPng, markPng } from '../../skin/png/encode.ts';
import { decodeCape } from '../../skin/read-skin.ts';
import { drawFlat } from '../../skin/render/flat.ts';
import { drawView } from '../../skin/render/render.ts';
import { DEFAULT_SIZE, DEFAULT_VIEW, MAX_SIZE, MIN_SIZE, VIEWS, type View } from '../../skin/render/views.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { sourceReportOf } from '../errors/error-report.ts';
import { type CliError, exitStatus, usageError } from '../errors/exit.ts';
import { wholeNumber } from '../options/option-values.ts';
import {
  collect,
  OVERWRITE,
  onlySource,
  rootsOf,
  specOf,
  type TypedBatchOptions,
  variantOption,
} from '../options/skin-options.ts';
import { columnRows, type Fields, fieldColumns, JsonList } from '../output/described.ts';
import { DRAWN_PICTURE, OutputGuard } from '../output/output-guard.ts';
import {
  addPictureOption,
  pictureText,
  type TypedPictureOption,
  terminalPictures,
} from '../output/terminal-picture.ts';
import { bytesOf, type FoundPicture, findPicture, frontAndBack, readable } from '../preview.ts';
import { printFailure } from '../terminal/messages.ts';
import { clean, count, jsonDocument } from '../text/text.ts';

/** Options for sources, of which there may be several. */
type SeveralOptions = Pick<TypedBatchOptions, 'recursive' | 'ignore'>;

function addSeveral(command: Command): Command {
  return command
    .argument('<source...>', 'PNG file, folder, URL, UUID, player name, skin data, or - for stdin')
    .option('-r, --recursive', 'recurse into subfolders')
    .option('--ignore <pattern>', 'skip files that match this .gitignore pattern (repeatable)', collect);
}

export interface PreviewOptions extends TypedPictureOption, SeveralOptions {
  readonly variant?: VariantInput;
  /** PNG file to write; for several sources, a folder. */
  readonly out?: string;
  readonly overwrite?: boolean;
}

type PreviewView = ReturnType<typeof previewView> & { readonly file?: string };

const COLUMNS = fieldColumns<PreviewView>('source', 'variant', 'width', 'height');

const FIELDS: Fields<PreviewView> = {
  source: 'the skin that is shown',
  variant: 'classic or slim',
  width: 'width of the texture in pixels',
  height: 'height of the texture in pixels',
  file: 'the file written with --out',
};

export const preview = {
  description:
    'Show a skin in the terminal.\n' +
    'Draws the front of a PNG file, a URL, a skin of the service (UUID), a player (name or UUID) or ' +
    'skin data (a texture value, or JSON with one) as Minecraft shows it, and those in folders. With --out, writes ' +
    'front and back to a PNG file instead, or one file per source to a folder.',
  examples: {
    'Show a skin in the terminal': 'skinsmith preview skin.png',
    "Save front and back of a player's skin as a picture": 'skinsmith preview Notch --out notch.png',
  },
  output: [{ columns: COLUMNS, json: { shape: 'object or list', fields: FIELDS } }],
  declare: (command) =>
    addPictureOption(
      addSeveral(command)
        .addOption(variantOption().default(undefined, 'auto'))
        .option('--out <path>', 'write front and back to this PNG file, or to this folder')
        .option(...OVERWRITE),
    ),
  run: runPreview,
} satisfies CommandModule;

export async function runPreview(
  sources: readonly string[],
  options: PreviewOptions,
  context: CommandContext,
): Promise<number> {
  const { out, picture } = options;
  if (out !== undefined && picture !== undefined)
    throw usageError('conflicting_options', '--picture and --out cannot be combined.');
  const spec = specOf({ ...options, sources });
  const isOne = await isSingle(spec, rootsOf(context));
  const guard = new OutputGuard(sources, options);
  if (isOne && out !== undefined) guard.verify(out, DRAWN_PICTURE);
  const drawing = { options, guard, context };
  if (!isOne) {
    const draw = async (source: BatchSource, file: string | undefined) =>
      await previewOne(source, file, drawing);
    return await drawEach(spec, { folder: out, draw }, context);
  }
  const view = await previewOne(await onlySource(sources[0] ?? '', context), out, drawing);
  if (context.flags.json) context.io.out.write(jsonDocument(view));
  else if (out !== undefined) context.messages.say(`Wrote ${clean(out)}.`);
  return exitStatus('done');
}

interface Drawing<Options> {
  readonly options: Options;
  readonly guard: OutputGuard;
  readonly context: CommandContext;
}

/** Writes one skin to a file, or shows it; neither beside JSON. */
async function previewOne(
  source: BatchSource,
  file: string | undefined,
  { options, guard, context }: Drawing<PreviewOptions>,
): Promise<PreviewView> {
  const found = await findPicture(source, options.variant ?? 'auto', context);
  if (file !== undefined)
    guard.write(file, markPng(frontAndBack(found.picture, found.variant)), DRAWN_PICTURE);
  else if (!context.flags.json) show(found, options, context);
  return { ...previewView(found), ...(file !== undefined && { file }) };
}

function previewView({ title, variant, picture: { width, height } }: FoundPicture) {
  return { source: title, variant, width, height };
}

/** Shows an image where the terminal can; a pipe gets a row with what was found. */
function show(found: FoundPicture, options: PreviewOptions, { io, env }: CommandContext): void {
  const { title, picture, variant } = found;
  const terminal = terminalPictures(options.picture, io.out, env);
  if (!terminal && !io.out.isTTY) {
    io.out.write(columnRows(COLUMNS, [previewView(found)]));
    return;
  }
  if (!terminal) throw noPictures();
  io.out.write(pictureText(drawFlat(picture, variant, 'front'), terminal));
  io.out.write(`${clean(title)}  ${variant}, ${picture.width}×${picture.height}\n`);
}

function noPictures(): CliError {
  return usageError(
    'no_pictures',
    'This terminal cannot show pictures: it has no colours, or they are turned off.',
    'Write a file instead (--out skin-preview.png), or force it: --picture blocks',
  );
}

export interface RenderCommandOptions extends SeveralOptions {
  readonly view?: View;
  readonly size?: number;
  readonly overlay?: boolean;
  readonly variant?: VariantInput;
  readonly cape?: string;
  /** PNG file to write, or `-` for stdout; for several sources, a folder. */
  readonly out: string;
  readonly overwrite?: boolean;
}

const RENDER_FIELDS: Fields<Awaited<ReturnType<typeof renderOne>>> = {
  source: 'the skin that is drawn',
  view: 'face, head, bust, body, front, back or isometric',
  variant: 'classic or slim',
  width: 'width of the picture in pixels',
  height: 'height of the picture in pixels',
  file: 'the file written',
};

export const render = {
  description:
    'Draw a skin as a PNG file.\n' +
    'Draws a PNG file, a URL, a skin of the service (UUID), a player (name or UUID) or skin data (a texture ' +
    'value, or JSON with one), or every skin in folders, on a transparent background, without smoothing. Whole figures are half as wide ' +
    'as they are tall; face, head and bust are square.',
  examples: {
    'Draw a skin as Minecraft shows it': 'skinsmith render skin.png --out body.png',
    "Draw a player's head, 64 pixels high": 'skinsmith render jeb_ --view head --size 64 --out head.png',
    'Draw the faces of a folder for a web page': 'skinsmith render skins/ --view face --size 8 --out faces/',
    'Draw a skin with a cape from behind':
      'skinsmith render skin.png --view back --cape cape.png --out back.png',
  },
  output: [{ json: { shape: 'object or list', fields: RENDER_FIELDS } }],
  declare: (command) =>
    addSeveral(command)
      .addOption(
        new Option('--view <view>', `what to draw (default: ${DEFAULT_VIEW})`)
          .choices(VIEWS)
          .default(undefined, DEFAULT_VIEW),
      )
      .addOption(
        new Option(
          '--size <pixels>',
          `height of the picture, ${MIN_SIZE} to ${MAX_SIZE} (default: ${DEFAULT_SIZE})`,
        )
          .argParser(wholeNumber(MIN_SIZE, MAX_SIZE))
          .default(undefined, String(DEFAULT_SIZE)),
      )
      .option('--no-overlay', 'leave out the outer layer')
      .addOption(variantOption().default(undefined, 'auto'))
      .option('--cape <file>', 'PNG file of a cape, for the view back')
      .requiredOption('--out <path>', 'PNG file to write, - for stdout, or for several sources a folder')
      .option(...OVERWRITE),
  run: runRender,
} satisfies CommandModule;

export async function runRender(
  sources: readonly string[],
  options: RenderCommandOptions,
  context: CommandContext,
): Promise<number> {
  const { out } = options;
  const spec = specOf({ ...options, sources });
  const isOne = await isSingle(spec, rootsOf(context));
  if (isOne) verifyOutput(options, context);
  else verifyCape(options);
  const guard = new OutputGuard([...sources, ...(options.cape === undefined ? [] : [options.cape])], options);
  if (isOne && out !== '-') guard.verify(out, DRAWN_PICTURE);
  const cape = options.cape === undefined ? undefined : capeIn(options.cape);
  const drawing = { options, guard, context, cape };
  if (!isOne) {
    const draw = async (source: BatchSource, file: string | undefined) =>
      await renderOne(source, file ?? out, drawing);
    return await drawEach(spec, { folder: out, draw }, context);
  }
  const shown = await renderOne(await onlySource(sources[0] ?? '', context), out, drawing);
  if (context.flags.json) context.io.out.write(jsonDocument(shown));
  else if (out !== '-') context.messages.say(`Wrote ${clean(out)}.`);
  return exitStatus('done');
}

/** Draws one skin into a file, or `-` for stdout. */
async function renderOne(
  source: BatchSource,
  file: string,
  { options, guard, context, cape }: Drawing<RenderCommandOptions> & { readonly cape: Picture | undefined },
) {
  const { view = DEFAULT_VIEW, size = DEFAULT_SIZE, variant: wanted = 'auto', overlay } = options;
  const { title, picture, variant } = await findPicture(source, wanted, context);
  const drawn = drawView(picture, { view, size, variant, overlay, cape });
  const { width, height } = drawn;
  const png = markPng(encodeSmallPng(drawn));
  if (file === '-') context.io.out.write(png);
  else guard.write(file, png, DRAWN_PICTURE);
  return { source: title, view, variant, width, height, file };
}

function verifyCape({ view, cape }: RenderCommandOptions): void {
  if (cape !== undefined && view !== 'back')
    throw usageError('cape_not_shown', 'A cape is visible only from behind.', 'Add --view back.');
}

function verifyOutput(options: RenderCommandOptions, { io, flags }: CommandContext): void {
  verifyCape(options);
  if (options.out !== '-') return;
  if (flags.json) {
    const hint = 'Write the picture to a file, such as --out skin-render.png, or leave out --json.';
    throw usageError('stdout_taken', 'The picture and the JSON document cannot both go to stdout.', hint);
  }
  if (io.out.isTTY) {
    const hint = 'Write it to a file, such as --out skin-render.png, or show it with skinsmith preview.';
    throw usageError('picture_on_terminal', 'Cannot write a PNG file to a terminal.', hint);
  }
}

/** @throws CliError */
function capeIn(path: string): Picture {
  const bytes = bytesOf({ kind: 'file', path: resolve(path), fit: false }, path);
  return readable(clean(path), () => decodeCape(bytes), 'A cape is a PNG file of 64×32 pixels.');
}

/** What a command does with each of several sources. */
interface EachSource {
  /** Folder that gets one PNG file per source; undefined: none is written. */
  readonly folder: string | undefined;
  /** Draws one, into `file` if there is a folder. Returns its JSON output. */
  readonly draw: (source: BatchSource, file: string | undefined) => Promise<object>;
}

/** Draws every source; one that cannot be drawn does not stop the others. @throws CliError for a folder that is a file */
async function drawEach(
  spec: ReturnType<typeof specOf>,
  { folder, draw }: EachSource,
  context: CommandContext,
): Promise<number> {
  const { io, flags, messages, signal } = context;
  if (folder !== undefined) verifyFolder(folder);
  const names = new OutputNames();
  const list = flags.json ? new JsonList(io.out) : undefined;
  const tally = { all: 0, failed: 0 };
  const warn = (message: string) => void messages.warn(message);
  try {
    for await (const source of openSources(spec, { ...rootsOf(context), warn })) {
      signal.throwIfAborted();
      const file = folder === undefined ? undefined : join(folder, `${names.take(source.stem)}.png`);
      try {
        const view = await draw(source, file);
        list?.add(view, tally.all - tally.failed);
      } catch (error) {
        await printFailure(source.label, sourceReportOf(error, context), context);
        tally.failed++;
      }
      tally.all++;
    }
    list?.end();
  } finally {
    list?.endEarly();
  }
  const drawn = tally.all - tally.failed;
  if (folder !== undefined && !flags.json)
    messages.say(`Wrote ${count(drawn)} ${drawn === 1 ? 'picture' : 'pictures'} to ${clean(folder)}.`);
  return exitStatus(tally.failed > 0 ? 'failed' : 'done');
}

function verifyFolder(out: string): void {
  if (out !== '-' && extname(out).toLowerCase() !== '.png') return;
  throw usageError(
    'one_file_many_sources',
    `${out === '-' ? 'stdout' : clean(out)} takes one picture, but several sources are given.`,
    'Name a folder, such as --out pictures/.',
  );
}
