import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { decodePng } from '../src/skin/png/decode.ts';
import { encodePng } from '../src/skin/png/encode.ts';
import { chunk, headerChunk, SIGNATURE } from '../test/support/skin/png-writer.ts';
import { ROOT } from './machine.ts';

const SIZE = 64;
/** First pixel of the face that distinguishes the skins. */
const FACE = (10 * SIZE + 10) * 4;
const PALETTE = 3;
const PALETTE_COLOURS = 16;
/** Milliseconds. */
const SETTLED = 2_500;

/** Writes the given number of different skins that resemble artists' work, some 2 KB each. Returns their names. */
export function writeSkins(folder: string, count: number): string[] {
  const picture = decodePng(readFileSync(join(ROOT, 'examples/smith.png')));
  return writeNumbered(folder, count, (number) => {
    picture.pixels.set([...colourOf(number), 255], FACE);
    return encodePng(picture);
  });
}

/** Like `writeSkins`, but many times faster: every skin has the same pattern in another colour. */
export function writePatterns(folder: string, count: number): string[] {
  const header = headerChunk({ width: SIZE, height: SIZE, colourType: PALETTE });
  const palette = Buffer.from(Array.from({ length: PALETTE_COLOURS * 3 }, (_, at) => (at * 5) % 256));
  const rest = Buffer.concat([chunk('IDAT', deflateSync(patternRows())), chunk('IEND')]);
  return writeNumbered(folder, count, (number) => {
    palette.set(colourOf(number), 0);
    return Buffer.concat([SIGNATURE, header, chunk('PLTE', palette), rest]);
  });
}

/**
 * Rows without a filter: a zero, then each pixel's palette index. Noise, so that it compresses no better than a skin.
 */
function patternRows(): Buffer {
  const noise = createHash('shake256', { outputLength: SIZE * SIZE }).digest();
  const row = (y: number) => [
    0,
    ...noise.subarray(y * SIZE, (y + 1) * SIZE).map((byte) => byte % PALETTE_COLOURS),
  ];
  return Buffer.from(Array.from({ length: SIZE }, (_, y) => row(y)).flat());
}

function writeNumbered(folder: string, count: number, draw: (number: number) => Uint8Array): string[] {
  mkdirSync(folder, { recursive: true });
  const names = Array.from({ length: count }, (_, number) => `${String(number).padStart(6, '0')}.png`);
  for (const [number, name] of names.entries()) writeFileSync(join(folder, name), draw(number));
  return names;
}

/** Waits until new files are old enough to count as unchanged. skinsmith reads newer ones again. */
export async function untilSettled(): Promise<void> {
  await sleep(SETTLED);
}

function colourOf(number: number): [red: number, green: number, blue: number] {
  return [number & 255, (number >> 8) & 255, (number >> 16) & 255];
}
