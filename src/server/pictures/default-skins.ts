import { makePicture, type Picture } from '../../skin/picture.ts';
import { encodePng } from '../../skin/png/encode.ts';
import { pixelHash } from '../../skin/read-skin.ts';
import { faceRects, listParts, pixelOffsets, type Rect, type Variant } from '../../skin/regions.ts';
import type { NamedTexture } from './renders.ts';

/** The two default skins for players without a skin of their own. */
export type DefaultName = 'steve' | 'alex';

export interface DefaultSkin {
  readonly texture: NamedTexture;
  readonly variant: Variant;
}

/** The default skin that the game shows for a player: Alex if the sum of every fourth byte of the UUID is odd. */
export function defaultNameOf(playerId: string): DefaultName {
  const odd = [7, 15, 23, 31].filter((at) => Number.parseInt(playerId[at] ?? '0', 16) % 2 === 1);
  return odd.length % 2 === 1 ? 'alex' : 'steve';
}

interface Look {
  readonly variant: Variant;
  readonly face: number;
  readonly hair: number;
  readonly shirt: number;
  readonly trousers: number;
  readonly shoes: number;
  readonly eyes: number;
}

/** The game's own pictures are protected by copyright, so ours only resemble them. */
const LOOKS = {
  steve: {
    variant: 'classic',
    face: 0xb58d77,
    hair: 0x3a2a1a,
    shirt: 0x1fa3a3,
    trousers: 0x3f3a8c,
    shoes: 0x5b5b5b,
    eyes: 0x4b3f8f,
  },
  alex: {
    variant: 'slim',
    face: 0xe8c3a3,
    hair: 0xd9803a,
    shirt: 0x7fae6b,
    trousers: 0x6b4a33,
    shoes: 0x4a4a4a,
    eyes: 0x3f6f4f,
  },
} as const satisfies Record<DefaultName, Look>;

/** Takes a moment, so keep the result. */
export function drawDefaultSkin(name: DefaultName): DefaultSkin {
  const picture = draw(LOOKS[name]);
  const texture = { hash: pixelHash(picture), png: encodePng(picture) };
  return { texture, variant: LOOKS[name].variant };
}

function draw({ variant, face, hair, shirt, trousers, shoes, eyes }: Look): Picture {
  const picture = makePicture(64, 64);
  const colours = {
    head: face,
    body: shirt,
    rightArm: face,
    leftArm: face,
    rightLeg: trousers,
    leftLeg: trousers,
  };
  for (const part of listParts('base')) {
    const colour = colours[part as keyof typeof colours];
    for (const rect of Object.values(faceRects(part, variant))) fill(picture, rect, colour);
  }
  const { top, front, ...sides } = faceRects('head', variant);
  fill(picture, top, hair);
  fill(picture, { ...front, height: 2 }, hair);
  for (const side of [sides.right, sides.left, sides.back]) fill(picture, { ...side, height: 4 }, hair);
  for (const x of [1, 5]) fill(picture, { x: front.x + x, y: front.y + 4, width: 2, height: 1 }, 0xffffff);
  for (const x of [2, 5]) fill(picture, { x: front.x + x, y: front.y + 4, width: 1, height: 1 }, eyes);
  fill(picture, { x: front.x + 3, y: front.y + 6, width: 2, height: 1 }, hair);
  for (const arm of ['rightArm', 'leftArm'] as const)
    paintSides(picture, faceRects(arm, variant), 0, 4, shirt);
  for (const leg of ['rightLeg', 'leftLeg'] as const)
    paintSides(picture, faceRects(leg, variant), 10, 2, shoes);
  return picture;
}

/** A band around a limb, `y` pixels below its upper end. */
function paintSides(
  picture: Picture,
  { right, front, left, back }: Record<'right' | 'front' | 'left' | 'back', Rect>,
  y: number,
  height: number,
  colour: number,
): void {
  for (const side of [right, front, left, back]) fill(picture, { ...side, y: side.y + y, height }, colour);
}

/** `colour`: 0xRRGGBB. */
function fill({ width, pixels }: Picture, rect: Rect, colour: number): void {
  for (const at of pixelOffsets(rect, width)) {
    pixels.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255], at);
  }
}
