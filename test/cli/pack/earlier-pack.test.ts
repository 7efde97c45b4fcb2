import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { EarlierPack } from '../../../src/cli/pack/earlier-pack.ts';
import { makePicture } from '../../../src/skin/picture.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { packWorkshop } from '../../support/cli/pack-workshop.ts';
import { webServer } from '../../support/server/web-server.ts';
import { fill } from '../../support/skin/drawing.ts';

test('A new file does not change the names of others, wherever it sorts in the folder', async () => {
  const { draw, pack, shown } = await packWorkshop();
  await draw('рыцарь.png', 1);
  await draw('стражник.png', 2);
  await pack();
  expect(await shown()).toEqual({ rytsar: 1, strazhnik: 2 });
  await draw('лекарь.png', 3);
  await pack();
  expect(await shown()).toEqual({ lekar: 3, rytsar: 1, strazhnik: 2 });
});

test('A name in the last pack stays, and only a new source with the same name gets digits', async () => {
  const { draw, pack, shown } = await packWorkshop();
  await draw('guard.png', 1);
  await pack();
  await draw('Guard.png', 2);
  const { err } = await pack();
  expect(await shown()).toEqual({ guard: 1, 'guard-c8d3fc': 2 });
  expect(err).toContain('Guard.png: the name is taken, so the pack calls it guard-c8d3fc.');
  expect(err).toContain('2 skins (1 added, 1 kept)');
  expect((await pack()).err).not.toContain('another source');
});

test('Two sources with equal pixels both keep their names, even after one of them is edited', async () => {
  const { draw, pack, shown } = await packWorkshop();
  await draw('anna.png', 1);
  await draw('tom.png', 1);
  await pack();
  expect(await shown()).toEqual({ anna: 1, tom: 1 });
  await draw('anna.png', 2);
  await pack();
  expect(await shown()).toEqual({ anna: 2, tom: 1 });
});

describe('A skin whose source is gone', () => {
  test('stays in the pack and keeps its name, until it is pruned', async () => {
    const { draw, remove, pack, shown, folder } = await packWorkshop();
    const datapack = join(folder, 'functions.zip');
    await draw('guard.png', 1);
    await draw('smith.png', 2);
    await pack({ datapack });
    await remove('guard.png');
    await draw('GUARD.png', 3);
    const kept = await pack({ datapack });
    expect([kept.status, await shown()]).toEqual([0, { guard: 1, 'guard-f61b20': 3, smith: 2 }]);
    expect(kept.err).toContain('although the source is gone or cannot be used: guard. --prune drops');
    expect(Object.keys(unzipSync(await readFile(datapack)))).toContain(
      'data/skinsmith/function/give/guard.mcfunction',
    );
    const pruned = await pack({ datapack, prune: true }, { flags: { json: true } });
    expect(await shown()).toEqual({ 'guard-f61b20': 3, smith: 2 });
    expect(JSON.parse(pruned.out)).toMatchObject({ skins: 2, added: 0, dropped: ['guard'], sourceless: [] });
    await draw('guard.png', 4);
    await pack({ datapack });
    expect(Object.keys(await shown())).toHaveLength(3);
  });

  test('stays with its cape', async () => {
    const { draw, pack, folder, out } = await packWorkshop();
    const red = encodePng(fill(makePicture(64, 32), { x: 0, y: 0, width: 22, height: 17 }, [200, 0, 0, 255]));
    const list = join(folder, 'list.csv');
    await writeFile(join(folder, 'red.png'), red);
    await draw('guard.png', 1);
    await draw('smith.png', 2);
    await writeFile(list, 'source,cape\nskins/guard.png,red.png\nskins/smith.png,\n');
    await pack({ sources: [], from: [list] });
    await writeFile(list, 'source,cape\nskins/smith.png,\n');
    await pack({ sources: [], from: [list] });
    const files = unzipSync(await readFile(out));
    expect(Buffer.from(files['assets/skinsmith/textures/entity/cape/skins/guard.png']!).equals(red)).toBe(
      true,
    );
  });

  test('makes the run fail, instead of being left out, if the last pack is gone too', async () => {
    const { draw, remove, pack, out } = await packWorkshop();
    await draw('guard.png', 1);
    await draw('smith.png', 2);
    await pack();
    await rm(out);
    expect((await pack()).status).toBe(0);
    await rm(out);
    await remove('guard.png');
    const { told } = await pack();
    expect(told).toMatchObject({
      code: 'texture_gone',
      message: expect.stringMatching(/^skins\/guard\.png cannot be used, and .*pack\.zip does not have/),
      hint: expect.stringContaining('--prune'),
    });
    expect(existsSync(out)).toBe(false);
    expect((await pack({ prune: true })).status).toBe(0);
  });
});

