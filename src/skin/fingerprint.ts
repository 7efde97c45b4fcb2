import type { Picture } from './picture.ts';
import type { Rect } from './regions.ts';
import { drawFlat } from './render/flat.ts';
import { detectVariant } from './variant.ts';

/**
 * What a skin looks like, in few bytes: the average colours of 56 squares of the player's front and back, with the
 * overlay, as Oklab (lightness and two axes of colour, one byte each). Equal distances between two such colours look
 * about equally large.
 */
export type Fingerprint = Uint8Array;

interface Square {
  readonly side: 'front' | 'back';
  /** On the flat figure (render/flat.ts). */
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** Its share in a distance: the face counts most for its size, legs least. */
  readonly weight: number;
}

type Region = (typeof REGIONS)[number];
const REGIONS = [
  'fringe',
  'eyes',
  'mouth',
  'nape',
  'chest',
  'waist',
  'shoulders',
  'hands',
  'thighs',
  'feet',
] as const;

const FRONT = ['front'] as const;
const BACK = ['back'] as const;
const BOTH = ['front', 'back'] as const;

const SQUARES: Readonly<Record<Region, readonly Square[]>> = {
  fringe: squares(FRONT, [{ x: 4, y: 0, width: 8, height: 4 }], { size: 2, weight: 0.625 }),
  eyes: squares(FRONT, [{ x: 4, y: 4, width: 8, height: 2 }], { size: 2, weight: 0.625 }),
  mouth: squares(FRONT, [{ x: 4, y: 6, width: 8, height: 2 }], { size: 2, weight: 0.625 }),
  nape: squares(BACK, [{ x: 4, y: 0, width: 8, height: 8 }]),
  chest: squares(BOTH, [{ x: 4, y: 8, width: 8, height: 4 }]),
  waist: squares(BOTH, [{ x: 4, y: 12, width: 8, height: 8 }]),
  shoulders: squares(BOTH, [
    { x: 0, y: 8, width: 4, height: 4 },
    { x: 12, y: 8, width: 4, height: 4 },
  ]),
  hands: squares(BOTH, [
    { x: 0, y: 12, width: 4, height: 8 },
    { x: 12, y: 12, width: 4, height: 8 },
  ]),
  thighs: squares(BOTH, [{ x: 4, y: 20, width: 8, height: 8 }], { weight: 0.6 }),
  feet: squares(BOTH, [{ x: 4, y: 28, width: 8, height: 4 }], { weight: 0.6 }),
};

const ALL = REGIONS.flatMap((region) => SQUARES[region]);

function squares(
  sides: readonly Square['side'][],
  areas: readonly Rect[],
  { size = 4, weight = 1 }: Partial<Pick<Square, 'size' | 'weight'>> = {},
): Square[] {
  const found: Square[] = [];
  for (const side of sides) {
    for (const area of areas) {
      for (let y = area.y; y < area.y + area.height; y += size)
        for (let x = area.x; x < area.x + area.width; x += size) found.push({ side, x, y, size, weight });
    }
  }
  return found;
}

/** Takes about 40 microseconds. `picture`: 64×64 or 64×32. */
export function pictureFingerprint(picture: Picture): Fingerprint {
  const { variant } = detectVariant(picture);
  const views = { front: drawFlat(picture, variant, 'front'), back: drawFlat(picture, variant, 'back') };
  const fingerprint = new Uint8Array(ALL.length * 3);
  for (const [at, square] of ALL.entries()) fingerprint.set(averageOf(views[square.side], square), at * 3);
  return fingerprint;
}

/** The average of what is painted in a square: slim arms leave a column of theirs free. */
function averageOf({ width, pixels }: Picture, { x, y, size }: Square): [number, number, number] {
  let red = 0;
  let green = 0;
  let blue = 0;
  let painted = 0;
  for (let row = y; row < y + size; row++) {
    for (let at = (row * width + x) * 4, end = at + size * 4; at < end; at += 4) {
      if (pixels[at + 3] === 0) continue;
      red += LINEAR[pixels[at]!]!;
      green += LINEAR[pixels[at + 1]!]!;
      blue += LINEAR[pixels[at + 2]!]!;
      painted++;
    }
  }
  return toOklab(red / painted, green / painted, blue / painted);
}

/** The light of each value of an sRGB channel. */
const LINEAR = Float64Array.from({ length: 256 }, (_, value) => {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
});

/** From linear light to bytes: 0 to 255 is black to white, 128 is grey. From Björn Ottosson's definition of Oklab. */
function toOklab(red: number, green: number, blue: number): [number, number, number] {
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    Math.round(255 * (0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s)),
    128 + Math.round(255 * (1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s)),
    128 + Math.round(255 * (0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s)),
  ];
}

