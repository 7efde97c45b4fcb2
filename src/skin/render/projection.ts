import type { TexturedFace, Vector } from './cuboids.ts';

/** The viewing angles: rotated so that the player's right side shows, and from above. Degrees. */
export interface Camera {
  readonly yaw: number;
  readonly pitch: number;
}

/** Parallel projection: x to the right, y down, z towards the viewer. Skin pixels. */
export type Project = (vector: Vector) => Vector;

export function projectionOf({ yaw, pitch }: Camera): Project {
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
