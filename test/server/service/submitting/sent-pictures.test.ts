import { expect, test, vi } from 'vitest';
import { Refusal } from '../../../../src/server/service/refusals/refusal.ts';
import { SentPictures } from '../../../../src/server/service/submitting/sent-pictures.ts';
import { makePicture } from '../../../../src/skin/picture.ts';
import { pixelHash } from '../../../../src/skin/pixel-hash.ts';
import { decodePng } from '../../../../src/skin/png/decode.ts';
import { encodePng } from '../../../../src/skin/png/encode.ts';
import { detectVariant } from '../../../../src/skin/variant.ts';

/** A skin in one colour. */
function fileOf(shade: number): Uint8Array {
  const picture = makePicture(64, 64);
  picture.pixels.fill(255);
  picture.pixels[0] = shade;
  return encodePng(picture);
}

function openPictures() {
  const decode = vi.fn(decodePng);
  return { decode, pictures: new SentPictures(decode) };
}

test('A file that is sent again is told by its bytes, and decoded only for its pixels', () => {
  const { decode, pictures } = openPictures();
  const file = fileOf(1);
  const first = pictures.read(file);
  const again = pictures.read(file.slice());
  expect(decode).toHaveBeenCalledTimes(1);
  const picture = decodePng(file);
  const facts = { textureHash: pixelHash(picture), detected: detectVariant(picture) };
  expect([first, again]).toMatchObject([facts, facts]);
  expect([first.picture(), again.picture()]).toEqual([picture, picture]);
  expect(decode).toHaveBeenCalledTimes(2);
});

test('Another file is another picture', () => {
  const { pictures } = openPictures();
  const [one, other] = [fileOf(1), fileOf(2)].map((file) => pictures.read(file).textureHash);
  expect(one).not.toBe(other);
  expect(pictures.read(fileOf(1)).textureHash).toBe(one);
});

test('A file that is no picture is refused each time', () => {
  const { pictures } = openPictures();
  const file = fileOf(1);
  pictures.read(file);
  const damaged = file.slice();
  damaged[damaged.length - 20]! ^= 1;
  for (let time = 0; time < 2; time++) expect(() => pictures.read(damaged)).toThrow(Refusal);
});

test('Of thousands of files, the earliest are forgotten', () => {
  const picture = makePicture(64, 32);
  const decode = vi.fn(() => picture);
  const pictures = new SentPictures(decode);
  const file = (n: number) => new Uint8Array(new Uint32Array([n]).buffer);
  for (let n = 0; n < 2_000; n++) pictures.read(file(n));
  decode.mockClear();
  pictures.read(file(1_999));
  expect(decode).not.toHaveBeenCalled();
  pictures.read(file(0));
  expect(decode).toHaveBeenCalledTimes(1);
});
