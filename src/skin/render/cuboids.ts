import { type Face, faceRects, PARTS, type Part, type Rect, type Variant } from '../regions.ts';

/** A point or a direction: x to the player's left, y up, z forward; skin pixels, the feet at y = 0. */
export type Vector = readonly [x: number, y: number, z: number];

/** One face in space: the position of its texture's upper left corner, and its edges to the right and down. */
export interface TexturedFace {
  readonly layer: 'base' | 'overlay';
  readonly texture: Rect;
  readonly corner: Vector;
  readonly across: Vector;
  readonly down: Vector;
  /** The outward normal. */
  readonly normal: Vector;
}

/** How far an overlay extends beyond its base on each side, in skin pixels: as in the game and skinview3d. */
const HAT_GAP = 0.5;
const GAP = 0.25;

/** The parts of each limb, and the height of its middle. */
const LIMBS = {
  head: { parts: ['head', 'hat'], y: 28 },
  body: { parts: ['body', 'jacket'], y: 18 },
  rightArm: { parts: ['rightArm', 'rightSleeve'], y: 18 },
  leftArm: { parts: ['leftArm', 'leftSleeve'], y: 18 },
  rightLeg: { parts: ['rightLeg', 'rightPants'], y: 6 },
  leftLeg: { parts: ['leftLeg', 'leftPants'], y: 6 },
} as const satisfies Record<string, { parts: readonly [Part, Part]; y: number }>;

export type Limb = keyof typeof LIMBS;

export const ALL_LIMBS = Object.keys(LIMBS) as Limb[];

/** The six faces of a limb's base and, if requested, of its overlay. */
export function limbFaces(limb: Limb, variant: Variant, hasOverlay: boolean): TexturedFace[] {
  const { parts, y } = LIMBS[limb];
  const wanted = hasOverlay ? parts : [parts[0]];
  return wanted.flatMap((part) => partFaces(part, variant, [middleOf(limb, variant), y, 0]));
}

/** How far to the player's left a limb's middle is. */
function middleOf(limb: Limb, variant: Variant): number {
  const arm = 4 + faceRects('rightArm', variant).front.width / 2;
  const middles = { head: 0, body: 0, rightArm: -arm, leftArm: arm, rightLeg: -2, leftLeg: 2 };
  return middles[limb];
}

function partFaces(part: Part, variant: Variant, [x, y, z]: Vector): TexturedFace[] {
  const { layer } = PARTS[part];
  const gap = layer === 'base' ? 0 : part === 'hat' ? HAT_GAP : GAP;
  const rects = faceRects(part, variant);
  const w = rects.front.width / 2 + gap;
  const h = rects.front.height / 2 + gap;
  const d = rects.top.height / 2 + gap;
  const face = (name: Face, [cx, cy, cz]: Vector, across: Vector, down: Vector, normal: Vector) => ({
    layer,
    texture: rects[name],
    corner: [x + cx, y + cy, z + cz] as const,
    across,
    down,
    normal,
  });
  return [
    face('front', [-w, h, d], [2 * w, 0, 0], [0, -2 * h, 0], [0, 0, 1]),
    face('back', [w, h, -d], [-2 * w, 0, 0], [0, -2 * h, 0], [0, 0, -1]),
    face('right', [-w, h, -d], [0, 0, 2 * d], [0, -2 * h, 0], [-1, 0, 0]),
    face('left', [w, h, d], [0, 0, -2 * d], [0, -2 * h, 0], [1, 0, 0]),
    face('top', [-w, h, -d], [2 * w, 0, 0], [0, 0, 2 * d], [0, 1, 0]),
    // Seen through the cuboid from above, as the game unfolds it.
    face('bottom', [-w, -h, -d], [2 * w, 0, 0], [0, 0, 2 * d], [0, -1, 0]),
  ];
}
