import { makePicture, type Picture } from '../picture.ts';
import { type Face, faceRects, PARTS, type Rect, type SkinPart, type Variant } from '../regions.ts';
import { Canvas, type Quad, type Vector } from './canvas.ts';
import { shownSkin } from './flat.ts';

/** One face in space: skin pixels, x to the player's left, y up, z forward, the feet at y = 0. */
interface TexturedFace extends Quad {
  readonly layer: 'base' | 'overlay';
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

/** A cape's cuboid, without thickness beyond a skin pixel: it hangs from the shoulders, a little away from the back. */
const CAPE = { width: 10, height: 16, depth: 1, top: 24, slope: 0.1 } as const;

/** The faces of a cape. Its texture is below the skin's on the sheet, and its outer side is behind. */
function capeFaces(): TexturedFace[] {
  const { width, height, depth, top, slope } = CAPE;
  const rect = (x: number, y: number, w: number, h: number) => ({ x, y: SKIN_ROWS + y, width: w, height: h });
  const [left, right] = [-width / 2, width / 2];
  const [near, far] = [-2 - GAP, -2 - GAP - depth];
  const fall: Vector = [0, -height, -height * slope];
  const face = (texture: Rect, corner: Vector, across: Vector, down: Vector, normal: Vector) => ({
    layer: 'overlay' as const,
    texture,
    corner,
    across,
    down,
    normal,
  });
  return [
    face(rect(1, 1, 10, 16), [right, top, far], [-width, 0, 0], fall, [0, 0, -1]),
    face(rect(12, 1, 10, 16), [left, top, near], [width, 0, 0], fall, [0, 0, 1]),
    face(rect(11, 1, 1, 16), [left, top, far], [0, 0, depth], fall, [-1, 0, 0]),
    face(rect(0, 1, 1, 16), [right, top, near], [0, 0, -depth], fall, [1, 0, 0]),
    face(rect(1, 0, 10, 1), [left, top, far], [width, 0, 0], [0, 0, depth], [0, 1, 0]),
  ];
}

/** The height of a skin's texture, and of the part with the head. */
const SKIN_ROWS = 64;
const HEAD_ROWS = 16;

/** The textures of skin and cape on one sheet, the cape's below. */
function sheetOf(picture: Picture, cape: Picture | undefined): Picture {
  const skin = shownSkin(picture);
  if (!cape) return skin;
  const sheet = makePicture(skin.width, skin.height + cape.height);
  sheet.pixels.set(skin.pixels);
  sheet.pixels.set(cape.pixels, skin.pixels.length);
  return sheet;
}

/** The viewing angles: rotated so that the player's right side shows, and from above. Degrees. */
interface Camera {
  readonly yaw: number;
  readonly pitch: number;
}

/** Parallel projection: x to the right, y down, z towards the viewer. Skin pixels. */
type Project = (vector: Vector) => Vector;

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
interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

function boundsOf(faces: readonly TexturedFace[], project: Project): Bounds {
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

export const ISOMETRIC_BACK: Scene = { camera: { ...ISOMETRIC, yaw: ISOMETRIC.yaw + 180 }, limbs: ALL_LIMBS };

interface SolidOptions {
  readonly variant: Variant;
  readonly width: number;
  readonly height: number;
  readonly overlay: boolean;
  /** A cape's texture, 64×32. */
  readonly cape?: Picture | undefined;
}

/**
 * The figure in space, in parallel projection, each pixel in a colour of the skin: no light, no smoothing. The
 * frame is the same for every skin (classic arms, overlays), so that pictures side by side match.
 */
export function drawSolid(picture: Picture, scene: Scene, options: SolidOptions): Picture {
  const { variant, width, height, overlay, cape } = options;
  const project = projectionOf(scene.camera);
  const place = placing(frameOf(scene), { width, height }, scene.isCut ?? false);
  const canvas = new Canvas(sheetOf(picture, cape), width, height);
  const all = [...facesOf(scene, variant, overlay), ...(cape ? capeFaces() : [])];
  const faces = all.map((face) => ({
    face,
    quad: place(projectFace(face, project)),
    isSeen: project(face.normal)[2] > 0,
  }));
  for (const { face, quad, isSeen } of faces) {
    if (face.layer === 'base' && isSeen) canvas.drawOpaque(quad);
  }
  // Overlays have holes, through which their inner sides are visible.
  const overlays = faces.filter(({ face }) => face.layer === 'overlay');
  overlays.sort((a, b) => middleZ(a.quad) - middleZ(b.quad));
  const isFromBehind = project([0, 0, -1])[2] > 0;
  if (cape) overlays.sort((a, b) => rankByCape(a.face, isFromBehind) - rankByCape(b.face, isFromBehind));
  for (const { quad } of overlays) canvas.blend(quad);
  return canvas.picture;
}

function frameOf(scene: Scene): Bounds {
  return boundsOf(facesOf(scene, 'classic', true), projectionOf(scene.camera));
}

function facesOf({ limbs }: Scene, variant: Variant, overlay: boolean): TexturedFace[] {
  return limbs.flatMap((limb) => limbFaces(limb, variant, overlay));
}

/** A cape is behind all other overlays but the hat, which is above it and wider than the body. */
function rankByCape({ texture }: TexturedFace, isFromBehind: boolean): number {
  if (texture.y >= SKIN_ROWS) return isFromBehind ? 1 : -1;
  return texture.y < HEAD_ROWS ? 2 : 0;
}

function middleZ({ corner, across, down }: Quad): number {
  return corner[2] + (across[2] + down[2]) / 2;
}

function projectFace({ texture, corner, across, down }: TexturedFace, project: Project): Quad {
  return { texture, corner: project(corner), across: project(across), down: project(down) };
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
  const enlarge = ([x, y, z]: Vector): Vector => [x * scale, y * scale, z * scale];
  return ({ texture, corner: [cornerX, cornerY, cornerZ], across, down }) => {
    const [x, y, z] = enlarge([cornerX - frame.left, cornerY - frame.top, cornerZ]);
    return { texture, corner: [x + left, y + top, z], across: enlarge(across), down: enlarge(down) };
  };
}
