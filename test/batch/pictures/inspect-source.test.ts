import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DigestCache } from '../../../src/base/caches.ts';
import { inspectSource, readContent } from '../../../src/batch/pictures.ts';
import { decodePng, readPng } from '../../../src/skin/png/decode.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { enlarge } from '../../../src/skin/regions.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { drawFigure } from '../../support/skin/drawing.ts';

const figure = drawFigure('classic');
const hd = encodePng(enlarge(figure, 2));

describe('an HD skin', () => {
  test('is refused, and the hint says how to scale it down', () => {
    const inspected = inspectSource({ kind: 'bytes', bytes: hd }, 'auto', undefined);
    expect(inspected).toMatchObject({
      problem: { code: 'invalid_image', hint: expect.stringContaining('--fit') },
    });
  });

  test('is scaled down on request, and says so', () => {
    const inspected = inspectSource({ kind: 'bytes', bytes: hd, fit: true }, 'auto', undefined);
    expect(inspected).toMatchObject({
      pixels: pixelHash(figure),
      warnings: [
        { code: 'scaled_down', message: 'The picture was scaled down from 128×128 to 64×64 pixels.' },
      ],
    });
  });

  test('that is damaged is a problem of this source', () => {
    const bytes = hd.subarray(0, hd.length - 20);
    const inspected = inspectSource({ kind: 'bytes', bytes, fit: true }, 'auto', undefined);
    expect(inspected).toMatchObject({ problem: { code: 'invalid_image' } });
  });

  test('in a file is refused again when nobody asks for scaling any more', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'hd.png');
    await writeFile(path, hd);
    // The digest of a file is stored only when it is older than the inspection.
    const digests = DigestCache.open(join(folder, 'memory'), () => Date.now() + 60_000);
    expect(inspectSource({ kind: 'file', path, fit: true }, 'auto', digests)).toMatchObject({
      pixels: pixelHash(figure),
    });
    expect(inspectSource({ kind: 'file', path }, 'auto', digests)).toMatchObject({
      problem: { code: 'invalid_image' },
    });
  });
});

test('a skin of the right size stays as it is', () => {
  const bytes = encodePng(figure);
  expect(inspectSource({ kind: 'bytes', bytes, fit: true }, 'auto', undefined)).toMatchObject({
    bytes,
    pixels: pixelHash(figure),
  });
});

test.each(['mcskin3d.png', 'metadata-30kB.png'])('%s is sent as a sound file of the same pixels', (name) => {
  const path = fileURLToPath(new URL(`../../fixtures/skins/${name}`, import.meta.url));
  const inspected = inspectSource({ kind: 'file', path }, 'auto', undefined);
  const bytes = ('bytes' in inspected && inspected.bytes) || Buffer.alloc(0);
  expect(pixelHash(decodePng(bytes))).toBe('pixels' in inspected && inspected.pixels);
  expect(readPng(bytes).faults).toEqual([]);
});

test('A file that cannot be read to its end is a problem of this source', () => {
  // Reading this file fails as a broken disk does, after it was opened.
  expect(inspectSource({ kind: 'file', path: '/proc/self/mem' }, 'auto', undefined)).toMatchObject({
    problem: { code: 'eio', message: expect.stringContaining('/proc/self/mem: EIO') },
  });
});

const MAX_BYTES = 8 * 1024 * 1024;

describe('A path that holds no skin', () => {
  test.each([
    ['is a folder', '/', '/ is a folder.'],
    ['is a device', '/dev/null', '/dev/null is not a regular file.'],
  ])('%s, and the problem says so', (_what, path, message) => {
    const problem = { code: 'not_a_file', message };
    expect(inspectSource({ kind: 'file', path }, 'auto', undefined)).toEqual({ problem });
    expect(readContent({ kind: 'file', path })).toEqual({ problem });
  });

  test('is named as the user named it', () => {
    const problem = { code: 'not_a_file', message: 'skins is a folder.' };
    expect(inspectSource({ kind: 'file', path: '/' }, 'auto', undefined, 'skins')).toEqual({ problem });
    expect(readContent({ kind: 'file', path: '/' }, 'skins')).toEqual({ problem });
  });

  test('has too many bytes to be read', async () => {
    const path = await fileOf(MAX_BYTES + 1);
    const message = `${path} has ${MAX_BYTES + 1} bytes; a skin has at most 20,000.`;
    const read = readContent({ kind: 'file', path });
    expect('problem' in read && read.problem).toEqual({ code: 'invalid_image', message });
  });

  test('is still read when it has as many as may be', async () => {
    const path = await fileOf(MAX_BYTES);
    expect(readContent({ kind: 'file', path })).toMatchObject({ bytes: { length: MAX_BYTES } });
  });
});

/** The path of a file with so many zeros. */
async function fileOf(size: number): Promise<string> {
  const path = join(await ownFolder(), 'large.png');
  await writeFile(path, '');
  await truncate(path, size);
  return path;
}

test('The bytes of a source are read as they are, or not at all', () => {
  const problem = { code: 'empty_list', message: 'Nothing.' };
  expect(readContent({ kind: 'bytes', bytes: hd, fit: true })).toMatchObject({ bytes: hd });
  expect(readContent({ kind: 'problem', problem })).toMatchObject({ problem });
  expect(() => readContent({ kind: 'url', url: 'https://a.example/s.png' })).toThrow('A source of kind url');
});

test.each([
  [{ kind: 'user', user: 'smiht', isGuess: true, typed: 'Smiht' }, ['Smiht']],
  [{ kind: 'user', user: 'smiht', isGuess: true }, ['smiht']],
  [{ kind: 'user', user: 'smith' }, []],
] as const)('A source %j is noted to be taken for the player %j', (content, names) => {
  const inspected = inspectSource(content, 'auto', undefined);
  const warnings = names.map((name) => ({
    code: 'taken_for_player',
    message: expect.stringMatching(`No file or folder ${name},.*--player ${name}$`),
  }));
  expect(inspected).toEqual({ pixels: undefined, bytes: undefined, warnings });
});
