import type { Picture } from '../picture.ts';
import type { Variant } from '../regions.ts';
import { Canvas, type Place, type Quad } from './canvas.ts';
import { ALL_LIMBS, type Limb, limbFaces, type TexturedFace, type Vector } from './cuboids.ts';
import { type Bounds, boundsOf, type Camera, type Project, projectionOf } from './projection.ts';
import { shownSkin } from './shown-skin.ts';

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
