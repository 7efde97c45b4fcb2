import { describe, expect, test } from 'vitest';
import { drawCard, drawLineup, drawSetCard, onStage } from '../../../src/server/pictures/card.ts';
import { makePicture, type Picture } from '../../../src/skin/picture.ts';
import { drawSolid, ISOMETRIC_BACK, SCENES } from '../../../src/skin/render/solid.ts';
import { CARD, lineupSize, MAX_GROUP, MAX_LINEUP } from '../../../src/skin/render/views.ts';
import { sampled } from '../../support/setup/extent.ts';
import { colourAt, drawFigure, fill } from '../../support/skin/drawing.ts';

const skin = drawFigure('slim');
const one = { skin, variant: 'slim' } as const;
const STAGE = [0xec, 0xe6, 0xdd, 255];

function isOpaque({ pixels }: Picture): boolean {
  return pixels.every((byte, at) => at % 4 !== 3 || byte === 255);
}

/** Where pixels are neither transparent nor the background, as numbers of all pixels. */
function drawnIn({ pixels }: Picture): number[] {
  const words = new Uint32Array(pixels.buffer);
  const [stage] = new Uint32Array(new Uint8Array(STAGE).buffer);
  return Array.from(words.keys()).filter((at) => words[at] !== stage && pixels[at * 4 + 3]! > 0);
}

describe('a card', () => {
  test('shows the figure from the front and from behind, and is opaque', () => {
    const card = drawCard(one);
    expect([card.width, card.height, isOpaque(card)]).toEqual([1200, 630, true]);
    const size = { variant: 'slim', width: 290, height: 550, overlay: true } as const;
    for (const [scene, left] of [[SCENES.isometric, 280] as const, [ISOMETRIC_BACK, 630] as const]) {
      const figure = drawSolid(skin, scene, size);
      const drawn: number[][] = [];
      const wanted: number[][] = [];
      for (let at = 0; at < 290 * 550; at += 7) {
        const [x, y] = [at % 290, Math.floor(at / 290)];
        const colour = colourAt(figure, x, y);
        wanted.push(colour[3] === 0 ? STAGE : colour);
        drawn.push(colourAt(card, left + x, 40 + y));
      }
      expect(drawn).toEqual(wanted);
    }
  });

  test('blends transparent pixels with its background', () => {
    const glass = fill(makePicture(2, 2), { x: 0, y: 0, width: 1, height: 1 }, [0, 36, 221, 51]);
    const card = onStage(glass);
    expect(colourAt(card, 599, 314)).toEqual([189, 191, 221, 255]);
    expect(colourAt(card, 600, 315)).toEqual(STAGE);
  });

  test('has a cape on the back', () => {
    const cape = fill(makePicture(64, 32), { x: 0, y: 0, width: 64, height: 32 }, [250, 0, 200, 255]);
    const card = drawCard({ ...one, cape });
    expect(colourAt(card, 630 + 165, 40 + 300)).toEqual([250, 0, 200, 255]);
  });

  test('is the same picture each time', () => {
    expect(Buffer.from(drawCard(one).pixels).equals(drawCard(one).pixels)).toBe(true);
  });
});

describe('the card of a set', () => {
  test.each(sampled([1, 2, 5, 12, 13, MAX_GROUP], 2, 1))(
    'shows all of %i skins, as large as possible',
    (count) => {
      const card = drawSetCard(Array.from({ length: count }, () => one));
      expect([card.width, card.height, isOpaque(card)]).toEqual([CARD.width, CARD.height, true]);
      const { figure, perRow, width, height } = lineupSize(count, CARD.height);
      expect([width <= CARD.width, height <= CARD.height]).toEqual([true, true]);
      expect(width > CARD.width - 2 * perRow - 24 || height > CARD.height - 8).toBe(true);
      const lone = drawSolid(skin, SCENES.body, { ...one, width: figure, height: 2 * figure, overlay: true });
      const drawn = drawnIn(card);
      expect(drawn).toHaveLength(count * drawnIn(lone).length);
      const [above, below] = [drawn[0]!, CARD.width * CARD.height - 1 - drawn.at(-1)!];
      expect(Math.abs(above - below) / CARD.width).toBeLessThan(30);
    },
  );
});

describe('a line-up', () => {
  const sizes: readonly [number, number, number][] = [
    [1, 184, 344],
    [5, 872, 344],
    [12, 1_200, 198],
    [13, 1_195, 664],
    [MAX_LINEUP, 1_200, 942],
  ];
  test.each(sampled(sizes, 2))('of %i is %i × %i pixels', (count, width, height) => {
    expect(lineupSize(count)).toMatchObject({ width, height });
    const picture = drawLineup(Array.from({ length: count }, () => one));
    expect([picture.width, picture.height]).toEqual([width, height]);
  });

  test('has each figure once on a transparent background, with a short row centred', () => {
    const { figure, perRow } = lineupSize(13);
    const picture = drawLineup(Array.from({ length: 13 }, () => one));
    const lone = drawSolid(skin, SCENES.body, { ...one, width: figure, height: 2 * figure, overlay: true });
    const opaque = ({ pixels }: Picture) => pixels.filter((byte, at) => at % 4 === 3 && byte > 0).length;
    expect([perRow, opaque(picture)]).toEqual([7, 13 * opaque(lone)]);
    const below = Array.from({ length: picture.width }, (_, x) => x).filter(
      (x) => colourAt(picture, x, Math.round(figure * 3) + 24)[3]! > 0,
    );
    const space = [below[0]!, picture.width - 1 - below.at(-1)!];
    expect(Math.min(...space)).toBeGreaterThan(figure / 2);
  });
});
