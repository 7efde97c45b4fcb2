import { constants, deflateSync } from 'node:zlib';
import { drawSheet } from '../docs/images/sheet.ts';
import { onStage } from '../src/server/pictures/card.ts';
import { makePicture, type Picture } from '../src/skin/picture.ts';
import { encodePng, encodeSmallPng } from '../src/skin/png/encode.ts';
import { scaleRect } from '../src/skin/regions.ts';

/** Height of the figures on the card of the start page: five of them are as wide as the card. */
const ON_CARD = 450;
/** The same on the start page itself, which stays light. */
const ON_PAGE = 160;

/** The pictures of the pages that are no skins, by the names of their assets. */
export async function drawPagePictures(): Promise<Readonly<Record<string, Buffer>>> {
  return {
    'group.png': encodePng(await drawSheet(ON_PAGE), smallest), // it has too many colours for a palette
    'card.png': encodeSmallPng(onStage(await drawSheet(ON_CARD))),
    'icon-180.png': icon(180),
    'icon-192.png': icon(192),
    'icon-512.png': icon(512),
    'favicon.ico': ico(icon(32)),
  };
}

function smallest(rows: Buffer): Buffer {
  return deflateSync(rows, { level: constants.Z_BEST_COMPRESSION });
}

/** The mark of the pages, a face: `#` is its frame, `+` its skin, and the rest its features. */
const MARK = ['########', '########', '########', '#++++++#', '#+.++.+#', '#++++++#', '#++..++#', '########'];
const MARK_COLOURS: Readonly<Record<string, readonly number[]>> = {
  '#': [0xc2, 0x62, 0x2e, 255],
  '+': [0xf3, 0xc9, 0xa8, 255],
  '.': [0x2a, 0x1a, 0x10, 255],
};

function drawMark(): Picture {
  const mark = makePicture(8, 8);
  mark.pixels.set(MARK.flatMap((row) => [...row].flatMap((sign) => MARK_COLOURS[sign] ?? [])));
  return mark;
}

function icon(size: number): Buffer {
  return encodeSmallPng(scaleRect(drawMark(), { x: 0, y: 0, width: 8, height: 8 }, size, size));
}

/** An icon file with one PNG of 32 pixels. */
function ico(png: Buffer): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.set([32, 32], 6);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}
