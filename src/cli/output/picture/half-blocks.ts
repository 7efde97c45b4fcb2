import type { Picture } from '../../../skin/picture.ts';

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
