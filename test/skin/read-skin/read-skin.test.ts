import { expect, test } from 'vitest';
import { InvalidImageError, makePicture } from '../../../src/skin/picture.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import {
  forgetPictures,
  pixelHash,
  readSkin,
  readSkinAhead,
  recallSkin,
} from '../../../src/skin/read-skin.ts';
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

test('A skin comes with its pixel hash and variant, the second time as well', () => {
  const file = fileOf(1);
  const picture = decodePng(file);
  const skin = { picture, animated: false, pixels: pixelHash(picture), detected: detectVariant(picture) };
  expect([readSkin(file), readSkin(file)]).toMatchObject([skin, skin]);
});

test('Each reader gets pixels of its own', () => {
  const file = fileOf(2);
  readSkin(file).picture.pixels.fill(0);
  expect(readSkin(file).picture).toEqual(decodePng(file));
});

test('What a file shows is known by its content, and by no other', () => {
  const file = fileOf(3);
  expect(recallSkin(file)).toBeUndefined();
  const { pixels, detected } = readSkin(file);
  const copy = Buffer.from(file);
  file.fill(0);
  expect(recallSkin(copy)).toEqual({ pixels, detected, picture: undefined });
  expect(recallSkin(file)).toBeUndefined();
});

test('The picture of a file that was read ahead is kept until it is recalled, once', () => {
  forgetPictures(); // of other tests in this process
  const file = fileOf(10_000);
  const { picture } = readSkinAhead(file);
  expect(recallSkin(Buffer.from(file))?.picture).toBe(picture);
  expect(recallSkin(file)?.picture).toBeUndefined();
});

test('Of many files that were read ahead, the first pictures are kept, and room is made by recalling them', () => {
  forgetPictures();
  const files = Array.from({ length: 514 }, (_, index) => fileOf(11_000 + index));
  for (const file of files) readSkinAhead(file);
  const [first, ...others] = files;
  expect(recallSkin(first!)?.picture).toEqual(decodePng(first!));
  readSkinAhead(files.at(-2)!);
  const kept = others.map((file) => recallSkin(file)?.picture !== undefined);
  expect(kept).toEqual(others.map((file) => file !== files.at(-1)));
});

test('Pictures that were read ahead can be forgotten', () => {
  const file = fileOf(12_000);
  readSkinAhead(file);
  forgetPictures();
  expect(recallSkin(file)).toMatchObject({ pixels: readSkin(file).pixels, picture: undefined });
});

test('A file that is no skin is refused each time, and nothing is known of it', () => {
  const damaged = fileOf(4);
  damaged[damaged.length - 20]! ^= 1;
  for (let time = 0; time < 2; time++) expect(() => readSkin(damaged)).toThrow(InvalidImageError);
  expect(recallSkin(damaged)).toBeUndefined();
});

test('A file that is too large for a skin is read where the limits allow it, but not remembered', () => {
  const small = fileOf(5);
  const comment = chunk('tEXt', Buffer.alloc(20_000));
  const file = Buffer.concat([small.subarray(0, AFTER_HEADER), comment, small.subarray(AFTER_HEADER)]);
  expect(readSkin(file, { maxBytes: 30_000 }).pixels).toBe(readSkin(small).pixels);
  expect(recallSkin(file)).toBeUndefined();
});

test('Of thousands of files, the earliest are forgotten', () => {
  const first = fileOf(6);
  readSkin(first);
  for (let shade = 7; shade < 4_200; shade++) readSkin(fileOf(shade));
  expect(recallSkin(first)).toBeUndefined();
  expect(recallSkin(fileOf(4_199))).toBeDefined();
});
