import { makePicture, type Picture } from '../picture.ts';
import { pixelOffsets, type Rect } from '../regions.ts';

/** A position or an offset. On the canvas: pixels, x to the right, y down, z towards the viewer. */
export type Vector = readonly [x: number, y: number, z: number];

/** A textured parallelogram: the position of its texture's upper left corner, and its edges to the right and down. */
export interface Quad {
  readonly texture: Rect;
  readonly corner: Vector;
  readonly across: Vector;
  readonly down: Vector;
}

/** A value that changes by the same amount from pixel to pixel of a row. */
interface Ramp {
  readonly start: number;
  readonly step: number;
}

/** Prevents a seam from rounding between two faces that share an edge. */
const SEAM = 1e-6;

/** How the position in the texture (0 to 1), and the depth, change along a row of the canvas. */
interface Slopes {
  readonly u: Ramp;
  readonly v: Ramp;
  readonly z: Ramp;
}

/** Draws quads by nearest neighbour at pixel centres. Opaque ones hide what is behind them. */
export class Canvas {
  readonly picture: Picture;
  readonly #skin: Picture;
  readonly #skinWords: Uint32Array;
  readonly #opaqueWords: Uint32Array;
  readonly #words: Uint32Array;
  readonly #depth: Float32Array;

  constructor(skin: Picture, width: number, height: number) {
    this.#skin = skin;
    this.#skinWords = new Uint32Array(new Uint8Array(skin.pixels).buffer);
    this.#opaqueWords = new Uint32Array(withoutAlpha(skin.pixels).buffer);
    this.picture = makePicture(width, height);
    this.#words = new Uint32Array(this.picture.pixels.buffer);
    this.#depth = new Float32Array(width * height).fill(Number.NEGATIVE_INFINITY);
  }

  /** With every pixel opaque, in any order. */
  drawOpaque(quad: Quad): void {
    this.#draw(quad, (y, slopes) => this.#drawOpaqueRow(quad.texture, y, slopes));
  }

  /** Blends by the texture's alpha, after all opaque ones and from the farthest to the nearest. */
  blend(quad: Quad): void {
    if (this.#isEmpty(quad.texture)) return;
    this.#draw(quad, (y, slopes) => this.#blendRow(quad.texture, y, slopes));
  }

  #isEmpty(texture: Rect): boolean {
    for (const at of pixelOffsets(texture, this.#skin.width))
      if (this.#skin.pixels[at + 3] !== 0) return false;
    return true;
  }

  #draw(quad: Quad, drawRow: (y: number, slopes: Slopes) => void): void {
    const [cornerX, cornerY, cornerZ] = quad.corner;
    const [acrossX, acrossY, acrossZ] = quad.across;
    const [downX, downY, downZ] = quad.down;
    const area = acrossX * downY - acrossY * downX;
    if (area === 0) return;
    for (let y = Math.max(0, topOf(quad)); y < Math.min(this.picture.height, bottomOf(quad)); y++) {
      const dx = 0.5 - cornerX;
      const dy = y + 0.5 - cornerY;
      const u = { start: (dx * downY - dy * downX) / area, step: downY / area };
      const v = { start: (dy * acrossX - dx * acrossY) / area, step: -acrossY / area };
      const start = cornerZ + u.start * acrossZ + v.start * downZ;
      drawRow(y, { u, v, z: { start, step: u.step * acrossZ + v.step * downZ } });
    }
  }

  /** The two kinds of rows each have a loop of their own: they are where all the time is spent. */
  #drawOpaqueRow(texture: Rect, y: number, { u, v, z }: Slopes): void {
    const { width } = this.picture;
    const [left, right] = spanOf(u, v, width);
    for (let x = left; x <= right; x++) {
      const at = y * width + x;
      const depth = z.start + x * z.step;
      if (depth < this.#depth[at]!) continue;
      const from = this.#texel(texture, u.start + x * u.step, v.start + x * v.step);
      this.#depth[at] = depth;
      this.#words[at] = this.#opaqueWords[from]!;
    }
  }

  #blendRow(texture: Rect, y: number, { u, v, z }: Slopes): void {
    const { width, pixels } = this.picture;
    const [left, right] = spanOf(u, v, width);
    for (let x = left; x <= right; x++) {
      const at = y * width + x;
      if (z.start + x * z.step < this.#depth[at]!) continue;
      const from = this.#texel(texture, u.start + x * u.step, v.start + x * v.step);
      const alpha = this.#skin.pixels[from * 4 + 3]!;
      if (alpha === 255) this.#words[at] = this.#skinWords[from]!;
      else if (alpha > 0) blendPixel(this.#skin.pixels, from * 4, pixels, at * 4);
    }
  }

  /** The number of the skin's pixel at a position in a texture. */
  #texel(texture: Rect, u: number, v: number): number {
    const y = texture.y + cell(v, texture.height);
    return y * this.#skin.width + texture.x + cell(u, texture.width);
  }
}

function withoutAlpha(pixels: Uint8Array): Uint8Array<ArrayBuffer> {
  const opaque = new Uint8Array(pixels);
  for (let at = 3; at < opaque.length; at += 4) opaque[at] = 255;
  return opaque;
}

function topOf({ corner, across, down }: Quad): number {
  return Math.floor(corner[1] + Math.min(0, across[1]) + Math.min(0, down[1]));
}

function bottomOf({ corner, across, down }: Quad): number {
  return Math.ceil(corner[1] + Math.max(0, across[1]) + Math.max(0, down[1]));
}

/** First and last pixel of a row of `width` in which both values are from 0 to 1; if none, the last is smaller. */
function spanOf(u: Ramp, v: Ramp, width: number): [first: number, last: number] {
  let first = 0;
  let last = width - 1;
  for (const { start, step } of [u, v]) {
    if (Math.abs(step) < 1e-12) {
      if (start < -SEAM || start > 1 + SEAM) return [0, -1];
      continue;
    }
    const ends = [(-SEAM - start) / step, (1 + SEAM - start) / step];
    first = Math.max(first, Math.ceil(Math.min(...ends)));
    last = Math.min(last, Math.floor(Math.max(...ends)));
  }
  return [first, last];
}

function cell(share: number, cells: number): number {
  return Math.max(0, Math.min(cells - 1, Math.floor(share * cells)));
}

/** "Over" for colours that are not multiplied by alpha. */
function blendPixel(from: Uint8Array, source: number, to: Uint8Array, target: number): void {
  const alpha = from[source + 3]!;
  const below = (to[target + 3]! * (255 - alpha)) / 255;
  const sum = alpha + below;
  for (let channel = 0; channel < 3; channel++) {
    const mixed = (from[source + channel]! * alpha + to[target + channel]! * below) / sum;
    to[target + channel] = Math.round(mixed);
  }
  to[target + 3] = Math.round(sum);
}
