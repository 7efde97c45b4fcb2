import { stripVTControlCharacters } from 'node:util';
import type { Picture } from '../../../skin/picture.ts';
import { encodePng } from '../../../skin/png/encode.ts';
import { enlarge } from '../../../skin/scaling.ts';
import { halfBlocks } from './half-blocks.ts';
import { type Cells, itermImage, kittyImage } from './inline-image.ts';
import type { PictureStyle } from './style.ts';

/** Approximate size of a terminal cell in pixels, in one direction: the factor by which images are enlarged. */
const CELL = 8;
const GAP = 2;

/** Draws images for one terminal, at one image pixel per cell across and two per cell down. */
export interface TerminalPictures {
  readonly style: PictureStyle;
  /** Bits per colour: 24 or 8. */
  readonly depth: number;
  /** Width of the terminal, in characters. */
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
