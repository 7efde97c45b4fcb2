import { copyInto, makePicture, type Picture } from '../../skin/picture.ts';
import type { Variant } from '../../skin/regions.ts';
import { drawSolid, ISOMETRIC_BACK, SCENES } from '../../skin/render/solid.ts';
import { CARD, LINEUP, lineupSize } from '../../skin/render/views.ts';

export interface CardSkin {
  readonly skin: Picture;
  readonly variant: Variant;
  readonly cape?: Picture | undefined;
}

/** Red, green and blue behind figures: as on the pages in their light scheme. */
const STAGE = [0xec, 0xe6, 0xdd] as const;
/** Pixels of one of the two figures on a skin's card, and between them. */
const FIGURE = { width: 290, height: 550, gap: 60 } as const;

/** The link-preview picture of a skin: the figure from the front and from behind. The page's title has the words. */
export function drawCard({ skin, ...look }: CardSkin): Picture {
  const { width, height, gap } = FIGURE;
  const both = makePicture(2 * width + gap, height);
  for (const [at, scene] of [SCENES.isometric, ISOMETRIC_BACK].entries())
    copyInto(both, drawSolid(skin, scene, { ...look, width, height, overlay: true }), at * (width + gap), 0);
  return onStage(both);
}

/** The picture that a link to a set of skins unfolds to: the first of them side by side. */
export function drawSetCard(figures: readonly CardSkin[]): Picture {
  return onStage(drawLineup(figures, CARD.height));
}

/** Figures side by side, on a transparent background. `height`: as high as these pixels allow. */
export function drawLineup(figures: readonly CardSkin[], height?: number): Picture {
  const size = lineupSize(figures.length, height);
  const { perRow, figure } = size;
  const picture = makePicture(size.width, size.height);
  for (const [at, { skin, ...look }] of figures.entries()) {
    const row = Math.floor(at / perRow);
    const missing = Math.max(0, (row + 1) * perRow - figures.length);
    const left = LINEUP.gap + ((at % perRow) + missing / 2) * (figure + LINEUP.gap);
    const top = LINEUP.gap + row * (2 * figure + LINEUP.gap);
    const box = { width: figure, height: 2 * figure, overlay: true };
    copyInto(picture, drawSolid(skin, SCENES.body, { ...look, ...box }), Math.floor(left), top);
  }
  return picture;
}

/** Figures in the middle of an opaque card. */
export function onStage(figures: Picture): Picture {
  const card = makePicture(CARD.width, CARD.height);
  const left = Math.floor((CARD.width - figures.width) / 2);
  copyInto(card, figures, left, Math.floor((CARD.height - figures.height) / 2));
  const { pixels } = card;
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3]!;
    if (alpha === 255) continue;
    for (let channel = 0; channel < 3; channel++) {
      const below = STAGE[channel]!;
      pixels[at + channel] = Math.round(below + ((pixels[at + channel]! - below) * alpha) / 255);
    }
    pixels[at + 3] = 255;
  }
  return card;
}
