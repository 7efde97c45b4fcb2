import { stripVTControlCharacters } from 'node:util';
import { type Command, Option } from 'commander';
import type { Picture } from '../../skin/picture.ts';
import { encodePng } from '../../skin/png/encode.ts';
import { enlarge } from '../../skin/regions.ts';
import type { OutputStream } from '../terminal/io.ts';

/** How to draw images on a terminal. `blocks`: coloured half blocks, which every terminal with colours supports. */
type PictureStyle = 'blocks' | 'kitty' | 'iterm';

const PICTURE_CHOICES = ['auto', 'blocks', 'kitty', 'iterm', 'none'] as const;
type PictureChoice = (typeof PICTURE_CHOICES)[number];

/**
 * The style to draw in; undefined: no image. `auto` draws on a terminal with colours, in the style that the terminal
 * announces, or else in blocks, which need at least 256 colours.
 */
export function pictureStyle(
  choice: PictureChoice,
  stream: Pick<OutputStream, 'isTTY' | 'hasColor' | 'colorDepth'>,
  env: NodeJS.ProcessEnv,
): PictureStyle | undefined {
  if (choice === 'none') return undefined;
  if (choice !== 'auto') return choice;
  if (!stream.isTTY || !stream.hasColor) return undefined;
  return nativeStyle(env) ?? (stream.colorDepth < 8 ? undefined : 'blocks');
}

/** Detects support from the terminal's own variables. tmux and screen only pass images on when configured to. */
function nativeStyle(env: NodeJS.ProcessEnv): 'kitty' | 'iterm' | undefined {
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL = '' } = env;
  if (env['TMUX'] || env['STY'] || /^(?:screen|tmux)/.test(TERM)) return undefined;
  if (env['KITTY_WINDOW_ID'] || /^xterm-(?:kitty|ghostty)$/.test(TERM) || TERM_PROGRAM === 'ghostty')
    return 'kitty';
  if (/^(?:iTerm\.app|WezTerm|mintty)$/.test(TERM_PROGRAM) || LC_TERMINAL === 'iTerm2') return 'iterm';
  return undefined;
}

const RESET = '\x1b[0m';
const UPPER = '▀';
const LOWER = '▄';

type Colour = readonly [red: number, green: number, blue: number];

/**
 * Renders an image as lines of text, with two pixels in each character, one above the other. There is no blending: a
 * pixel that is less than half opaque is transparent. `depth`: bits per colour, 24 or 8.
 */
export function halfBlocks(picture: Picture, depth: number): string[] {
  const paint = depth >= 24 ? trueColour : indexedColour;
  const rows = Array.from({ length: Math.ceil(picture.height / 2) }, (_, row) => row * 2);
  return rows.map((y) => {
    const cells = Array.from({ length: picture.width }, (_, x) =>
      cellOf(colourAt(picture, x, y), colourAt(picture, x, y + 1), paint),
    );
    return cells.join('') + RESET;
  });
}

type Paint = (colour: Colour) => string;

function cellOf(upper: Colour | undefined, lower: Colour | undefined, paint: Paint): string {
  if (upper && lower) return `\x1b[38;${paint(upper)};48;${paint(lower)}m${UPPER}`;
  if (upper) return `${RESET}\x1b[38;${paint(upper)}m${UPPER}`;
  if (lower) return `${RESET}\x1b[38;${paint(lower)}m${LOWER}`;
  return `${RESET} `;
}

function colourAt({ width, height, pixels }: Picture, x: number, y: number): Colour | undefined {
  const at = (y * width + x) * 4;
  if (y >= height || pixels[at + 3]! < 128) return undefined;
  return [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!];
}

function trueColour(colour: Colour): string {
  return `2;${colour.join(';')}`;
}

/** The levels of the colour cube that starts at index 16 of the 256-colour palette. */
const LEVELS = [0, 95, 135, 175, 215, 255] as const;

/** The nearest of the cube's 216 colours and the 24 greys. */
function indexedColour(colour: Colour): string {
  const cube = colour.map(nearestLevel) as [number, number, number];
  const inCube = cube.map((level) => LEVELS[level]!) as [number, number, number];
  const mean = (colour[0] + colour[1] + colour[2]) / 3;
  const grey = Math.max(0, Math.min(23, Math.round((mean - 8) / 10)));
  const shade = 8 + grey * 10;
  return distance(colour, [shade, shade, shade]) < distance(colour, inCube)
    ? `5;${232 + grey}`
    : `5;${16 + cube[0] * 36 + cube[1] * 6 + cube[2]}`;
}

function nearestLevel(value: number): number {
  const distances = LEVELS.map((level) => Math.abs(level - value));
  return distances.indexOf(Math.min(...distances));
}

