import { describe, expect, test } from 'vitest';
import { ALL_GAMES, assumedVersions, GAME_VERSIONS, packMeta, parseGames } from '../../src/pack/games.ts';

/** Resource pack and data pack, as `pack_version` in the version.json of each client has them. */
const FORMATS = {
  '1.21.9': [69, 88],
  '1.21.10': [69, 88],
  '1.21.11': [75, 94],
  '26.1': [84, 101],
  '26.1.1': [84, 101],
  '26.1.2': [84, 101],
  '26.2': [88, 107],
  '26.3': [97, 121],
};

test('Every known version of Minecraft has its formats', () => {
  expect(GAME_VERSIONS).toEqual(Object.keys(FORMATS));
});

test.each(Object.entries(FORMATS))(
  'A pack for Minecraft %s names its formats in the new fields only',
  (game, formats) => {
    const metas = (['resource', 'data'] as const).map((kind) =>
      JSON.parse(packMeta(kind, parseGames(game), 'Ours')),
    );
    expect(metas).toEqual(
      formats.map((format) => ({ pack: { description: 'Ours', min_format: format, max_format: format } })),
    );
  },
);

test('A pack for a range of versions is for every version in it', () => {
  expect(JSON.parse(packMeta('resource', ALL_GAMES, '')).pack).toMatchObject({
    min_format: 69,
    max_format: 97,
  });
});

describe('A range of versions', () => {
  test.each([
    ['26.1', { from: '26.1', to: '26.1' }],
    ['1.21.11..26.2', { from: '1.21.11', to: '26.2' }],
    ['26.1..', { from: '26.1', to: '26.3' }],
    ['..26.1', { from: '1.21.9', to: '26.1' }],
    [' 26.1 .. 26.2 ', { from: '26.1', to: '26.2' }],
  ])('is read: %s', (text, range) => {
    expect(parseGames(text)).toEqual(range);
  });

  test.each([
    ['26.1.3', '26.1.2'],
    ['1.21.12', '1.21.11'],
    ['26.3.1', '26.3'],
    ['26.4', '26.3'],
    ['27.1', '26.3'],
  ])('takes %s, with the formats of %s', (version, as) => {
    expect(assumedVersions(parseGames(version))).toEqual([{ version, as }]);
    expect(packMeta('resource', parseGames(version), '')).toBe(packMeta('resource', parseGames(as), ''));
  });

  test('has no assumed versions when both ends are known', () => {
    expect(assumedVersions(ALL_GAMES)).toEqual([]);
  });

  test.each([
    ['26.5', /names no version that is known here/],
    ['28.1', /names no version that is known here/],
    ['27.2', /names no version that is known here/],
    ['26.4..26.1', /ends before it begins/],
    ['1.21.8', /names Minecraft 1\.21\.8, which takes no skins from resource packs: 1\.21\.9 is the first/],
    ['1.8..26.1', /names Minecraft 1\.8,/],
    ['26.2..26.1', /ends before it begins/],
    ['26.1..26.2..26.3', /more than two/],
    ['99.1', /names no version that is known here: 1\.21\.9, .*26\.3/],
    ['latest', /names no version that is known here/],
    ['__proto__', /names no version that is known here/],
  ])('is refused: %s', (text, problem) => {
    expect(() => parseGames(text)).toThrow(problem);
  });
});