/** Colours at least this far apart count as quite different, so that other hair does not outweigh an equal body. */
const FAR = 0.25;
/** Colour counts half as much as light, so that a shirt of another colour with the same folds is still similar. */
const COLOUR = 0.5;

/**
 * Skins that are closer look alike. Measured with changed copies of 136 players' skins. All copies with other hair, arms
 * or trousers are closer. So are 96 in 100 retouched copies, 85 in 100 with another shirt, and 60 in 100 recoloured all
 * over. Of pairs of different skins, 4 in 1,000 are closer.
 */
export const SIMILAR = 0.25;

/** 0: the same look; 1: different everywhere. */
export function distanceBetween(one: Fingerprint, other: Fingerprint): number {
  let sum = 0;
  let weights = 0;
  for (const [index, { weight }] of ALL.entries()) {
    const at = index * 3;
    const light = one[at]! - other[at]!;
    const first = COLOUR * (one[at + 1]! - other[at + 1]!);
    const second = COLOUR * (one[at + 2]! - other[at + 2]!);
    const apart = Math.sqrt(light * light + first * first + second * second) / 255;
    sum += weight * Math.min(1, apart / FAR);
    weights += weight;
  }
  return sum / weights;
}

/**
 * Coarse keys of a fingerprint, by which an index finds candidates. Two similar skins have the same key, or neighbouring
 * keys, in at least one band. The band `body` finds skins that differ in the hair. The band `head` finds skins that differ
 * in the clothes. The band `light` finds skins that are brighter or recoloured.
 */
export const BANDS = ['head', 'body', 'light'] as const;
export type Band = (typeof BANDS)[number];

/** A number from a fingerprint, and the width of its steps in the key. */
interface Feature {
  readonly regions: readonly Region[];
  readonly channel: 0 | 1 | 2;
  readonly step: number;
  /** Whether it is compared with the lightness of the whole figure. */
  readonly isRelative?: true;
}

const FEATURES: Readonly<Record<Band, readonly Feature[]>> = {
  head: [...colour('mouth'), ...colour('fringe'), light('eyes'), light('nape')],
  body: [...colour('chest', 'waist'), ...colour('shoulders', 'hands'), ...colour('thighs', 'feet')],
  light: [
    shade('eyes', 'mouth'),
    shade('fringe', 'nape'),
    shade('chest'),
    shade('waist'),
    shade('shoulders'),
    shade('hands'),
    shade('thighs'),
    shade('feet'),
  ],
};

function light(...regions: Region[]): Feature {
  return { regions, channel: 0, step: 24 };
}

function shade(...regions: Region[]): Feature {
  return { regions, channel: 0, step: 26, isRelative: true };
}

function colour(...regions: Region[]): Feature[] {
  return [light(...regions), { regions, channel: 1, step: 10 }, { regions, channel: 2, step: 10 }];
}

/** The key of each band. */
export function bandsOf(fingerprint: Fingerprint): Record<Band, string> {
  const keyOf = (band: Band) => textOf(stepsOf(fingerprint, band).map(Math.floor));
  return { head: keyOf('head'), body: keyOf('body'), light: keyOf('light') };
}

/** Features whose other step is tried too: those nearest to the border between two steps. */
const TRIED = 5;

/** The keys of a band that similar skins have, the nearest first. */
export function nearBands(fingerprint: Fingerprint, band: Band): string[] {
  const steps = stepsOf(fingerprint, band);
  const borders = steps
    .map((step, at) => ({ at, far: Math.abs(step - Math.round(step)), to: Math.round(step) }))
    .toSorted((one, other) => one.far - other.far)
    .slice(0, TRIED);
  let keys = [{ steps: steps.map(Math.floor), far: 0 }];
  for (const { at, far, to } of borders) {
    // On the other side of the border: below it if the feature is just above it.
    const other = to > steps[at]! ? to : to - 1;
    keys = keys.flatMap((key) => [key, { steps: key.steps.with(at, other), far: key.far + far }]);
  }
  return keys.toSorted((one, other) => one.far - other.far).map((key) => textOf(key.steps));
}

/** The features of a band in steps. */
function stepsOf(fingerprint: Fingerprint, band: Band): number[] {
  const whole = averageIn(fingerprint, REGIONS, 0);
  return FEATURES[band].map(({ regions, channel, step, isRelative }) => {
    const value = averageIn(fingerprint, regions, channel);
    return (isRelative ? value - whole : value) / step;
  });
}

function averageIn(fingerprint: Fingerprint, regions: readonly Region[], channel: number): number {
  const values = regions.flatMap((region) =>
    SQUARES[region].map((square) => fingerprint[ALL.indexOf(square) * 3 + channel]!),
  );
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A character for each feature: steps are between -10 and 25. */
function textOf(steps: readonly number[]): string {
  return String.fromCharCode(...steps.map((step) => 64 + step));
}
