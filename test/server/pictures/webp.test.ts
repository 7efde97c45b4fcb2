import { readFileSync } from 'node:fs';
import openDecoder from '@jsquash/webp/codec/dec/webp_dec.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { AnimationEncoder } from '../../../src/server/pictures/webp.ts';
import type { Picture } from '../../../src/skin/picture.ts';
import { drawSolid, turnScene } from '../../../src/skin/render/solid.ts';
import { TURN_FRAMES } from '../../../src/skin/render/views.ts';
import { drawFigure } from '../../support/skin/drawing.ts';

const SIZE = { width: 75, height: 100 } as const;
const frames = Array.from({ length: TURN_FRAMES }, (_, at) =>
  drawSolid(drawFigure('classic'), turnScene(at), { variant: 'classic', overlay: true, ...SIZE }),
);

/** The chunks of a file of the RIFF format, or of a part of one. */
function chunksOf(bytes: Buffer): { name: string; content: Buffer }[] {
  if (bytes.length === 0) return [];
  const length = bytes.readUInt32LE(4);
  const rest = bytes.subarray(8 + length + (length % 2));
  return [
    { name: bytes.toString('latin1', 0, 4), content: bytes.subarray(8, 8 + length) },
    ...chunksOf(rest),
  ];
}

/** A file with one picture, as decoders take it. */
function stillOf(frame: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(frame.length - 16 + 4);
  return Buffer.concat([Buffer.from('RIFF'), length, Buffer.from('WEBP'), frame.subarray(16)]);
}

/** What is seen of a picture: a transparent pixel has no colour. */
function seen({ pixels }: Pick<Picture, 'pixels'>): number[] {
  return Array.from(pixels, (value, at) => (pixels[at - (at % 4) + 3] === 0 ? 0 : value));
}

describe('an animation', () => {
  let bytes: Buffer;
  let decode: (file: Buffer) => Picture;

  beforeAll(async () => {
    bytes = (await AnimationEncoder.open()).encode(frames, 100);
    const wasm = new URL(import.meta.resolve('@jsquash/webp/codec/dec/webp_dec.wasm'));
    const decoder = await openDecoder({ wasmBinary: readFileSync(wasm), locateFile: (name: string) => name });
    decode = (file) => {
      const { data, ...size } = decoder.decode(file);
      return { ...size, pixels: new Uint8Array(data) };
    };
  });

  test('is a WebP file of all frames, which repeats forever', () => {
    const [file, ...others] = chunksOf(bytes);
    expect([file?.name, others.length, bytes.length % 2]).toEqual(['RIFF', 0, 0]);
    const chunks = chunksOf(file!.content.subarray(4));
    expect(file!.content.toString('latin1', 0, 4)).toBe('WEBP');
    expect(chunks.map(({ name }) => name)).toEqual(['VP8X', 'ANIM', ...frames.map(() => 'ANMF')]);
    expect(chunks[0]?.content.toString('hex')).toBe('12000000' + '4a0000' + '630000');
    expect(chunks[1]?.content.readUInt16LE(4)).toBe(0);
    for (const { content } of chunks.slice(2))
      expect([content.readUIntLE(6, 3), content.readUIntLE(9, 3), content.readUIntLE(12, 3)]).toEqual([
        74, 99, 100,
      ]);
  });

  test('loses nothing of its frames', () => {
    const [file] = chunksOf(bytes);
    const stills = chunksOf(file!.content.subarray(4)).slice(2);
    for (const [at, { content }] of stills.entries())
      expect([at, seen(decode(stillOf(content)))]).toEqual([at, seen(frames[at]!)]);
  });

  test('has the same bytes each time', async () => {
    const again = (await AnimationEncoder.open()).encode(frames, 100);
    expect(again.equals(bytes)).toBe(true);
  });
});

describe('a turn', () => {
  /** The number of pixels in which two pictures differ. */
  function difference(one: Picture, other: Picture): number {
    const [a, b] = [seen(one), seen(other)];
    return a.filter((value, at) => value !== b[at]).length;
  }

  test('has no seam: the last picture leads to the first as each leads to the next', () => {
    const steps = frames.map((frame, at) => difference(frame, frames[(at + 1) % TURN_FRAMES]!));
    const last = steps.at(-1)!;
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThanOrEqual(Math.max(...steps.slice(0, -1)));
    expect(last).toBeGreaterThanOrEqual(Math.min(...steps.slice(0, -1)));
    expect(new Set(frames.map((frame) => seen(frame).join())).size).toBe(TURN_FRAMES);
  });

  test('keeps the figure in its place: feet and head stay in the frame', () => {
    for (const frame of frames) {
      const rows = Array.from({ length: SIZE.height }, (_, y) =>
        frame.pixels.subarray(y * SIZE.width * 4, (y + 1) * SIZE.width * 4).some((value) => value > 0),
      );
      expect(rows.indexOf(true)).toBeLessThan(8);
      expect(rows.lastIndexOf(true)).toBeGreaterThan(SIZE.height - 8);
    }
  });
});
