import { Option } from 'commander';
import type { VariantInput } from '../../batch/model.ts';
import { markPng } from '../../skin/png/encode.ts';
import { drawFlat } from '../../skin/render/flat.ts';
import { onlySource } from '../batch/call.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError, exitStatus } from '../errors/exit.ts';
import { DRAWN_PICTURE, OutputGuard } from '../options/output-guard.ts';
import { OVERWRITE } from '../options/skin-options.ts';
import { columnRows, type Fields, fieldColumns } from '../output/described.ts';
import {
  addPictureOption,
  pictureText,
  type TypedPictureOption,
  terminalPictures,
} from '../output/terminal-picture.ts';
import { type FoundPicture, findPicture, frontAndBack } from '../preview.ts';
import { clean } from '../text/text.ts';

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
    'skin data (a texture value, or JSON with one) as the game shows it. With --out, writes front and back to a PNG file instead.',
  examples: [
    ['Show a skin in the terminal', 'skinsmith preview skin.png'],
    ["Save front and back of a player's skin as a picture", 'skinsmith preview Notch --out notch.png'],
  ],
  output: [{ columns: COLUMNS, json: { shape: 'object', fields: FIELDS } }],
  declare(command) {
    addPictureOption(
      command
        .argument('<source>', 'PNG file, URL, UUID, player name, skin data, or - for stdin')
        .addOption(
          new Option('--variant <variant>', 'arm variant; auto detects it from the picture')
            .choices(['auto', 'classic', 'slim'])
            .default(undefined, 'auto'),
        )
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
): Promise<number> {
  const { variant = 'auto', out } = options;
  const guard = new OutputGuard([typed], options);
  if (out !== undefined) guard.verify(out, DRAWN_PICTURE);
  const source = await onlySource(typed, context);
  const found = await findPicture(source, variant, context);
  if (out !== undefined) {
    guard.write(out, markPng(frontAndBack(found.picture, found.variant)), DRAWN_PICTURE);
    if (!context.flags.json) context.messages.say(`Wrote ${clean(out)}.`);
  }
  if (context.flags.json) await writeJson(found, out, context);
  else if (out === undefined) show(found, options, context);
  return exitStatus('done');
}

async function writeJson(found: FoundPicture, file: string | undefined, context: CommandContext) {
  const { jsonDocument } = await import('../text/text.ts');
  context.io.out.write(jsonDocument({ ...previewView(found), ...(file && { file }) }));
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
  return new CliError(
    'no_pictures',
    'This terminal cannot show pictures: it has no colours, or they are turned off.',
    {
      exit: 'usage',
      hint: 'Write a file instead (--out skin-preview.png), or force it: --picture blocks',
    },
  );
}
