import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makePicture, type Picture } from '../../src/skin/picture.ts';
import { decodePng } from '../../src/skin/png/decode.ts';
import { faceRects, UNUSED_IN_SLIM, type Variant } from '../../src/skin/regions.ts';
import { chooseVariant, type DetectedVariant, detectVariant } from '../../src/skin/variant.ts';
import { type Colour, drawFigure, fill, fillPart, fillUnused } from '../support/skin/drawing.ts';

const black: Colour = [0, 0, 0, 255];
const white: Colour = [255, 255, 255, 255];
const grey: Colour = [120, 120, 120, 255];
const clear: Colour = [0, 0, 0, 0];
const shirt: Colour = [30, 60, 200, 255];

function pixelAt(x: number, y: number) {
  return { x, y, width: 1, height: 1 };
}

function plainArms(variant: Variant, colour: Colour): Picture {
  const picture = drawFigure(variant);
  return fillPart(fillPart(picture, 'rightArm', variant, colour), 'leftArm', variant, colour);
}

function fixture(name: string): Picture {
  return decodePng(readFileSync(new URL(`../fixtures/skins/${name}.png`, import.meta.url)));
}

function halfClear(): Picture {
  return fill(fill(drawFigure('classic'), UNUSED_IN_SLIM[0]!, clear), UNUSED_IN_SLIM[1]!, clear);
}

function seeThrough(): Picture {
  const picture = drawFigure('classic');
  return { ...picture, pixels: picture.pixels.map((value, at) => (at % 4 === 3 && value > 0 ? 100 : value)) };
}

function oneArmed(): Picture {
  const picture = fillPart(drawFigure('classic'), 'leftArm', 'classic', clear);
  return picture;
}

function drawn(pixel: number): Colour {
  return [pixel * 9, 80, 80, 255];
}

/** The unused columns in one colour, of which the columns beside them have half. */
function striped(): Picture {
  const picture = fillUnused(drawFigure('classic'), shirt);
  for (const rect of UNUSED_IN_SLIM) fill(picture, { ...rect, x: rect.x - 1, width: 1 }, shirt);
  return picture;
}

type Row = [what: string, picture: Picture, variant: Variant, confidence: DetectedVariant['confidence']];

const rows: Row[] = [
  ['a drawn classic figure', drawFigure('classic'), 'classic', 'certain'],
  ['a drawn slim figure', drawFigure('slim'), 'slim', 'certain'],
  ['a 64×32 file', drawFigure('classic', 32), 'classic', 'certain'],
  ['an empty 64×32 file', makePicture(64, 32), 'classic', 'certain'],
  ['a fully transparent picture', makePicture(64, 64), 'classic', 'guess'],
  ['only a head', fillPart(makePicture(64, 64), 'head', 'classic', shirt), 'classic', 'guess'],
  ['a slim figure filled black', fillUnused(drawFigure('slim'), black), 'slim', 'likely'],
  ['a slim figure filled white', fillUnused(drawFigure('slim'), white), 'slim', 'likely'],
  ['a slim figure filled grey', fillUnused(drawFigure('slim'), grey), 'slim', 'likely'],
  [
    'a slim figure filled with half-clear pink',
    fillUnused(drawFigure('slim'), [255, 0, 255, 90]),
    'slim',
    'likely',
  ],
  [
    'a classic figure with one clear pixel',
    fill(drawFigure('classic'), pixelAt(54, 20), clear),
    'classic',
    'certain',
  ],
  ['a slim figure with one stray pixel', fill(drawFigure('slim'), pixelAt(54, 20), shirt), 'slim', 'certain'],
  [
    'a black slim figure with one stray pixel',
    fill(fillUnused(drawFigure('slim'), black), pixelAt(54, 20), shirt),
    'slim',
    'likely',
  ],
  ['a see-through classic figure', seeThrough(), 'classic', 'certain'],
  ['a classic figure with plain sleeves', plainArms('classic', shirt), 'classic', 'likely'],
  ['a slim figure with plain sleeves', plainArms('slim', shirt), 'slim', 'certain'],
  ['a classic figure in plain black', plainArms('classic', black), 'classic', 'guess'],
  [
    'a slim figure with black arms and filled white',
    fillUnused(plainArms('slim', black), white),
    'slim',
    'likely',
  ],
  ['a classic figure without a left arm', oneArmed(), 'classic', 'likely'],
  ['one arm of each variant', halfClear(), 'classic', 'guess'],
  ['a classic figure with sleeves striped lengthwise', striped(), 'classic', 'certain'],
  [
    'a slim figure with one back drawn on',
    fill(drawFigure('slim'), UNUSED_IN_SLIM[1]!, drawn),
    'slim',
    'guess',
  ],
  [
    'a slim figure with one palm drawn on',
    fill(drawFigure('slim'), UNUSED_IN_SLIM[0]!, drawn),
    'slim',
    'likely',
  ],
  ['my-skin.png', fixture('my-skin'), 'classic', 'likely'],
  ['haka.png', fixture('haka'), 'classic', 'likely'],
  ['hacksore.png', fixture('hacksore'), 'classic', 'certain'],
];

describe('detectVariant', () => {
  test.each(rows)('of %s.', (_what, picture, variant, confidence) => {
    expect(detectVariant(picture)).toMatchObject({ variant, confidence });
  });

  test('says slim skins filled with one colour are filled, and others empty.', () => {
    expect(detectVariant(fillUnused(drawFigure('slim'), black)).reason).toContain('filled with one colour');
    expect(detectVariant(drawFigure('slim')).reason).toContain('empty');
  });

  test('looks at no pixel outside of the arms.', () => {
    const picture = drawFigure('slim');
    for (const part of ['rightSleeve', 'leftSleeve', 'hat', 'jacket'] as const)
      fillPart(picture, part, 'classic', black);
    fill(picture, faceRects('head', 'slim').front, clear);
    expect(detectVariant(picture)).toEqual(detectVariant(drawFigure('slim')));
  });
});

describe('chooseVariant', () => {
  test.each([undefined, 'unknown', 'auto'] as const)(
    'takes the detected variant when %s is wanted.',
    (wanted) => {
      expect(chooseVariant(drawFigure('slim'), wanted)).toMatchObject({ variant: 'slim' });
      expect(chooseVariant(drawFigure('slim'), wanted)).not.toHaveProperty('warning');
    },
  );

  test('uses an explicit variant, with a warning if the picture contradicts it.', () => {
    const chosen = chooseVariant(drawFigure('slim'), 'classic');
    expect(chosen).toMatchObject({ variant: 'classic', detected: { variant: 'slim' } });
    expect(chosen.warning).toMatch(/^The skin is used as classic, but it looks slim: .*\.$/);
  });

  test('does not warn when the picture agrees, or when it could only guess.', () => {
    expect(chooseVariant(drawFigure('slim'), 'slim')).not.toHaveProperty('warning');
    expect(chooseVariant(makePicture(64, 64), 'slim')).toMatchObject({ variant: 'slim' });
    expect(chooseVariant(makePicture(64, 64), 'slim')).not.toHaveProperty('warning');
  });
});
