import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { makePicture, type Picture } from '../../../../src/skin/picture.ts';
import { encodePng, encodeSmallPng } from '../../../../src/skin/png/encode.ts';
import { fill } from '../../../support/skin/drawing.ts';

/** A row of pixels, each in another colour, some of them translucent. */
function coloured(colours: number): Picture {
  return fill(makePicture(colours, 2), { x: 0, y: 0, width: colours, height: 2 }, (n) => {
    const colour = n % colours;
    return [colour & 255, colour >> 8, 77, colour % 2 === 0 ? 255 : 100];
  });
}

describe('a picture for viewing', () => {
  test.each([1, 2, 255, 256, 257, 400])('of %s colours has the same pixels in another decoder', (colours) => {
    const picture = coloured(colours);
    const { width, height, data } = PNG.sync.read(encodeSmallPng(picture));
    expect([width, height]).toEqual([picture.width, picture.height]);
    expect(data.equals(picture.pixels)).toBe(true);
  });

  test.each([255, 256, 257, 300])(
    'of %s pixels in width and height has the same pixels in another decoder, too',
    (size) => {
      const picture = fill(
        makePicture(size, size),
        { x: 1, y: 2, width: size - 1, height: size - 3 },
        (n) => {
          const stripe = Math.floor(n / 700) % 200;
          return [stripe, 255 - stripe, n % 40 === 0 ? 9 : 250, 255];
        },
      );
      expect(PNG.sync.read(encodeSmallPng(picture)).data.equals(picture.pixels)).toBe(true);
      expect(encodeSmallPng(picture).includes('PLTE')).toBe(true);
    },
  );

  test('has a palette up to 256 colours, and canonical bytes above', () => {
    expect(encodeSmallPng(coloured(256)).includes('PLTE')).toBe(true);
    expect(encodeSmallPng(coloured(257))).toEqual(encodePng(coloured(257)));
  });

  test('lists alpha only up to the last colour that is not opaque', () => {
    const picture = fill(makePicture(3, 1), { x: 1, y: 0, width: 2, height: 1 }, (n) => [n, 5, 6, 255]);
    const bytes = encodeSmallPng(picture);
    expect(bytes.readUInt32BE(bytes.indexOf('tRNS') - 4)).toBe(1);
    expect(PNG.sync.read(bytes).data.equals(picture.pixels)).toBe(true);
    expect(encodeSmallPng(fill(picture, { x: 0, y: 0, width: 1, height: 1 }, [1, 1, 1, 255]))).not.toContain(
      'tRNS',
    );
  });

  test('hides no colour in invisible pixels', () => {
    const picture = fill(coloured(4), { x: 0, y: 0, width: 1, height: 1 }, [9, 9, 9, 0]);
    const { data } = PNG.sync.read(encodeSmallPng(picture));
    expect([...data.subarray(0, 4)]).toEqual([0, 0, 0, 0]);
  });
});
