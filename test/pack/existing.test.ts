import { describe, expect, test } from 'vitest';
import {
  digestOf,
  OwnNamespace,
  ownFilesIn,
  verifyFormats,
  verifyUnchanged,
} from '../../src/pack/existing.ts';
import { formatsOf } from '../../src/pack/games.ts';

const meta = (pack: object) => Buffer.from(JSON.stringify({ pack }));

describe('The formats of a pack.mcmeta', () => {
  test.each<[string, object, { from: number; to: number } | undefined]>([
    ['one number', { pack_format: 46 }, { from: 46, to: 46 }],
    ['a number and a range of two', { pack_format: 22, supported_formats: [22, 75] }, { from: 22, to: 75 }],
    [
      'an object, as ItemsAdder writes it',
      { pack_format: 9, supported_formats: { min_inclusive: 9, max_inclusive: 999 } },
      { from: 9, to: 999 },
    ],
    ['the newest fields', { min_format: 69, max_format: [84, 0] }, { from: 69, to: 84 }],
    [
      'all of them',
      { pack_format: 64, supported_formats: [64, 69], min_format: 64, max_format: 75 },
      { from: 64, to: 75 },
    ],
    ['none', { description: 'mine' }, undefined],
    ['texts', { pack_format: '46' }, undefined],
  ])('are read: %s', (_what, pack, formats) => {
    expect(formatsOf({ pack })).toEqual(formats);
  });
});

describe('A pack', () => {
  test('for versions that show skins from packs takes skins', () => {
    expect(() => verifyFormats(meta({ min_format: 69, max_format: 97 }), false)).not.toThrow();
  });

  test('for older versions too takes skins only with --allow-older', () => {
    const pack = meta({ pack_format: 22, supported_formats: [22, 75] });
    expect(() => verifyFormats(pack, false)).toThrow(
      'is for formats 22 to 75, but skins from packs need format 69 or newer',
    );
    expect(() => verifyFormats(pack, true)).not.toThrow();
  });

  test('for older versions only never takes skins', () => {
    expect(() => verifyFormats(meta({ pack_format: 46 }), true)).toThrow(/is for format 46, but/);
  });

  test.each([
    ['without a pack.mcmeta', undefined, /has no pack\.mcmeta/],
    ['with a damaged one', Buffer.from('{'), /without a format/],
  ])('%s is refused', (_what, bytes, message) => {
    expect(() => verifyFormats(bytes, true)).toThrow(message);
  });
});

describe('Our namespace in a pack of other authors', () => {
  const file = (name: string, text: string) => ({
    path: `assets/npc/textures/entity/player/${name}.png`,
    bytes: Buffer.from(text),
  });
  const own = Object.fromEntries(
    ['same', 'changed', 'gone'].map((name) => [file(name, '').path, [digestOf(file(name, name).bytes)]]),
  );

  test('counts the files that are added, replaced, unchanged and removed', () => {
    const namespace = new OwnNamespace(own, ['pack.mcmeta']);
    for (const one of [file('same', 'same'), file('changed', 'other'), file('new', 'new')])
      namespace.add(one);
    namespace.finish();
    expect(namespace.changes).toEqual({ added: 1, replaced: 1, same: 1, removed: 1 });
    expect([namespace.hasChanged, namespace.gone]).toEqual([true, [file('gone', '').path]]);
  });

  test('replaces no file that is not ours, nor one that differs in capitals only', () => {
    for (const path of [file('a', '').path, 'ASSETS/npc/textures/entity/player/A.png']) {
      const namespace = new OwnNamespace({}, [path]);
      expect(() => namespace.add(file('a', 'mine'))).toThrow(/which skinsmith did not write/);
    }
  });

  test('puts no file below a path that is a file or a link, in any capitals', () => {
    for (const path of ['assets/npc', 'Assets/NPC/textures']) {
      const namespace = new OwnNamespace({}, [path]);
      expect(() => namespace.add(file('a', 'mine'))).toThrow(/^has assets\/npc\S*, which is not a folder/);
    }
    expect(() => new OwnNamespace({}, ['assets/npc/']).add(file('a', 'mine'))).not.toThrow();
  });

  test('recognizes its files by the index, even in the middle of a change', () => {
    const namespace = new OwnNamespace(own, []);
    namespace.add(file('changed', 'other'));
    const text = '{\n  "generator": "skinsmith pack",\n  "skins": []\n}\n';
    const [after, underway] = [namespace.index(text), namespace.index(text, true)].map((index) =>
      ownFilesIn(Buffer.from(index), 'npc'),
    );
    expect(Object.keys(after!)).toEqual([file('changed', '').path]);
    expect(Object.keys(underway!).sort()).toEqual(Object.keys(own).sort());
    expect(underway![file('changed', '').path]).toHaveLength(2);
    expect(JSON.parse(namespace.index(text))).toMatchObject({ generator: 'skinsmith pack', skins: [] });
  });

  test.each([
    ['a file of another namespace', { 'assets/minecraft/textures/entity/player/a.png': ['0'] }],
    ['a file elsewhere', { 'pack.mcmeta': ['0'] }],
    ['a path that leads out', { 'assets/npc/textures/entity/player/../../x.png': ['0'] }],
    ['no digests', { [file('a', '').path]: 'x' }],
    ['nothing', {}],
  ])('ignores an index that claims %s', (_what, files) => {
    expect(() => ownFilesIn(Buffer.from(JSON.stringify({ files })), 'npc')).toThrow(/did not write/);
  });

  test('leaves alone a file that was changed since', () => {
    const { path } = file('same', '');
    expect(() => verifyUnchanged(path, Buffer.from('same'), own)).not.toThrow();
    expect(() => verifyUnchanged(path, Buffer.from('edited'), own)).toThrow(
      /was changed since skinsmith wrote it/,
    );
  });
});
