import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { Photograph } from './photographs.ts';

/** Maximum bytes of a picture in the repository. */
const MAX_BYTES = 60 * 1024;
/** WebP qualities to try, best first. */
const QUALITIES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];

/** The pictures in the documents, as WebP: two pages, and a sheet of all. */
export async function writeSmall(
  browser: Browser,
  taken: readonly Photograph[],
  folder: string,
): Promise<void> {
  const wide = (name: string, scheme: string) =>
    taken.filter((one) => one.name === name && one.scheme === scheme && one.width === 1_280);
  await write(browser, wide('gallery', 'light'), {
    path: join(folder, 'gallery.webp'),
    columns: 1,
    tile: [960, 600],
  });
  await write(browser, wide('skin-3d', 'dark'), {
    path: join(folder, 'skin.webp'),
    columns: 1,
    tile: [960, 600],
  });
  const sheet = taken.filter(({ width, scheme }) => (width === 1_280) === (scheme === 'light'));
  await write(browser, sheet, { path: join(folder, 'pages.webp'), columns: 8, tile: [128, 160] });
}

interface Sheet {
  readonly path: string;
  readonly columns: number;
  /** Width and height of each picture; longer ones are cut. */
  readonly tile: readonly [width: number, height: number];
}

/** Draws the pictures in columns and writes them with the best quality within the limit. */
async function write(
  browser: Browser,
  taken: readonly Photograph[],
  { path, ...sheet }: Sheet,
): Promise<void> {
  const page = await browser.newPage();
  const pictures = await Promise.all(taken.map(async (one) => (await readFile(one.path)).toString('base64')));
  await page.evaluate(`(${DRAW})(${JSON.stringify({ pictures, ...sheet })})`);
  for (const quality of QUALITIES) {
    const url = await page.evaluate<string>(
      `document.querySelector('canvas').toDataURL('image/webp', ${quality})`,
    );
    const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
    if (bytes.length > MAX_BYTES && quality !== QUALITIES.at(-1)) continue;
    await writeFile(path, bytes);
    break;
  }
  await page.close();
}

const DRAW = `async ({ pictures, columns, tile: [width, height] }) => {
  const gap = columns === 1 ? 0 : 12;
  const rows = Math.ceil(pictures.length / columns);
  const canvas = document.createElement('canvas');
  canvas.width = columns * (width + gap) + gap;
  canvas.height = rows * (height + gap) + gap;
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.fillStyle = '#8c8276';
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const [at, picture] of pictures.entries()) {
    const image = new Image();
    image.src = 'data:image/png;base64,' + picture;
    await image.decode();
    const seen = Math.min(image.height, (height * image.width) / width);
    const [x, y] = [gap + (at % columns) * (width + gap), gap + Math.floor(at / columns) * (height + gap)];
    context.drawImage(image, 0, 0, image.width, seen, x, y, width, (seen * width) / image.width);
  }
  document.body.replaceChildren(canvas);
}`;
