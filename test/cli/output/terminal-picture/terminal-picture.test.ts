import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { besidePicture, kittyImage, pictureText } from '../../../../src/cli/output/terminal-picture.ts';
import { makePicture, type Picture } from '../../../../src/skin/picture.ts';
import { readHeader } from '../../../../src/skin/png/header.ts';

const BLOCKS = { style: 'blocks', depth: 24, columns: 20 } as const;

/** Four columns, three lines of text high. */
function opaque(): Picture {
  const picture = makePicture(4, 6);
  picture.pixels.fill(255);
  return picture;
}

function plain(text: string): string[] {
  return stripVTControlCharacters(text).split('\n');
}

describe('in half blocks', () => {
  test('a picture stands by itself', () => {
    expect(plain(pictureText(opaque(), BLOCKS))).toEqual(['▀▀▀▀', '▀▀▀▀', '▀▀▀▀', '']);
  });

  test('text stands beside it', () => {
    expect(plain(besidePicture(opaque(), ['one', 'two'], BLOCKS))).toEqual([
      '▀▀▀▀  one',
      '▀▀▀▀  two',
      '▀▀▀▀',
      '',
    ]);
  });

  test('text that is too long or too much stands below, whole and in its order', () => {
    const long = 'x'.repeat(15);
    const lines = ['\x1b[1mone\x1b[0m', long, '3', '4', '5'];
    expect(plain(besidePicture(opaque(), lines, BLOCKS))).toEqual([
      '▀▀▀▀  one',
      '▀▀▀▀  3',
      '▀▀▀▀  4',
      long,
      '5',
      '',
    ]);
  });
});

describe('as an image', () => {
  test('for iTerm2, a picture has its size in cells, and its PNG is enlarged', () => {
    const text = besidePicture(opaque(), ['one'], { ...BLOCKS, style: 'iterm' });
    const [, size, base64 = ''] =
      /1337;File=inline=1;size=(\d+);width=4;height=3;.*:([A-Za-z0-9+/=]+)/.exec(text) ?? [];
    const png = Buffer.from(base64, 'base64');
    expect(png.length).toBe(Number(size));
    expect(readHeader(png)).toMatchObject({ width: 32, height: 48 });
  });

  test('for kitty, a picture is sent in chunks, and the last one is marked', () => {
    const text = kittyImage(Buffer.alloc(7_000), { columns: 4, rows: 3 });
    const sequences = text.split('\x1b\\').filter(Boolean);
    expect(sequences.map((sequence) => sequence.replace(/;.*/s, ''))).toEqual([
      '\x1b_Ga=T,f=100,q=2,c=4,r=3,m=1',
      '\x1b_Gm=1',
      '\x1b_Gm=0',
    ]);
    const base64 = sequences.map((sequence) => sequence.slice(sequence.indexOf(';') + 1)).join('');
    expect(Buffer.from(base64, 'base64').length).toBe(7_000);
  });

  test('a picture leaves the cursor below picture and text', () => {
    const text = besidePicture(opaque(), ['one'], { ...BLOCKS, style: 'kitty' });
    expect(text.startsWith('\n\n\n\x1b[3A\x1b7\x1b_G')).toBe(true);
    expect(text.endsWith('\x1b8\x1b[7Gone\n\n\n')).toBe(true);
  });
});
