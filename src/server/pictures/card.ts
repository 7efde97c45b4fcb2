import { copyInto, makePicture, type Picture } from '../../skin/picture.ts';
import { enlarge, type Variant } from '../../skin/regions.ts';
import { drawSolid, ISOMETRIC_BACK, SCENES, type Scene } from '../../skin/render/solid.ts';
import { CARD, LINEUP, lineupSize, MAX_GROUP, MAX_ROW } from '../../skin/render/views.ts';
import { LINE_ROWS, PixelFont } from './pixel-font.ts';

/** The texts of a card. */
export interface CardText {
  /** The skin's name; null: none. */
  readonly name: string | null;
  readonly signer: 'game' | 'server' | 'earlier' | 'other';
  /** The name of the service. */
  readonly service: string;
}

export interface CardSkin {
  readonly skin: Picture;
  readonly variant: Variant;
  readonly cape?: Picture | undefined;
}

/** Red, green and blue: the colours of the pages in their light scheme. */
const PAPER = 0xfaf8f5;
const STAGE = 0xece6dd;
const INK = 0x1f1b17;
const QUIET = 0x5f574e;
const GOOD = 0x1b6b3a;
const ACCENT = 0xc2622e;

const SIGNERS: Readonly<Record<CardText['signer'], readonly [text: string, colour: number]>> = {
  game: ['Signed by Mojang', GOOD],
  server: ["Signed with this server's key", QUIET],
  earlier: ['Signed with an earlier key here', QUIET],
  other: ['Signed by another service', QUIET],
};

/** Where the figures stand, and where the text is. */
const STAGE_WIDTH = 620;
const FIGURE = { width: 290, height: 550, top: 40 } as const;
const TEXT = { left: 670, width: 480 } as const;
const MARGIN = 60;
/** Pixels per unit of the font. */
const SMALL = 3;
const NAME_SCALES = [9, 8, 7, 6, 5, 4] as const;
const MAX_LINES = 4;

/** The mark of the pages, a face: `#` is its frame, `+` its skin, and the rest its features. */
const MARK = ['########', '########', '########', '#++++++#', '#+.++.+#', '#++++++#', '#++..++#', '########'];
const MARK_COLOURS: Readonly<Record<string, number>> = { '#': ACCENT, '+': 0xf3c9a8, '.': 0x2a1a10 };

/**
 * The link-preview picture of a skin: the figure from both sides, its name, who signed it, and where it is. A
 * text with characters that the font lacks is left out.
 */
export function drawCard({ skin, variant, cape }: CardSkin, text: CardText): Picture {
  const card = new Card(PAPER);
  card.fill({ x: 0, y: 0, width: STAGE_WIDTH, height: CARD.height }, STAGE);
  const size = { variant, width: FIGURE.width, height: FIGURE.height, overlay: true, cape };
  const gap = (STAGE_WIDTH - 2 * FIGURE.width) / 3;
  const figure = (scene: Scene, x: number) =>
    card.place(drawSolid(skin, scene, size), Math.round(x), FIGURE.top);
  figure(SCENES.isometric, gap);
  figure(ISOMETRIC_BACK, 2 * gap + FIGURE.width);
  writeTexts(card, text);
  return card.picture;
}

/** The card of the start page. `group`: figures side by side, as wide as a card. */
export function drawGroupCard(group: Picture, text: string): Picture {
  const card = new Card(STAGE);
  const font = new PixelFont();
  card.place(group, Math.floor((CARD.width - group.width) / 2), 10);
  card.place(drawMark(8), MARGIN, CARD.height - MARGIN - 64);
  card.write(font.draw(text), { x: MARGIN + 88, y: CARD.height - MARGIN - 64, scale: 5 }, INK);
  return card.picture;
}

/** Where the figures of a group stand: the text is below. */
const GROUP_STAGE = { height: 450, side: 40, widest: 190 } as const;

/** The texts of a group's card. */
export interface GroupText {
  readonly name: string;
  /** The name of the service. */
  readonly service: string;
  /** Skins in the group, also those that are not drawn. */
  readonly count: number;
}