function distance(a: Colour, b: Colour): number {
  return a.reduce((sum, value, channel) => sum + (value - b[channel]!) ** 2, 0);
}

/** Maximum number of base64 characters in one kitty escape sequence. */
const CHUNK = 4096;

export interface Cells {
  readonly columns: number;
  readonly rows: number;
}

/** A PNG in kitty's graphics protocol. The terminal's responses are suppressed. */
export function kittyImage(png: Uint8Array, { columns, rows }: Cells): string {
  const base64 = Buffer.from(png).toString('base64');
  const chunks = base64.match(new RegExp(`.{1,${CHUNK}}`, 'g')) ?? [];
  const sequences = chunks.map((chunk, index) => {
    const first = index === 0 ? `a=T,f=100,q=2,c=${columns},r=${rows},` : '';
    return `\x1b_G${first}m=${index < chunks.length - 1 ? 1 : 0};${chunk}\x1b\\`;
  });
  return sequences.join('');
}

/** A PNG in iTerm2's inline images protocol, which WezTerm and mintty also support. */
function itermImage(png: Uint8Array, { columns, rows }: Cells): string {
  const size = `size=${png.length};width=${columns};height=${rows};preserveAspectRatio=1`;
  return `\x1b]1337;File=inline=1;${size}:${Buffer.from(png).toString('base64')}\x07`;
}

/** Approximate size of a terminal cell in pixels, in one direction: the factor by which images are enlarged. */
const CELL = 8;
const GAP = 2;

/** Draws images for one terminal, at one image pixel per cell across and two per cell down. */
export interface TerminalPictures {
  readonly style: PictureStyle;
  /** Bits per colour: 24 or 8. */
  readonly depth: number;
  readonly columns: number;
}

/** An image without text beside it, followed by a line break. */
export function pictureText(picture: Picture, terminal: TerminalPictures): string {
  return terminal.style === 'blocks'
    ? `${halfBlocks(picture, terminal.depth).join('\n')}\n`
    : besideImage(picture, terminal.style, []);
}

/**
 * An image with lines of text to its right. Lines that do not fit there follow below it in full, so that their content
 * can be copied.
 */
export function besidePicture(
  picture: Picture,
  lines: readonly string[],
  terminal: TerminalPictures,
): string {
  const room = terminal.columns - picture.width - GAP;
  const fits = (line: string) => stripVTControlCharacters(line).length <= room;
  const beside = lines.filter(fits).slice(0, Math.ceil(picture.height / 2));
  const below = lines.filter((line) => !beside.includes(line));
  const top =
    terminal.style === 'blocks'
      ? besideBlocks(picture, beside, terminal)
      : besideImage(picture, terminal.style, beside);
  return top + below.map((line) => `${line}\n`).join('');
}

function besideBlocks(picture: Picture, lines: readonly string[], { depth }: TerminalPictures): string {
  const rows = halfBlocks(picture, depth).map((row, index) => {
    const line = lines[index];
    return line === undefined ? row : `${row}${' '.repeat(GAP)}${line}`;
  });
  return `${rows.join('\n')}\n`;
}

/** Reserves the rows first, so that the image does not scroll away from the text beside it. */
function besideImage(picture: Picture, style: 'kitty' | 'iterm', lines: readonly string[]): string {
  const cells: Cells = { columns: picture.width, rows: Math.ceil(picture.height / 2) };
  const png = encodePng(enlarge(picture, CELL));
  const image = style === 'kitty' ? kittyImage(png, cells) : itermImage(png, cells);
  const column = picture.width + GAP + 1;
  const text = lines.map((line) => `\x1b[${column}G${line}\n`).join('');
  const rest = '\n'.repeat(cells.rows - lines.length);
  return `${'\n'.repeat(cells.rows)}\x1b[${cells.rows}A\x1b7${image}\x1b8${text}${rest}`;
}

export interface TypedPictureOption {
  readonly picture?: PictureChoice;
}

export function addPictureOption(command: Command): Command {
  const text = 'how to draw the skin in a terminal';
  return command.addOption(
    new Option('--picture <style>', text).choices(PICTURE_CHOICES).default(undefined, 'auto'),
  );
}

/** How to draw images on a stream; undefined: not at all. */
export function terminalPictures(
  choice: PictureChoice | undefined,
  stream: OutputStream,
  env: NodeJS.ProcessEnv,
): TerminalPictures | undefined {
  const style = pictureStyle(choice ?? 'auto', stream, env);
  return style && { style, depth: stream.isTTY ? stream.colorDepth : 24, columns: stream.columns };
}
