import { expect, test } from 'vitest';
import { InvalidImageError, makePicture } from '../../../src/skin/picture.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelHash, readSkin } from '../../../src/skin/read-skin.ts';
import { detectVariant } from '../../../src/skin/variant.ts';
import { chunk } from '../../support/skin/png-writer.ts';

/** Bytes of the signature and the first chunk. */
const AFTER_HEADER = 33;

/** A skin whose first pixel has a colour of its own. */
function fileOf(shade: number): Buffer {
  const picture = makePicture(64, 32);
  picture.pixels.fill(255);
  picture.pixels[0] = shade % 256;
  picture.pixels[1] = shade >> 8;
  return encodePng(picture);
}

test('A skin comes with its pixel hash and variant', () => {
  const file = fileOf(1);
  const picture = decodePng(file);
  const skin = { picture, animated: false, pixels: pixelHash(picture), detected: detectVariant(picture) };
  expect(readSkin(file)).toMatchObject(skin);
});

test('Each reader gets pixels of its own', () => {
  const file = fileOf(2);
  readSkin(file).picture.pixels.fill(0);
  expect(readSkin(file).picture).toEqual(decodePng(file));
});

test('A file that is no skin is refused', () => {
  const damaged = fileOf(4);
  damaged[damaged.length - 20]! ^= 1;
  expect(() => readSkin(damaged)).toThrow(InvalidImageError);
});

test('A file that is too large for a skin is read where the limits allow it', () => {
  const small = fileOf(5);
  const comment = chunk('tEXt', Buffer.alloc(20_000));
  const file = Buffer.concat([small.subarray(0, AFTER_HEADER), comment, small.subarray(AFTER_HEADER)]);
  expect(readSkin(file, { maxBytes: 30_000 }).pixels).toBe(readSkin(small).pixels);
});