/** The picture that a link to a set of skins unfolds to: the first of them side by side. */
export function drawSetCard(figures: readonly CardSkin[], { name, service, count }: GroupText): Picture {
  const card = new Card(PAPER);
  card.fill({ x: 0, y: 0, width: CARD.width, height: GROUP_STAGE.height }, STAGE);
  const shown = figures.slice(0, MAX_GROUP);
  const rows = Math.max(1, Math.ceil(shown.length / MAX_ROW));
  const perRow = Math.ceil(shown.length / rows);
  for (let row = 0; row < rows; row++)
    placeRow(card, shown.slice(row * perRow, (row + 1) * perRow), { row, rows });
  const font = new PixelFont();
  const fits = fitName(font, name);
  const scale = Math.min(fits.scale, 6);
  const [line = ''] = wrap(font, fits.lines.join(' '), (CARD.width - 2 * MARGIN) / scale);
  card.write(font.draw(line), { x: MARGIN, y: GROUP_STAGE.height + 24, scale }, INK);
  const below = CARD.height - 78;
  const skins = `${count} ${count === 1 ? 'skin' : 'skins'}`;
  card.write(font.draw(skins), { x: MARGIN, y: below + 6, scale: SMALL }, QUIET);
  card.place(drawMark(5), TEXT.left, below);
  const place = { x: TEXT.left + 56, y: below + 6, scale: SMALL };
  card.write(font.draw(shortened(font, service, TEXT.width - 56)), place, INK);
  return card.picture;
}

function placeRow(
  card: Card,
  figures: readonly CardSkin[],
  { row, rows }: { readonly row: number; readonly rows: number },
): void {
  const { height: stage, side, widest } = GROUP_STAGE;
  const tallest = (stage - 2 * MARGIN) / rows;
  const step = Math.min(widest, (CARD.width - 2 * side) / figures.length, tallest / 2 + side);
  const width = Math.floor(Math.min(step, tallest / 2));
  const size = { width, height: 2 * width, overlay: true };
  const left = (CARD.width - step * figures.length) / 2 + (step - width) / 2;
  const top = (stage - rows * tallest) / 2 + row * tallest + (tallest - 2 * width) / 2;
  for (const [at, { skin, ...look }] of figures.entries())
    card.place(
      drawSolid(skin, SCENES.body, { ...size, ...look }),
      Math.round(left + at * step),
      Math.round(top),
    );
}

/** Figures side by side, on a transparent background. */
export function drawLineup(figures: readonly CardSkin[]): Picture {
  const { perRow, figure, width, height } = lineupSize(figures.length);
  const picture = makePicture(width, height);
  for (const [at, { skin, ...look }] of figures.entries()) {
    const row = Math.floor(at / perRow);
    const missing = Math.max(0, (row + 1) * perRow - figures.length);
    const left = LINEUP.gap + ((at % perRow) + missing / 2) * (figure + LINEUP.gap);
    const top = LINEUP.gap + row * (2 * figure + LINEUP.gap);
    const size = { width: figure, height: 2 * figure, overlay: true };
    copyInto(picture, drawSolid(skin, SCENES.body, { ...look, ...size }), Math.floor(left), top);
  }
  return picture;
}

function writeTexts(card: Card, { name, signer, service }: CardText): void {
  const font = new PixelFont();
  const { lines, scale } = fitName(font, name ?? '');
  const step = (LINE_ROWS + 1) * scale;
  for (const [at, line] of lines.entries())
    card.write(font.draw(line), { x: TEXT.left, y: MARGIN + at * step, scale }, INK);
  const [words, colour] = SIGNERS[signer];
  const below = MARGIN + lines.length * step + (lines.length > 0 ? 10 : 0);
  card.write(font.draw(words), { x: TEXT.left, y: below, scale: SMALL }, colour);
  card.place(drawMark(6), TEXT.left, CARD.height - MARGIN - 8 * 6);
  const place = { x: TEXT.left + 66, y: CARD.height - MARGIN - 24 - (LINE_ROWS * SMALL) / 2, scale: SMALL };
  card.write(font.draw(shortened(font, service, TEXT.width - 66)), place, INK);
}

