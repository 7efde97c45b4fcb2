import { readFileSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DigestCache } from '../../../src/base/digest-cache.ts';
import { inspectSource, readContent } from '../../../src/batch/pictures.ts';
import { decodePng, readPng } from '../../../src/skin/png/decode.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { enlarge } from '../../../src/skin/regions.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { drawFigure } from '../../support/skin/drawing.ts';
import { chunk } from '../../support/skin/png-writer.ts';

const figure = drawFigure('classic');
const hd = encodePng(enlarge(figure, 2));

/** The file with a chunk more, behind its header. */
const withChunk = (file: Buffer, extra: Buffer) =>
  Buffer.concat([file.subarray(0, 33), extra, file.subarray(33)]);

describe('an HD skin', () => {
  test('is refused, and the hint says how to scale it down', () => {
    const inspected = inspectSource({ kind: 'bytes', bytes: hd }, 'auto', undefined);
    expect(inspected).toMatchObject({
      problem: { code: 'invalid_image', hint: expect.stringContaining('--fit') },
    });
  });

  test('is scaled down on request, and a note says so', () => {
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
    const digests = new DigestCache(join(folder, 'memory'), Date.now() + 60_000);
    expect(inspectSource({ kind: 'file', path, fit: true }, 'auto', digests)).toMatchObject({
      pixels: pixelHash(figure),
    });
    expect(inspectSource({ kind: 'file', path }, 'auto', digests)).toMatchObject({
      problem: { code: 'invalid_image' },
    });
  });
});

describe('an old skin on a canvas of 64×64', () => {
  const old = readFileSync(new URL('../../fixtures/skins/old-on-64x64.png', import.meta.url));
  const whole = decodePng(old);
  const half = { width: 64, height: 32, pixels: whole.pixels.subarray(0, 64 * 32 * 4) };

  test('is cut out on request, and a note says so', () => {
    const content = { kind: 'bytes', bytes: old } as const;
    expect(inspectSource(content, 'auto', undefined)).toMatchObject({ pixels: pixelHash(whole) });
    expect(inspectSource({ ...content, fit: true }, 'auto', undefined)).toMatchObject({
      pixels: pixelHash(half),
      warnings: [
        { code: 'cut_out', message: 'The old skin was cut out of its canvas, to 64×32 pixels.' },
        { code: 'legacy_format' },
      ],
    });
  });

  test('is scaled down first if it is an HD skin', () => {
    const bytes = encodePng(enlarge(whole, 2));
    const inspected = inspectSource({ kind: 'bytes', bytes, fit: true }, 'auto', undefined);
    expect(inspected).toMatchObject({
      pixels: pixelHash(half),
      warnings: [{ code: 'scaled_down' }, { code: 'cut_out' }, { code: 'legacy_format' }],
    });
  });

  test('in a file is cut out even after a run without the option, and the reverse', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'old.png');
    await writeFile(path, old);
    const digests = new DigestCache(join(folder, 'memory'), Date.now() + 60_000);
    for (const [fit, picture] of [
      [false, whole],
      [true, half],
      [false, whole],
    ] as const)
      expect(inspectSource({ kind: 'file', path, fit }, 'auto', digests)).toMatchObject({
        pixels: pixelHash(picture),
      });
  });
});

test('a file with megabytes of metadata is refused, and on request read without it', () => {
  const bytes = withChunk(encodePng(figure), chunk('tEXt', Buffer.alloc(3_000_000)));
  expect(inspectSource({ kind: 'bytes', bytes }, 'auto', undefined)).toHaveProperty('problem');
  const inspected = inspectSource({ kind: 'bytes', bytes, fit: true }, 'auto', undefined);
  expect(inspected).toMatchObject({ pixels: pixelHash(figure), warnings: [{ code: 'metadata_left_out' }] });
  expect('bytes' in inspected && inspected.bytes!.length).toBeLessThan(20_000);
});

test('a skin of the right size stays as it is', () => {
  const bytes = encodePng(figure);
  expect(inspectSource({ kind: 'bytes', bytes, fit: true }, 'auto', undefined)).toMatchObject({
    bytes,
    pixels: pixelHash(figure),
  });
});

test.each(['mcskin3d.png', 'metadata-30kB.png'])(
  '%s is sent as an intact file with the same pixels',
  (name) => {
    const path = fileURLToPath(new URL(`../../fixtures/skins/${name}`, import.meta.url));
    const inspected = inspectSource({ kind: 'file', path }, 'auto', undefined);
    const bytes = ('bytes' in inspected && inspected.bytes) || Buffer.alloc(0);
    expect(pixelHash(decodePng(bytes))).toBe('pixels' in inspected && inspected.pixels);
    expect(readPng(bytes).faults).toEqual([]);
  },
);

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

  test('is still read at the maximum size', async () => {
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
] as const)('A warning says that the source %j is taken for the player %j', (content, names) => {
  const inspected = inspectSource(content, 'auto', undefined);
  const warnings = names.map((name) => ({
    code: 'taken_for_player',
    message: expect.stringMatching(`No file or folder ${name},.*--player ${name}$`),
  }));
  expect(inspected).toEqual({ pixels: undefined, bytes: undefined, warnings });
});
