import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Picture } from '../../../../src/skin/picture.ts';
import { decodePng } from '../../../../src/skin/png/decode.ts';
import { scaleRect } from '../../../../src/skin/regions.ts';
import { drawView } from '../../../../src/skin/render/render.ts';
import { SCENES, type Scene } from '../../../../src/skin/render/solid.ts';
import { detectVariant } from '../../../../src/skin/variant.ts';
import { startChromium } from '../../../support/chromium/chromium.ts';
import { sampled } from '../../../support/setup/extent.ts';

/**
 * Holds the renderer against skinview3d, which draws skins with WebGL in a browser. It has perspective, smoothed edges
 * and limbs that are moved by a tenth of a skin pixel, so the pictures agree only within tolerances.
 */

const EXAMPLES = join(import.meta.dirname, '../../../../examples');
const BUNDLE = fileURLToPath(import.meta.resolve('skinview3d/bundles/skinview3d.bundle.js'));
const SKINS = sampled(['ranger-slim', 'smith', 'knight-overlay', 'robot', 'miner-legacy'], 3);

const STRAIGHT = { pitch: 0 } as const;
const CAMERAS = {
  front: { ...STRAIGHT, yaw: 0 },
  back: { ...STRAIGHT, yaw: 180 },
  body: SCENES.body.camera,
  isometric: SCENES.isometric.camera,
} as const satisfies Record<string, Scene['camera']>;
type ComparedView = keyof typeof CAMERAS;

/** Pixels of the pictures, and of those that are compared. */
const SIZE = 400;
const COMPARED = { width: 96, height: 192 };
/** Cells of the picture whose mean colours are compared. */
const CELLS = { across: 6, down: 12 };

/** Least share of the pixels of either silhouette that both have. */
const MIN_OVERLAP = 0.96;
/**
 * Largest difference of a cell's mean colour, of 255, on average and anywhere. In flat views our overlay lies on the
 * base, while theirs stands off: its pixels are a little larger.
 */
const TOLERANCES = { flat: { mean: 7, most: 50 }, solid: { mean: 3, most: 25 } } as const;

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await startChromium();
  page = await browser.newPage();
  await page.addScriptTag({ path: BUNDLE });
  await page.evaluate(OPEN);
});

afterAll(async () => {
  await browser?.close();
});

/** Lights that leave all colours as they are, and a place so far away that almost no perspective is left. */
const OPEN = `
  globalThis.canvas = document.createElement('canvas');
  const size = { width: ${SIZE}, height: ${SIZE} };
  globalThis.viewer = new skinview3d.SkinViewer({ canvas, ...size, preserveDrawingBuffer: true, renderPaused: true });
  viewer.globalLight.intensity = Math.PI;
  viewer.cameraLight.intensity = 0;
  viewer.fov = 2;
  Object.assign(viewer.camera, { near: 1_000, far: 1_300 });
  viewer.camera.updateProjectionMatrix();
`;
const DISTANCE = 1_150;

/** The pixels, as text: base64 of RGBA. */
const SHOW = `async ({ skin, model, place }) => {
  await viewer.loadSkin(skin, { model });
  viewer.camera.position.set(...place);
  viewer.camera.lookAt(0, 0, 0);
  viewer.render();
  const flat = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
  flat.drawImage(canvas, 0, 0);
  const { data } = flat.getImageData(0, 0, canvas.width, canvas.height);
  let text = '';
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
  return btoa(text);
}`;

function placeOf({ yaw, pitch }: Scene['camera']): number[] {
  const [y, p] = [yaw, pitch].map((degrees) => (degrees * Math.PI) / 180) as [number, number];
  return [-Math.sin(y) * Math.cos(p), Math.sin(p), Math.cos(y) * Math.cos(p)].map((one) => one * DISTANCE);
}

async function inBrowser(png: Buffer, variant: 'classic' | 'slim', view: ComparedView): Promise<Picture> {
  const input = {
    skin: `data:image/png;base64,${png.toString('base64')}`,
    model: variant === 'slim' ? 'slim' : 'default',
    place: placeOf(CAMERAS[view]),
  };
  const pixels = await page.evaluate(`(${SHOW})(${JSON.stringify(input)})`);
  return { width: SIZE, height: SIZE, pixels: new Uint8Array(Buffer.from(String(pixels), 'base64')) };
}

/** The figure alone, scaled to the size in which pictures are compared. */
function cropped(picture: Picture): Picture {
  const { width, height, pixels } = picture;
  const xs: number[] = [];
  const ys: number[] = [];
  for (let at = 0; at < width * height; at++) {
    if (pixels[at * 4 + 3]! < 128) continue;
    xs.push(at % width);
    ys.push(Math.floor(at / width));
  }
  const [left, right] = boundsOf(xs);
  const [top, bottom] = boundsOf(ys);
  const rect = { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  return scaleRect(picture, rect, COMPARED.width, COMPARED.height);
}

function boundsOf(values: readonly number[]): [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}

function isSolid({ pixels }: Picture, at: number): boolean {
  return pixels[at * 4 + 3]! >= 128;
}

/** Share of the pixels of either silhouette that both have. */
function overlapOf(one: Picture, other: Picture): number {
  let both = 0;
  let either = 0;
  for (let at = 0; at < one.width * one.height; at++) {
    const [a, b] = [isSolid(one, at), isSolid(other, at)];
    if (a && b) both++;
    if (a || b) either++;
  }
  return both / either;
}

/** How far the mean colours of each cell differ, counting the pixels that both pictures have. */
function differencesOf(one: Picture, other: Picture): number[] {
  const cell = { width: one.width / CELLS.across, height: one.height / CELLS.down };
  const sums = Array.from({ length: CELLS.across * CELLS.down }, () => ({
    count: 0,
    differences: [0, 0, 0],
  }));
  for (let at = 0; at < one.width * one.height; at++) {
    if (!isSolid(one, at) || !isSolid(other, at)) continue;
    const column = Math.floor((at % one.width) / cell.width);
    const sum = sums[Math.floor(Math.floor(at / one.width) / cell.height) * CELLS.across + column]!;
    sum.count++;
    for (const channel of [0, 1, 2]) {
      sum.differences[channel]! += one.pixels[at * 4 + channel]! - other.pixels[at * 4 + channel]!;
    }
  }
  return sums
    .filter(({ count }) => count > 32)
    .flatMap(({ count, differences }) => differences.map((difference) => Math.abs(difference / count)));
}

describe.each(SKINS)('%s', (name) => {
  test.each(Object.keys(CAMERAS) as ComparedView[])('looks as in skinview3d: %s', async (view) => {
    const png = await readFile(join(EXAMPLES, `${name}.png`));
    const picture = decodePng(png);
    const { variant } = detectVariant(picture);
    const ours = cropped(drawView(picture, { view, variant, size: SIZE }));
    const theirs = cropped(await inBrowser(png, variant, view));
    const differences = differencesOf(ours, theirs);
    const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length;
    expect(overlapOf(ours, theirs)).toBeGreaterThan(MIN_OVERLAP);
    const tolerance = TOLERANCES[view === 'front' || view === 'back' ? 'flat' : 'solid'];
    expect(mean).toBeLessThan(tolerance.mean);
    expect(Math.max(...differences)).toBeLessThan(tolerance.most);
  });
});
