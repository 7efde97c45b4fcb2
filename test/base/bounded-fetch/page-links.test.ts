import { expect, test } from 'vitest';
import { lacksScheme, pictureLink } from '../../../src/base/bounded-fetch.ts';

const ID = '56be58e531194455a386458b270720fb';

test.each([
  ['https://imgur.com/BnrJJh2', 'https://i.imgur.com/BnrJJh2.png'],
  ['https://www.imgur.com/BnrJJh2/', 'https://i.imgur.com/BnrJJh2.png'],
  ['https://namemc.com/skin/4f0932f4d85b1609', 'https://namemc.com/texture/4f0932f4d85b1609.png'],
  ['http://de.namemc.com/skin/4f0932f4d85b1609?x=1', 'https://namemc.com/texture/4f0932f4d85b1609.png'],
  [
    'https://www.minecraftskins.com/skin/18512841/buff-villager/',
    'https://www.minecraftskins.com/skin/download/18512841',
  ],
  ['https://minecraftskins.com/skin/18512841', 'https://www.minecraftskins.com/skin/download/18512841'],
  [
    'https://minecraft.novaskin.me/skin/6459833115/Trophy-gold',
    'https://minecraft.novaskin.me/skin/6459833115/download',
  ],
  [`https://mineskin.org/skins/${ID}`, `https://api.mineskin.org/v2/skins/${ID}/texture`],
  [`https://minesk.in/${ID}`, `https://api.mineskin.org/v2/skins/${ID}/texture`],
  ['https://minesk.in/56be58e5', 'https://api.mineskin.org/v2/skins/56be58e5/texture'],
  [
    'https://github.com/a-b/c.d/blob/main/skins/my%20skin.png?raw=true',
    'https://raw.githubusercontent.com/a-b/c.d/main/skins/my%20skin.png',
  ],
  ['https://www.github.com/a/b/raw/v1/blob/x.png', 'https://raw.githubusercontent.com/a/b/v1/blob/x.png'],
])('The page %s shows the picture %s', (page, picture) => {
  expect(pictureLink(new URL(page))).toBe(picture);
});

test.each([
  'https://i.imgur.com/BnrJJh2.png',
  'https://imgur.com/a/BnrJJh2',
  'https://imgur.com/gallery/BnrJJh2',
  'https://namemc.com/skin/trending',
  'https://namemc.com/texture/4f0932f4d85b1609.png',
  'https://www.minecraftskins.com/uploads/skins/2021/07/28/buff-villager-18512841.png?v437',
  'https://crafatar.com/skins/853c80ef3c3749fdaa49938b674adae6',
  'https://mc-heads.net/skin/Notch',
  'https://minotar.net/skin/Notch',
  'https://example.org/skin/4f0932f4d85b1609',
  'https://constructor/skin/1',
  'https://github.com/a/b',
  'https://raw.githubusercontent.com/a/b/main/x.png',
])('Any other address stays as it is: %s', (address) => {
  expect(pictureLink(new URL(address))).toBe(address);
});

test.each([
  ['www.example.org/skin.png', true],
  ['imgur.com/BnrJJh2', true],
  [`minesk.in/${ID}`, true],
  ['github.com/a/b/blob/main/x.png', true],
  ['www.example.org', false],
  ['example.org/skin.png', false],
  ['imgur.com/a/BnrJJh2', false],
  ['skins.png/a', false],
  ['https://www.example.org/skin.png', false],
])('An address is recognised without its scheme only if it cannot be a path: %s', (text, isAddress) => {
  expect(lacksScheme(text)).toBe(isAddress);
});