test('A broken source keeps its name and its last picture, and prevents pruning', async () => {
  const { draw, remove, pack, shown, skins } = await packWorkshop();
  await draw('guard.png', 1);
  await draw('smith.png', 2);
  await draw('tom.png', 3);
  await pack();
  await writeFile(join(skins, 'guard.png'), 'broken');
  await remove('tom.png');
  const { status, err } = await pack({ prune: true });
  expect([status, await shown()]).toEqual([1, { guard: 1, smith: 2, tom: 3 }]);
  expect(err).toContain('Nothing was dropped, as a source could not be used.');
  await draw('guard.png', 4);
  expect((await pack({ prune: true })).status).toBe(0);
  expect(await shown()).toEqual({ guard: 4, smith: 2 });
});

describe('The index', () => {
  test('of a zip is named after the zip, so that two packs can share a folder', async () => {
    const { draw, pack, folder, index } = await packWorkshop();
    await draw('guard.png', 1);
    await pack();
    await pack({ out: join(folder, 'other.zip'), namespace: 'other' });
    await pack();
    expect([(await index()).namespace, (await index('other.skins.json')).namespace]).toEqual([
      'skinsmith',
      'other',
    ]);
  });

  test('is read from its copy in the zip, which has no paths, if the file was deleted', async () => {
    const { draw, pack, shown, index, folder, out } = await packWorkshop();
    await draw('secret/guard.png', 1);
    await pack({ sources: [join(folder, 'skins/secret')] });
    const before = await index();
    const inside = Buffer.from(unzipSync(await readFile(out))['skins.json']!).toString();
    expect(inside).not.toContain('secret');
    await rm(join(folder, 'pack.skins.json'));
    await draw('secret/Guard.png', 2);
    await pack({ sources: [join(folder, 'skins/secret')] });
    expect(await shown()).toEqual({ guard: 1, 'guard-c8d3fc': 2 });
    expect((await index()).skins).toContainEqual(before.skins[0]);
  });

  test('can be in a place that the user names', async () => {
    const { draw, pack, folder, shown } = await packWorkshop();
    const [index, out] = [join(folder, 'names.json'), join(folder, 'new.zip')];
    await draw('guard.png', 1);
    await pack({ index });
    await draw('Guard.png', 2);
    await pack({ index, out });
    expect(await shown(out)).toEqual({ guard: 1, 'guard-c8d3fc': 2 });
    expect(existsSync(join(folder, 'new.skins.json'))).toBe(false);
  });

  test('of a pack in a folder is in that folder', async () => {
    const { draw, remove, pack, folder } = await packWorkshop();
    const out = join(folder, 'pack');
    await draw('guard.png', 1);
    await pack({ out });
    await remove('guard.png');
    await draw('Guard.png', 2);
    await pack({ out });
    const { skins } = JSON.parse(await readFile(join(out, 'skins.json'), 'utf8'));
    expect(skins.map(({ id }: { id: string }) => id)).toEqual(['guard-c8d3fc', 'guard']);
    expect(existsSync(join(out, 'assets/skinsmith/textures/entity/player/guard.png'))).toBe(true);
  });

  test('of the previous version keeps its names, although they have numbers', async () => {
    const { draw, pack, folder, index, shown, skins } = await packWorkshop();
    await draw('Guard.png', 1);
    await draw('guard.png', 2);
    await draw('twin.png', 2);
    await pack();
    const { version: _version, ...made } = await index();
    const old = {
      ...made,
      skins: made.skins.map((skin: { source: string; pixels: string }, at: number) => ({
        ...skin,
        source: join(folder, skin.source),
        id: ['guard', 'guard-2', 'skin'][at],
        texture: `skinsmith:entity/player/${['guard', 'guard-2', 'guard-2'][at]}`,
      })),
    };
    await rm(join(folder, 'pack.skins.json'));
    await rm(join(folder, 'pack.zip'));
    await writeFile(join(folder, 'skins.json'), JSON.stringify(old, undefined, 2));
    await draw('GUARD.png', 3);
    expect((await pack({ sources: [skins] })).status).toBe(0);
    expect(await shown()).toEqual({ guard: 1, 'guard-2': 2, skin: 2, 'guard-f61b20': 3 });
  });

  test('with another namespace is refused, and nothing is written', async () => {
    const { draw, pack, out, index } = await packWorkshop();
    await draw('guard.png', 1);
    await pack({ namespace: 'npc' });
    const before = [await readFile(out), await index()];
    const { told } = await pack();
    expect(told).toMatchObject({ code: 'other_namespace', hint: expect.stringContaining('--namespace npc') });
    expect([await readFile(out), await index()]).toEqual(before);
  });

  test('that is damaged is refused with its line, and nothing is written', async () => {
    const { draw, pack, out, folder } = await packWorkshop();
    const index = join(folder, 'pack.skins.json');
    await draw('guard.png', 1);
    await draw('smith.png', 2);
    await pack();
    const text = await readFile(index, 'utf8');
    const before = await readFile(out);
    await writeFile(index, text.replace('"id":"smith"', '"id":"guard"'));
    await draw('tom.png', 3);
    const { told } = await pack({ overwrite: true });
    expect(told).toMatchObject({
      code: 'invalid_index',
      message: expect.stringMatching(/pack\.skins\.json, line 10: skin 2 has the ID guard/),
    });
    expect([await readFile(out), await readFile(index, 'utf8')]).toEqual([
      before,
      text.replace('"id":"smith"', '"id":"guard"'),
    ]);
  });

  test('of another pack is refused unless the user names it', async () => {
    const { draw, pack, folder } = await packWorkshop();
    await draw('guard.png', 1);
    await pack();
    await copyFile(join(folder, 'pack.skins.json'), join(folder, 'other.skins.json'));
    const out = join(folder, 'other.zip');
    expect((await pack({ out })).told?.code).toBe('index_of_other_pack');
    expect((await pack({ out, index: join(folder, 'other.skins.json') })).status).toBe(0);
    expect((await pack({ out })).status).toBe(0);
  });
});

test('A run never reuses names that another run has meanwhile written to the pack', async () => {
  const { draw, pack, skins, out } = await packWorkshop();
  await draw('guard.png', 1);
  await pack();
  const site = await webServer(async (_request, response) => {
    await draw('tom.png', 2);
    await pack();
    response.end(await readFile(join(skins, 'guard.png')));
  });
  const { told } = await pack({ sources: [skins, `${site.url}/url.png`] });
  expect(told?.code).toBe('pack_changed');
  expect(Object.keys(unzipSync(await readFile(out)))).toContain(
    'assets/skinsmith/textures/entity/player/tom.png',
  );
});

test.each(['pack.zip', 'pack.skins.json'])(
  'A run ends without a pack if another run has written %s',
  async (name) => {
    const { folder, draw, pack, out } = await packWorkshop();
    await draw('guard.png', 1);
    await pack();
    const earlier = new EarlierPack({ name: out, kind: 'zip' }, undefined);
    earlier.verifyUnchanged();
    const path = join(folder, name);
    await writeFile(path, await readFile(path));
    await utimes(path, 1, 1);
    expect(() => earlier.verifyUnchanged()).toThrow(expect.objectContaining({ code: 'pack_changed' }));
    earlier.close();
  },
);
