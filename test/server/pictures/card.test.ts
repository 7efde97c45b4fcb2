import { describe, expect, test } from 'vitest';
import { type CardText, drawCard, drawLineup } from '../../../src/server/pictures/card.ts';
import { makePicture, type Picture } from '../../../src/skin/picture.ts';
import { drawSolid, ISOMETRIC_BACK, SCENES } from '../../../src/skin/render/solid.ts';
import { CARD, lineupSize, MAX_LINEUP } from '../../../src/skin/render/views.ts';
import { colourAt, drawFigure, fill } from '../../support/skin/drawing.ts';

const skin = drawFigure('slim');
const TEXT: CardText = { name: 'Knight', signer: 'server', service: 'skins.example.org' };

function draw(text: Partial<CardText> = {}): Picture {
  return drawCard({ skin, variant: 'slim' }, { ...TEXT, ...text });
}

/** Where the text has one of these colours, as bytes in memory are read. */
function boundsOf({ width, pixels }: Picture, colours: readonly number[], from: number, to: number) {
  const bounds = { left: width, right: -1, top: Number.POSITIVE_INFINITY, bottom: -1 };
  const words = new Uint32Array(pixels.buffer);
  for (let y = from; y < to; y++)
    for (let x = 620; x < width; x++) {
      if (!colours.includes(words[y * width + x]!)) continue;
      bounds.left = Math.min(bounds.left, x);
      bounds.right = Math.max(bounds.right, x);
      bounds.top = Math.min(bounds.top, y);
      bounds.bottom = y;
    }
  return bounds;
}

const INK = 0xff171b1f;
const QUIET = 0xff4e575f;
const GOOD = 0xff3a6b1b;
const NOWHERE = { left: 1200, right: -1, top: Number.POSITIVE_INFINITY, bottom: -1 };

describe('a card', () => {
  test('shows the figure from the front and from behind, and is opaque', () => {
    const card = draw();
    expect([card.width, card.height]).toEqual([1200, 630]);
    expect(card.pixels.every((byte, at) => at % 4 !== 3 || byte === 255)).toBe(true);
    const size = { variant: 'slim', width: 290, height: 550, overlay: true } as const;
    for (const [scene, left] of [[SCENES.isometric, 13] as const, [ISOMETRIC_BACK, 317] as const]) {
      const figure = drawSolid(skin, scene, size);
      for (let at = 0; at < 290 * 550; at += 7) {
        const [x, y] = [at % 290, Math.floor(at / 290)];
        const colour = colourAt(figure, x, y);
        if (colour[3] === 255) expect(colourAt(card, left + x, 40 + y)).toEqual(colour);
      }
    }
  });

  test('has a cape on the back', () => {
    const cape = fill(makePicture(64, 32), { x: 0, y: 0, width: 64, height: 32 }, [250, 0, 200, 255]);
    const card = drawCard({ skin, variant: 'slim', cape }, TEXT);
    expect(colourAt(card, 317 + 165, 40 + 300)).toEqual([250, 0, 200, 255]);
  });

  test('stays inside its margins, however long the texts are', () => {
    const wide = 'MW@'.repeat(16);
    for (const name of ['Al', 'Knight of the North', 'a_very_long.name-that goes on until 48 chars', wide]) {
      const card = draw({ name, service: wide });
      const texts = boundsOf(card, [INK, QUIET, GOOD], 0, CARD.height);
      expect([name, texts.left >= 670, texts.right < 1150, texts.top >= 60, texts.bottom < 570]).toEqual([
        name,
        true,
        true,
        true,
        true,
      ]);
      const signer = boundsOf(card, [QUIET], 0, CARD.height);
      expect(boundsOf(card, [INK], 0, signer.top).bottom).toBeLessThan(signer.top);
      expect(signer.bottom).toBeLessThan(500);
    }
  });

  test('says who signed: the game in green', () => {
    const game = draw({ signer: 'game' });
    expect([boundsOf(game, [GOOD], 0, 630).left, boundsOf(game, [QUIET], 0, 630)]).toEqual([670, NOWHERE]);
    const [server, other] = (['server', 'other'] as const).map((signer) => draw({ signer }));
    expect(Buffer.from(server!.pixels).equals(other!.pixels)).toBe(false);
  });

  test('leaves out what the font lacks', () => {
    const nameless = draw({ name: '日本語', service: 'skins 🐞' });
    expect(boundsOf(nameless, [INK], 0, 630)).toEqual(NOWHERE);
    expect(boundsOf(nameless, [QUIET], 0, 630).top).toBeLessThan(90);
  });

  test('is the same picture each time', () => {
    expect(Buffer.from(draw().pixels).equals(draw().pixels)).toBe(true);
  });
});

describe('a line-up', () => {
  test.each([
    [1, 184, 344],
    [5, 872, 344],
    [12, 1_200, 198],
    [13, 1_195, 664],
    [MAX_LINEUP, 1_200, 942],
  ])('of %i is %i × %i pixels', (count, width, height) => {
    expect(lineupSize(count)).toMatchObject({ width, height });
    const one = { skin, variant: 'slim' } as const;
    const picture = drawLineup(Array.from({ length: count }, () => one));
    expect([picture.width, picture.height]).toEqual([width, height]);
  });

  test('has each figure once, whole, on a transparent background, and a short row in the middle', () => {
    const one = { skin, variant: 'slim' } as const;
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
