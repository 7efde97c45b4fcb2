import type { Picture } from '../picture.ts';
import { type Face, faceRects, PARTS, type Rect, type SkinPart, type Variant } from '../regions.ts';
import { Canvas, type Place, type Quad } from './canvas.ts';
import { shownSkin } from './flat.ts';

/** A point or a direction: x to the player's left, y up, z forward; skin pixels, the feet at y = 0. */
type Vector = readonly [x: number, y: number, z: number];

/** One face in space: the position of its texture's upper left corner, and its edges to the right and down. */
interface TexturedFace {
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
} as const satisfies Record<string, { parts: readonly [SkinPart, SkinPart]; y: number }>;

type Limb = keyof typeof LIMBS;

export const ALL_LIMBS = Object.keys(LIMBS) as Limb[];

/** The six faces of a limb's base and, if requested, of its overlay. */
function limbFaces(limb: Limb, variant: Variant, hasOverlay: boolean): TexturedFace[] {
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

function partFaces(part: SkinPart, variant: Variant, [x, y, z]: Vector): TexturedFace[] {
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

/** The viewing angles: rotated so that the player's right side shows, and from above. Degrees. */
interface Camera {
  readonly yaw: number;
  readonly pitch: number;
}

/** Parallel projection: x to the right, y down, z towards the viewer. Skin pixels. */
export type Project = (vector: Vector) => Vector;

function projectionOf({ yaw, pitch }: Camera): Project {
  const [sinYaw, cosYaw] = [Math.sin(radians(yaw)), Math.cos(radians(yaw))];
  const [sinPitch, cosPitch] = [Math.sin(radians(pitch)), Math.cos(radians(pitch))];
  return ([x, y, z]) => {
    const near = z * cosYaw - x * sinYaw;
    return [x * cosYaw + z * sinYaw, near * sinPitch - y * cosPitch, y * sinPitch + near * cosPitch];
  };
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** The bounds of a set of faces on the projection plane. */
export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function boundsOf(faces: readonly TexturedFace[], project: Project): Bounds {
  const points = faces.flatMap(cornersOf).map(project);
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

function cornersOf({ corner, across, down }: TexturedFace): Vector[] {
  const opposite = add(add(corner, across), down);
  return [corner, add(corner, across), add(corner, down), opposite];
}

function add([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector {
  return [ax + bx, ay + by, az + bz];
}

/** A view of the figure in space. */
export interface Scene {
  readonly camera: Camera;
  readonly limbs: readonly Limb[];
  /** Whether the figure fills the width and is cropped at the bottom; otherwise all of it fits in. */
  readonly isCut?: boolean;
}

/** The angles of an isometric view: all edges of a cube appear equally long. */
const ISOMETRIC: Camera = { yaw: 45, pitch: (Math.atan(Math.SQRT1_2) * 180) / Math.PI };
const THREE_QUARTER: Camera = { yaw: 30, pitch: 15 };

export const SCENES = {
  head: { camera: ISOMETRIC, limbs: ['head'] },
  bust: { camera: THREE_QUARTER, limbs: ['head', 'body', 'rightArm', 'leftArm'], isCut: true },
  body: { camera: THREE_QUARTER, limbs: ALL_LIMBS },
  isometric: { camera: ISOMETRIC, limbs: ALL_LIMBS },
} as const satisfies Record<string, Scene>;

interface SolidOptions {
  readonly variant: Variant;
  readonly width: number;
  readonly height: number;
  readonly overlay: boolean;
}

/**
 * The figure in space, in parallel projection, each pixel in a colour of the skin: no light, no smoothing. The
 * frame is the same for every skin (classic arms, overlays), so that pictures side by side match.
 */
export function drawSolid(picture: Picture, scene: Scene, options: SolidOptions): Picture {
  const { variant, width, height, overlay } = options;
  const project = projectionOf(scene.camera);
  const frame = boundsOf(facesOf(scene, 'classic', true), project);
  const place = placing(frame, { width, height }, scene.isCut ?? false);
  const canvas = new Canvas(shownSkin(picture), width, height);
  const faces = facesOf(scene, variant, overlay).map((face) => ({
    face,
    quad: place(projectFace(face, project)),
    isSeen: project(face.normal)[2] > 0,
  }));
  for (const { face, quad, isSeen } of faces) {
    if (face.layer === 'base' && isSeen) canvas.drawOpaque(quad);
  }
  // Overlays have holes, through which their inner sides are visible.
  const overlays = faces.filter(({ face }) => face.layer === 'overlay').map(({ quad }) => quad);
  for (const quad of overlays.sort((a, b) => middleZ(a) - middleZ(b))) canvas.blend(quad);
  return canvas.picture;
}

function facesOf({ limbs }: Scene, variant: Variant, overlay: boolean): TexturedFace[] {
  return limbs.flatMap((limb) => limbFaces(limb, variant, overlay));
}

function middleZ({ corner, across, down }: Quad): number {
  return corner.z + (across.z + down.z) / 2;
}

function projectFace({ texture, corner, across, down }: TexturedFace, project: Project): Quad {
  const place = (vector: Vector): Place => {
    const [x, y, z] = project(vector);
    return { x, y, z };
  };
  return { texture, corner: place(corner), across: place(across), down: place(down) };
}

/** Transforms quads from the projection plane to the canvas. */
function placing(
  frame: Bounds,
  size: { readonly width: number; readonly height: number },
  isCut: boolean,
): (quad: Quad) => Quad {
  const scale = isCut
    ? size.width / frame.width
    : Math.min(size.width / frame.width, size.height / frame.height);
  const left = (size.width - frame.width * scale) / 2;
  const top = isCut ? 0 : (size.height - frame.height * scale) / 2;
  const enlarge = ({ x, y, z }: Place) => ({ x: x * scale, y: y * scale, z: z * scale });
  return ({ texture, corner, across, down }) => {
    const { x, y, z } = enlarge({ ...corner, x: corner.x - frame.left, y: corner.y - frame.top });
    return {
      texture,
      corner: { x: x + left, y: y + top, z },
      across: enlarge(across),
      down: enlarge(down),
    };
  };
}