/** The largest text that fits, on several lines if need be. */
function fitName(font: PixelFont, text: string): { lines: readonly string[]; scale: number } {
  const smallest = NAME_SCALES[NAME_SCALES.length - 1] ?? 1;
  if (text.trim() === '' || !font.has(text)) return { lines: [], scale: smallest };
  for (const scale of NAME_SCALES) {
    const lines = wrap(font, text, TEXT.width / scale);
    if (lines.length <= (scale > 6 ? 2 : MAX_LINES)) return { lines, scale };
  }
  return { lines: wrap(font, text, TEXT.width / smallest).slice(0, MAX_LINES), scale: smallest };
}

/** Breaks after spaces, and after other signs between words; a word that is too long is cut. */
function wrap(font: PixelFont, text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of text.split(/(?<=[\s_.-])/).flatMap((word) => pieces(font, word, width))) {
    if (line !== '' && font.widthOf((line + part).trimEnd()) > width) {
      lines.push(line.trim());
      line = '';
    }
    line += part;
  }
  return [...lines, line.trim()].filter((one) => one !== '');
}

function pieces(font: PixelFont, word: string, width: number): string[] {
  const parts = [''];
  for (const letter of word) {
    const longer = `${parts.at(-1)}${letter}`;
    if (font.widthOf(longer.trimEnd()) > width) parts.push(letter);
    else parts[parts.length - 1] = longer;
  }
  return parts;
}

function shortened(font: PixelFont, text: string, width: number): string {
  if (font.widthOf(text) * SMALL <= width) return text;
  let cut = [...text];
  while (cut.length > 0 && font.widthOf(`${cut.join('')}…`) * SMALL > width) cut = cut.slice(0, -1);
  return `${cut.join('')}…`;
}

/** The mark of the service. `scale`: pixels for each of its eight. */
export function drawMark(scale: number): Picture {
  const mark = makePicture(8, 8);
  for (const [row, signs] of MARK.entries())
    for (const [column, sign] of [...signs].entries()) {
      const colour = MARK_COLOURS[sign] ?? ACCENT;
      const bytes = [colour >> 16, (colour >> 8) & 255, colour & 255, 255];
      mark.pixels.set(bytes, (row * 8 + column) * 4);
    }
  return enlarge(mark, scale);
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Place {
  readonly x: number;
  readonly y: number;
  /** Pixels per unit. */
  readonly scale: number;
}

/** An opaque picture of the size of a card. */
class Card {
  readonly picture = makePicture(CARD.width, CARD.height);
  readonly #words = new Uint32Array(this.picture.pixels.buffer);

  constructor(colour: number) {
    this.#words.fill(wordOf(colour));
  }

  fill({ x, y, width, height }: Box, colour: number): void {
    const word = wordOf(colour);
    for (let row = y; row < y + height; row++) {
      const start = row * CARD.width;
      this.#words.fill(word, start + x, start + x + width);
    }
  }

  /** Over what is there. */
  place(picture: Picture, left: number, top: number): void {
    const words = new Uint32Array(picture.pixels.buffer);
    for (let at = 0; at < words.length; at++) {
      const to = (top + Math.floor(at / picture.width)) * CARD.width + left + (at % picture.width);
      const alpha = picture.pixels[at * 4 + 3] ?? 0;
      if (alpha === 255) this.#words[to] = words[at] ?? 0;
      else if (alpha > 0) this.#mix(picture.pixels.subarray(at * 4, at * 4 + 4), to * 4);
    }
  }

  #mix([red = 0, green = 0, blue = 0, alpha = 0]: Uint8Array, to: number): void {
    for (const [channel, colour] of [red, green, blue].entries()) {
      const below = this.picture.pixels[to + channel] ?? 0;
      this.picture.pixels[to + channel] = Math.round(below + ((colour - below) * alpha) / 255);
    }
  }

  /** Fills what is opaque in a mask. */
  write({ width, pixels }: Picture, { x, y, scale }: Place, colour: number): void {
    for (let at = 0; at < pixels.length / 4; at++)
      if (pixels[at * 4 + 3] !== 0)
        this.#dot({ x: x + (at % width) * scale, y: y + Math.floor(at / width) * scale, scale }, colour);
  }

  #dot({ x, y, scale }: Place, colour: number): void {
    this.fill({ x, y, width: scale, height: scale }, colour);
  }
}

/** An opaque colour as four bytes in memory, as processors that Node supports order them. */
function wordOf(colour: number): number {
  return (0xff000000 | ((colour & 255) << 16) | (colour & 0xff00) | (colour >> 16)) >>> 0;
}
