import { describe, expect, test } from 'vitest';
import { IndexError, type IndexedSkin, indexText, parseIndex } from '../../src/pack/pack-index.ts';

const TOM: IndexedSkin = {
  source: 'skins/tom.png',
  id: 'tom',
  name: 'Tom',
  variant: 'slim',
  pixels: 'a'.repeat(64),
  texture: 'npc:entity/player/tom',
  cape: 'npc:entity/cape/tom',
};
const ANN = { ...TOM, id: 'town/ann', texture: 'npc:entity/player/town/ann' };
const INDEX = { namespace: 'npc', game: '1.21.9..26.3', pack: 'pack.zip', sha1: 'b'.repeat(40) };

function textOf(...skins: readonly object[]): string {
  return indexText({ ...INDEX, skins: skins as readonly IndexedSkin[] });
}

test('An index is read as it was written, also after a program has reformatted it', () => {
  const index = { ...INDEX, version: 2, skins: [TOM, ANN] };
  const text = textOf(TOM, ANN);
  expect(parseIndex(text)).toEqual(index);
  expect(parseIndex(JSON.stringify(JSON.parse(text), undefined, 4))).toEqual(index);
});

test('An index without a version is one of the first version', () => {
  const text = textOf(TOM).replace('  "version": 2,\n', '');
  expect(parseIndex(text).version).toBe(1);
});

describe('A damaged index is refused', () => {
  const good = textOf(TOM, ANN);
  test.each([
    ['cut off', good.slice(0, good.indexOf('"town/ann"')), 'it is not JSON', 10],
    [
      'in a conflict of a merge',
      good.replace('    {"source"', '<<<<<<< ours\n    {"source"'),
      'it is not JSON',
      9,
    ],
    ['with an id twice', textOf(ANN, TOM, TOM), 'skin 3 has the ID tom, which another skin has too', 11],
    ['with an id elsewhere', textOf(TOM, { ...ANN, id: '../x' }), 'skin 2 has no ID that packs may have', 10],
    ['with a capital in an id', textOf({ ...ANN, id: 'Ann' }), 'skin 1 has no ID that packs may have', 9],
    [
      'with a texture of another namespace',
      textOf({ ...ANN, texture: 'minecraft:entity/player/x' }),
      'skin 1 has a texture outside of the textures of npc',
      9,
    ],
    [
      'with a cape elsewhere',
      textOf({ ...ANN, cape: 'npc:entity/cape/../../x' }),
      'skin 1 has a cape outside',
      9,
    ],
    [
      'nested too deep',
      good.replace('"skins"', `"x": ${'['.repeat(999)}${']'.repeat(999)}, "skins"`),
      'it is nested too deep',
      undefined,
    ],
    ['without pixels', textOf({ ...ANN, pixels: 'a' }), 'skin 1 has no pixel hash', 9],
    ['with a number as its source', textOf({ ...ANN, source: 1 }), 'skin 1 has no source or no name', 9],
    [
      'of a newer version',
      good.replace('"version": 2', '"version": 3'),
      'it was written by a newer skinsmith',
      undefined,
    ],
    [
      'of another program',
      good.replace('skinsmith pack', 'other'),
      'it is not the index of a pack',
      undefined,
    ],
    [
      'with a namespace of Minecraft',
      good.replace('"npc"', '"minecraft"'),
      "it has a namespace that is Minecraft's",
      undefined,
    ],
    ['with nothing but null', 'null', 'it is not the index of a pack of skinsmith', undefined],
    [
      'with a number for skins',
      '{"generator":"skinsmith pack","namespace":"npc","skins":1}',
      'it lacks the fields',
      undefined,
    ],
  ])('%s', (_name, text, message, line) => {
    expect(() => parseIndex(text)).toThrow(IndexError);
    expect(() => parseIndex(text)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), line }),
    );
  });
});
