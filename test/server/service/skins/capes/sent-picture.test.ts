import { expect, test } from 'vitest';
import { Refusal } from '../../../../../src/server/service/refusal.ts';
import { readSent } from '../../../../../src/server/service/skins/capes.ts';
import { makePicture } from '../../../../../src/skin/picture.ts';
import { encodePng } from '../../../../../src/skin/png/encode.ts';
import { readSkin } from '../../../../../src/skin/read-skin.ts';

/** A skin in one colour. */
function fileOf(shade: number): Buffer {
  const picture = makePicture(64, 64);
  picture.pixels.fill(255);
  picture.pixels[0] = shade;
  return encodePng(picture);
}

test('A picture comes with its pixels, hash and variant', () => {
  const file = fileOf(1);
  expect(readSent(file)).toEqual(readSkin(file));
});

test('A file that is no picture is refused', () => {
  const damaged = fileOf(2);
  damaged[damaged.length - 20]! ^= 1;
  expect(() => readSent(damaged)).toThrow(Refusal);
});

test('A file above the size of a skin is refused, whatever it shows', () => {
  const file = Buffer.concat([fileOf(3), Buffer.alloc(20_000)]);
  expect(() => readSent(file)).toThrow(/20000|20,000/);
});
