import { resolve } from 'node:path';
import { Option } from 'commander';
import type { VariantInput } from '../../batch/model.ts';
import type { Picture } from '../../skin/picture.ts';
import { encodeSmallPng, markPng } from '../../skin/png/encode.ts';
import { decodeCape } from '../../skin/read-skin.ts';
import { drawFlat } from '../../skin/render/flat.ts';
import { drawView } from '../../skin/render/render.ts';
import { DEFAULT_SIZE, DEFAULT_VIEW, MAX_SIZE, MIN_SIZE, VIEWS, type View } from '../../skin/render/views.ts';
import { onlySource } from '../batch/call.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { type CliError, usageError } from '../errors/exit.ts';
import { wholeNumber } from '../options/option-values.ts';
import { OVERWRITE, variantOption } from '../options/skin-options.ts';
import { columnRows, type Fields, fieldColumns } from '../output/described.ts';
import { DRAWN_PICTURE, OutputGuard } from '../output/output-guard.ts';
import {
  addPictureOption,
  pictureText,
  type TypedPictureOption,
  terminalPictures,
} from '../output/terminal-picture.ts';
import { bytesOf, type FoundPicture, findPicture, frontAndBack, readable } from '../preview.ts';
import { clean, jsonDocument } from '../text/text.ts';

export interface PreviewOptions extends TypedPictureOption {
  readonly variant?: VariantInput;
  /** PNG file to write. */
  readonly out?: string;
  readonly overwrite?: boolean;
}

/** JSON output. */
interface PreviewView {
  readonly source: string;
  readonly variant: string;
  readonly width: number;
  readonly height: number;
  readonly file?: string;
}

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
    'skin data (a texture value, or JSON with one) as Minecraft shows it. With --out, writes front and back to a PNG file instead.',
  examples: [
    ['Show a skin in the terminal', 'skinsmith preview skin.png'],
    ["Save front and back of a player's skin as a picture", 'skinsmith preview Notch --out notch.png'],
  ],
  output: [{ columns: COLUMNS, json: { shape: 'object', fields: FIELDS } }],
  declare(command) {
    addPictureOption(
      command
        .argument('<source>', 'PNG file, URL, UUID, player name, skin data, or - for stdin')
        .addOption(variantOption().default(undefined, 'auto'))
        .option('--out <file>', 'write front and back to this PNG file')
        .option(...OVERWRITE),
    );
  },
  run: runPreview,
} satisfies CommandModule;

export async function runPreview(
  typed: string,
  options: PreviewOptions,
  context: CommandContext,
): Promise<void> {
  const { variant = 'auto', out } = options;
  const guard = new OutputGuard([typed], options);
  if (out !== undefined) guard.verify(out, DRAWN_PICTURE);
  const source = await onlySource(typed, context);
  const found = await findPicture(source, variant, context);
  if (out !== undefined) {
    guard.write(out, markPng(frontAndBack(found.picture, found.variant)), DRAWN_PICTURE);
    if (!context.flags.json) context.messages.say(`Wrote ${clean(out)}.`);
  }
  if (context.flags.json)
    context.io.out.write(jsonDocument({ ...previewView(found), ...(out && { file: out }) }));
  else if (out === undefined) show(found, options, context);
}

function previewView({ title, variant, picture: { width, height } }: FoundPicture): PreviewView {
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

export interface RenderCommandOptions {
  readonly view?: View;
  /** Height in pixels. */
  readonly size?: number;
  readonly overlay?: boolean;
  readonly variant?: VariantInput;
  /** PNG file of a cape. */
  readonly cape?: string;
  /** PNG file to write, or `-` for stdout. */
  readonly out: string;
  readonly overwrite?: boolean;
}

/** JSON output. */
interface RenderView {
  readonly source: string;
  readonly view: View;
  readonly variant: string;
  readonly width: number;
  readonly height: number;
  readonly file: string;
}

const RENDER_FIELDS: Fields<RenderView> = {
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
    'value, or JSON with one) on a transparent background, without smoothing. Whole figures are half as wide ' +
    'as they are tall; face, head and bust are square.',
  examples: [
    ['Draw a skin as Minecraft shows it', 'skinsmith render skin.png --out body.png'],
    ["Draw a player's head, 64 pixels high", 'skinsmith render jeb_ --view head --size 64 --out head.png'],
    [
      'Draw a skin with a cape from behind',
      'skinsmith render skin.png --view back --cape cape.png --out back.png',
    ],
  ],
  output: [{ json: { shape: 'object', fields: RENDER_FIELDS } }],
  declare(command) {
    command
      .argument('<source>', 'PNG file, URL, UUID, player name, skin data, or - for stdin')
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
      .requiredOption('--out <file>', 'PNG file to write, or - for stdout')
      .option(...OVERWRITE);
  },
  run: runRender,
} satisfies CommandModule;

export async function runRender(
  source: string,
  options: RenderCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { view = DEFAULT_VIEW, size = DEFAULT_SIZE, variant: wanted = 'auto', overlay, out } = options;
  verifyOutput(options, context);
  const inputs = [source, ...(options.cape === undefined ? [] : [options.cape])];
  const guard = new OutputGuard(inputs, options);
  if (out !== '-') guard.verify(out, DRAWN_PICTURE);
  const cape = options.cape === undefined ? undefined : capeIn(options.cape);
  const { title, picture, variant } = await findPicture(await onlySource(source, context), wanted, context);
  const drawn = drawView(picture, { view, size, variant, overlay, cape });
  const { width, height } = drawn;
  write(markPng(encodeSmallPng(drawn)), { out, guard }, context);
  const shown: RenderView = { source: title, view, variant, width, height, file: out };
  if (context.flags.json) context.io.out.write(jsonDocument(shown));
}

function verifyOutput({ view, cape, out }: RenderCommandOptions, { io, flags }: CommandContext): void {
  if (cape !== undefined && view !== 'back') {
    throw usageError('cape_not_shown', 'A cape is visible only from behind.', 'Add --view back.');
  }
  if (out !== '-') return;
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

function write(
  png: Uint8Array,
  { out, guard }: { readonly out: string; readonly guard: OutputGuard },
  { io, flags, messages }: CommandContext,
): void {
  if (out === '-') {
    io.out.write(png);
    return;
  }
  guard.write(out, png, DRAWN_PICTURE);
  if (!flags.json) messages.say(`Wrote ${clean(out)}.`);
}
