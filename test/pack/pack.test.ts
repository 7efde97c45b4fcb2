import { expect, test } from 'vitest';
import { ALL_GAMES } from '../../src/pack/games.ts';
import { DataPack, type PackFile, ResourcePack } from '../../src/pack/pack.ts';
import { capeTexture, skinTexture } from '../../src/pack/texture.ts';
import { makePicture } from '../../src/skin/picture.ts';
import { encodePng } from '../../src/skin/png/encode.ts';
import { readHeader } from '../../src/skin/png/header.ts';
import { drawFigure, fill } from '../support/skin/drawing.ts';

const OPTIONS = { namespace: 'npc', game: ALL_GAMES, description: 'Skins of npc' };
const SLIM = skinTexture(encodePng(drawFigure('slim')));
const CLASSIC = skinTexture(encodePng(drawFigure('classic')));
const CAPE = capeTexture(
  encodePng(fill(makePicture(64, 32), { x: 0, y: 0, width: 22, height: 17 }, [200, 0, 0, 255])),
);

function texts(files: readonly PackFile[]): Record<string, string> {
  return Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]));
}

test('Each skin has textures of its own in the pack, even if another has the same picture', () => {
  const pack = new ResourcePack(OPTIONS);
  const added = [
    pack.add({ id: 'town_guard', name: 'Town Guard', skin: SLIM, cape: CAPE }),
    pack.add({ id: 'smiths/tom', name: 'Tom', skin: CLASSIC, cape: CAPE, elytra: CAPE }),
    pack.add({ id: 'town_guard-1a2b3c', name: 'town guard', skin: SLIM }),
  ];
  expect(added.map(({ files }) => files.map(({ path }) => path))).toEqual([
    ['assets/npc/textures/entity/player/town_guard.png', 'assets/npc/textures/entity/cape/town_guard.png'],
    [
      'assets/npc/textures/entity/player/smiths/tom.png',
      'assets/npc/textures/entity/cape/smiths/tom.png',
      'assets/npc/textures/entity/elytra/smiths/tom.png',
    ],
    ['assets/npc/textures/entity/player/town_guard-1a2b3c.png'],
  ]);
  expect(added.map(({ skin }) => skin)).toEqual([
    {
      id: 'town_guard',
      name: 'Town Guard',
      variant: 'slim',
      pixels: SLIM.pixels,
      texture: 'npc:entity/player/town_guard',
      cape: 'npc:entity/cape/town_guard',
    },
    {
      id: 'smiths/tom',
      name: 'Tom',
      variant: 'classic',
      pixels: CLASSIC.pixels,
      texture: 'npc:entity/player/smiths/tom',
      cape: 'npc:entity/cape/smiths/tom',
      elytra: 'npc:entity/elytra/smiths/tom',
    },
    {
      id: 'town_guard-1a2b3c',
      name: 'town guard',
      variant: 'slim',
      pixels: SLIM.pixels,
      texture: 'npc:entity/player/town_guard-1a2b3c',
    },
  ]);
  expect(pack.textures).toBe(4);
});

test('The data pack has a function for each head and each mannequin, and two for all of them', () => {
  const pack = new ResourcePack(OPTIONS);
  const functions = new DataPack(OPTIONS);
  const one = functions.add(pack.add({ id: 'town_guard', name: 'Town Guard', skin: SLIM, cape: CAPE }).skin);
  const two = functions.add(pack.add({ id: 'smiths/tom', name: 'Tom', skin: CLASSIC }).skin);
  const look =
    'profile:{texture:"npc:entity/player/town_guard",cape:"npc:entity/cape/town_guard",model:slim}';
  const life = 'immovable:true,Invulnerable:true,Health:20f';
  const guard = (tags: string) => `{${look},description:{text:"Town Guard"},${life},Tags:[${tags}]}`;
  const tom = (tags: string) =>
    `{profile:{texture:"npc:entity/player/smiths/tom",model:wide},description:{text:"Tom"},${life},Tags:[${tags}]}`;
  const [alone, inLine] = ['"npc"', '"npc","npc+lineup"'];
  expect(texts([...one, ...two, ...functions.rest()])).toEqual({
    'data/npc/function/give/town_guard.mcfunction': `give @p player_head[${look.replace(':', '=')},custom_name={text:"Town Guard",italic:false}]\n`,
    'data/npc/function/summon/town_guard.mcfunction': `summon mannequin ~ ~ ~ ${guard(alone)}\n`,
    'data/npc/function/give/smiths/tom.mcfunction':
      'give @p player_head[profile={texture:"npc:entity/player/smiths/tom",model:wide},custom_name={text:"Tom",italic:false}]\n',
    'data/npc/function/summon/smiths/tom.mcfunction': `summon mannequin ~ ~ ~ ${tom(alone)}\n`,
    'data/npc/function/lineup.mcfunction': `kill @e[type=mannequin,tag=npc+lineup]\nsummon mannequin ~2 ~ ~0 ${guard(inLine)}\nsummon mannequin ~4 ~ ~0 ${tom(inLine)}\n`,
    'data/npc/function/remove.mcfunction': 'kill @e[type=mannequin,tag=npc]\n',
  });
});

test('The mannequins of a data pack can be hurt if the user wants that', () => {
  const functions = new DataPack({ ...OPTIONS, isVulnerable: true });
  const files = functions.add(new ResourcePack(OPTIONS).add({ id: 'tom', name: 'Tom', skin: SLIM }).skin);
  const text = Object.values(texts([...files, ...functions.rest()])).join('');
  expect(text).toContain('immovable:true,Tags:["npc"]}');
  expect(text).not.toMatch(/Invulnerable|Health/);
});

test('The icon shows the faces of the first skins', () => {
  const pack = new ResourcePack(OPTIONS);
  pack.add({ id: 'a', name: 'a', skin: SLIM });
  const { path, bytes } = pack.icon();
  expect([path, readHeader(bytes)]).toMatchObject(['pack.png', { width: 128, height: 128 }]);
});
