import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileMemory } from '../../../src/base/file-memory.ts';
import { lookAt } from '../../../src/batch/pictures/read-picture.ts';
import { pixelHash } from '../../../src/skin/pixel-hash.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { enlarge } from '../../../src/skin/scaling.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { drawFigure } from '../../support/skin/drawing.ts';

const figure = drawFigure('classic');
const hd = encodePng(enlarge(figure, 2));

describe('an HD skin', () => {
  test('is refused, and the hint says how to scale it down', () => {
    const look = lookAt({ kind: 'bytes', bytes: hd }, 'auto', undefined);
    expect(look).toMatchObject({
      problem: { code: 'invalid_image', hint: expect.stringContaining('--fit') },
    });
  });

  test('is scaled down on request, and says so', () => {
    const look = lookAt({ kind: 'bytes', bytes: hd, fit: true }, 'auto', undefined);
    expect(look).toMatchObject({
      pixels: pixelHash(figure),
      warnings: [
        { code: 'scaled_down', message: 'The picture was scaled down from 128×128 to 64×64 pixels.' },
      ],
    });
  });

  test('that is damaged is a problem of this source', () => {
    const bytes = hd.subarray(0, hd.length - 20);
    const look = lookAt({ kind: 'bytes', bytes, fit: true }, 'auto', undefined);
    expect(look).toMatchObject({ problem: { code: 'invalid_image' } });
  });

  test('in a file is refused again when nobody asks for scaling any more', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'hd.png');
    await writeFile(path, hd);
    // A file is remembered only when it is older than the look at it.
    const memory = FileMemory.open(join(folder, 'memory'), () => Date.now() + 60_000);
    expect(lookAt({ kind: 'file', path, fit: true }, 'auto', memory)).toMatchObject({
      pixels: pixelHash(figure),
    });
    expect(lookAt({ kind: 'file', path }, 'auto', memory)).toMatchObject({
      problem: { code: 'invalid_image' },
    });
  });
});

test('a skin of the right size stays as it is', () => {
  const bytes = encodePng(figure);
  expect(lookAt({ kind: 'bytes', bytes, fit: true }, 'auto', undefined)).toMatchObject({
    bytes,
    pixels: pixelHash(figure),
  });
});

test('A file that cannot be read to its end is a problem of this source', () => {
  // Reading this file fails as a broken disk does, after it was opened.
  expect(lookAt({ kind: 'file', path: '/proc/self/mem' }, 'auto', undefined)).toMatchObject({
    problem: { code: 'eio', message: expect.stringContaining('/proc/self/mem: EIO') },
  });
});
