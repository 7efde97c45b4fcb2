import { describe, expect, test } from 'vitest';
import { halfBlocks } from '../../../../src/cli/output/terminal-picture.ts';
import { makePicture, type Picture } from '../../../../src/skin/picture.ts';

/** A picture one pixel wide. */
function column(...pixels: readonly (readonly number[])[]): Picture {
  const picture = makePicture(1, pixels.length);
  picture.pixels.set(pixels.flat());
  return picture;
}

const RED = [255, 0, 0, 255];
const GREY = [118, 118, 118, 255];
const CLEAR = [0, 0, 0, 0];

describe('two pixels', () => {
  test.each([
    ['the upper and the lower one', [RED, GREY], '\x1b[38;2;255;0;0;48;2;118;118;118m▀'],
    ['only the upper one', [RED, CLEAR], '\x1b[0m\x1b[38;2;255;0;0m▀'],
    ['only the lower one', [CLEAR, RED], '\x1b[0m\x1b[38;2;255;0;0m▄'],
    ['none', [CLEAR, CLEAR], '\x1b[0m '],
    ['the last of an odd number', [RED], '\x1b[0m\x1b[38;2;255;0;0m▀'],
    ['less than half opaque is none', [[9, 9, 9, 127], RED], '\x1b[0m\x1b[38;2;255;0;0m▄'],
  ])('make one character: %s', (_, pixels, text) => {
    expect(halfBlocks(column(...pixels), 24)).toEqual([`${text}\x1b[0m`]);
  });
});

test('every two rows of pixels make one line', () => {
  expect(halfBlocks(makePicture(3, 6), 24)).toHaveLength(3);
});

test.each([
  ['a colour of the cube', RED, 196],
  ['a grey between the cube and the ramp', GREY, 243],
  ['black', [0, 0, 0, 255], 16],
  ['white', [255, 255, 255, 255], 231],
  ['the nearest of the cube', [100, 130, 220, 255], 68],
])('with 256 colours, the nearest one is used: %s', (_, pixel, index) => {
  expect(halfBlocks(column(pixel), 8)).toEqual([`\x1b[0m\x1b[38;5;${index}m▀\x1b[0m`]);
});
