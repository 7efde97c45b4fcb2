import { hash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync, type Zippable, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import type { PackOptions } from '../../../src/cli/commands/pack.ts';
import { exitStatus } from '../../../src/cli/errors/exit.ts';
import { openExisting } from '../../../src/cli/pack/existing-pack.ts';
import { packWorkshop, shownIn } from '../../support/cli/pack-workshop.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';

const NEW = { min_format: 69, max_format: 97 };

/** Packs in the layouts that the programs write, with what a careless change would break. */
const LAYOUTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // ItemsAdder: generated.zip, with its own namespace, fonts, sounds and atlases of Minecraft.
  ItemsAdder: {
    'pack.mcmeta': JSON.stringify({
      pack: {
        description: 'IA',
        pack_format: 69,
        supported_formats: { min_inclusive: 69, max_inclusive: 999 },
      },
    }),
    'assets/minecraft/atlases/blocks.json':
      '{"sources":[{"type":"directory","source":"item","prefix":"item/"}]}',
    'assets/minecraft/sounds.json': '{"music.menu":{"replace":true,"sounds":[]}}',
    'assets/minecraft/font/default.json': '{"providers":[]}',
    'assets/_iainternal/textures/gui/blank.png': 'png',
    'assets/myitems/items/sword.json': '{}',
  },
  // Oraxen: pack.zip with models of items of Minecraft that it extends.
  Oraxen: {
    'pack.mcmeta': JSON.stringify({ pack: { description: '§9Oraxen', ...NEW } }),
    'pack.png': 'icon',
    'assets/minecraft/models/item/paper.json': '{"overrides":[]}',
    'assets/minecraft/shaders/core/rendertype_text.vsh': '#version 150',
    'assets/oraxen/textures/default/amethyst.png': 'png',
  },
  // Nexo: overlays for several versions.
  Nexo: {
    'pack.mcmeta': JSON.stringify({
      pack: { description: 'Nexo', ...NEW },
      overlays: { entries: [{ directory: 'nexo_1_21_9', ...NEW }] },
    }),
    'nexo_1_21_9/assets/nexo/items/a.json': '{}',
    'assets/nexo/items/a.json': '{}',
    'assets/nexo/sounds.json': '{}',
  },
  // Vanilla Tweaks: texts beside the assets, names with spaces.
  'Vanilla Tweaks': {
    'pack.mcmeta': JSON.stringify({ pack: { description: 'VT', ...NEW } }),
    'Selected Packs.txt': 'a\nb\n',
    'credits.txt': 'c',
    'assets/minecraft/textures/entity/player/wide/steve.png': 'theirs',
    'assets/minecraft/textures/block/stone.png': 'png',
  },
};

function zipOf(files: Readonly<Record<string, string>>): Uint8Array {
  const entries = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]);
  return zipSync(Object.fromEntries(entries) as Zippable, { mtime: '2026-01-01' });
}

async function workshop(files = LAYOUTS['Oraxen']!) {
  const shop = await packWorkshop();
  const server = join(shop.folder, 'server.zip');
  await writeFile(server, zipOf(files));
  await shop.draw('guard.png', 1);
  await shop.draw('smith.png', 2);
  /** With an error as the program prints it. */
  const run = async (options: Partial<PackOptions>) => {
    const ran = await shop.pack({ out: undefined, namespace: 'npc', ...options } as Partial<PackOptions>);
    const { told } = ran;
    if (!told) return ran;
    return { ...ran, status: exitStatus(told.exit), err: `${ran.err}${told.message}\n${told.hint ?? ''}` };
  };
  const into = async (options: Partial<PackOptions> = {}) => await run({ into: server, ...options });
  const takeOut = async (options: Partial<PackOptions> = {}) =>
    await run({ sources: [], recursive: undefined, removeFrom: server, ...options });
  const bytes = async () => await readFile(server);
  const copies = async () =>
    (await readdir(shop.folder)).filter((name) => /^server\.[0-9a-f]{8}\.zip$/.test(name));
  return {
    ...shop,
    server,
    into,
    takeOut,
    bytes,
    copies,
    shown: async () =>
      shownIn(unzipSync(await bytes(), { filter: ({ name }) => name.startsWith('assets/npc/') })),
  };
}

describe.each(Object.entries(LAYOUTS))('A pack of %s', (_name, files) => {
  test('takes skins, keeps all other files byte by byte and in order, and gives the skins up again', async () => {
    const { into, takeOut, bytes, shown, copies } = await workshop(files);
    const before = await bytes();
    const { status, out, err } = await into();
    const after = await bytes();
    expect([status, out]).toEqual([0, `resource-pack-sha1=${hash('sha1', after)}\n`]);
    expect(err).toMatch(
      /Textures: 2 added\. The other \d files are as before\. The pack as it was: .*server\.[0-9a-f]{8}\.zip\./,
    );
    expect(await copies()).toEqual([`server.${hash('sha1', before).slice(0, 8)}.zip`]);
    const unzipped = unzipSync(after);
    const paths = Object.keys(unzipped);
    expect(paths.slice(0, Object.keys(files).length)).toEqual(Object.keys(files));
    expect(
      Object.fromEntries(Object.keys(files).map((path) => [path, Buffer.from(unzipped[path]!).toString()])),
    ).toEqual(files);
    expect(paths.slice(Object.keys(files).length)).toEqual([
      'assets/npc/textures/entity/player/guard.png',
      'assets/npc/textures/entity/player/smith.png',
      'assets/npc/skins.json',
    ]);
    expect(await shown()).toMatchObject({ guard: 1, smith: 2 });
    expect((await takeOut()).status).toBe(0);
    expect(await bytes()).toEqual(before);
  });
});

describe("Skins in someone else's pack", () => {
  test('keep their ids when other skins come, go and change, and stay without a source until they are pruned', async () => {
    const { into, draw, remove, shown } = await workshop();
    await into();
    await draw('a/guard.png', 3);
    await draw('smith.png', 4);
    await remove('guard.png');
    const { err } = await into();
    expect(err).toMatch(/Textures: 1 added, 1 replaced\./);
    const now = await shown();
    expect(now).toMatchObject({ guard: 1, smith: 4 });
    expect(Object.values(now).sort()).toEqual([1, 3, 4]);
    await into({ prune: true });
    const { guard: _guard, ...rest } = now;
    expect(await shown()).toEqual(rest);
  });

  test('are not written again when nothing has changed', async () => {
    const { into, bytes, copies } = await workshop();
    await into();
    const before = await bytes();
    const { status, err } = await into();
    expect([status, err]).toEqual([0, expect.stringMatching(/^Kept .*Nothing had to be changed\.$/m)]);
    expect(await bytes()).toEqual(before);
    expect(await copies()).toHaveLength(1);
  });

  test('of two namespaces do not affect each other', async () => {
    const { into, takeOut, bytes } = await workshop();
    await into();
    await into({ namespace: 'town' });
    expect((await takeOut()).status).toBe(0);
    expect(Object.keys(unzipSync(await bytes())).filter((path) => path.endsWith('guard.png'))).toEqual([
      'assets/town/textures/entity/player/guard.png',
    ]);
  });

  test('are only counted with --dry-run, which writes nothing', async () => {
    const { folder, into, takeOut, bytes } = await workshop();
    const [before, files] = [await bytes(), await readdir(folder)];
    const { status, out, err } = await into({ dryRun: true });
    expect([status, out]).toEqual([0, '']);
    expect(err).toMatch(/^Would write .*server\.zip: 2 skins.*Textures: 2 added\./m);
    expect([await bytes(), await readdir(folder)]).toEqual([before, files]);
    await into();
    const changed = await bytes();
    const there = await readdir(folder);
    expect((await takeOut({ dryRun: true })).err).toMatch(/^Would change .* Textures: 2 removed\./m);
    expect([await bytes(), await readdir(folder)]).toEqual([changed, there]);
  });

  test('show no sources to players', async () => {
    const { skins, into, bytes } = await workshop();
    await into();
    const index = Buffer.from(unzipSync(await bytes())['assets/npc/skins.json']!).toString();
    expect(index).not.toContain(skins);
    const hidden = (path: string) => `sha256:${hash('sha256', path).slice(0, 32)}`;
    expect(JSON.parse(index).skins.map(({ source }: { source: string }) => source)).toEqual([
      hidden('skins/guard.png'),
      hidden('skins/smith.png'),
    ]);
  });
});

describe("Someone else's pack is left as it is", () => {
  const theirs = 'assets/npc/textures/entity/player/guard.png';
  const older = JSON.stringify({ pack: { pack_format: 22, supported_formats: [22, 75] } });
  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      'when a file of theirs has the name',
      { ...LAYOUTS['Oraxen'], [theirs]: 'theirs' },
      /has .*guard\.png, which skinsmith did not write.*--namespace/s,
    ],
    [
      'when theirs differs in capitals only',
      { ...LAYOUTS['Oraxen'], [theirs.replace('npc', 'NPC')]: 'x' },
      /did not write/,
    ],
    [
      'when they have a file in place of the index',
      { ...LAYOUTS['Oraxen'], 'assets/npc/skins.json': '{"skins":[]}' },
      /has assets\/npc\/skins\.json, which skinsmith did not write/,
    ],
    [
      'when it is for older versions too',
      { 'pack.mcmeta': older },
      /is for formats 22 to 75, but skins from packs need format 69 .*--allow-older/s,
    ],
    ['when it is no pack', { 'pack/pack.mcmeta': '{}' }, /has no pack\.mcmeta/],
  ])('%s', async (_when, files, message) => {
    const { folder, into, bytes } = await workshop(files);
    const [before, names] = [await bytes(), await readdir(folder)];
    const { status, err } = await into();
    expect(status).not.toBe(0);
    expect(err).toMatch(message);
    expect([await bytes(), await readdir(folder)]).toEqual([before, names]);
  });

  test('when a skin in it was changed by hand', async () => {
    const { server, into, draw, bytes } = await workshop();
    await into();
    const files = unzipSync(await bytes());
    const edited = zipSync({ ...files, [theirs]: Buffer.from(skinPng(9)) });
    await writeFile(server, edited);
    await draw('guard.png', 3);
    const { status, err } = await into();
    expect(status).not.toBe(0);
    expect(err).toMatch(/has .*guard\.png, which was changed since skinsmith wrote it/);
    expect(await bytes()).toEqual(Buffer.from(edited));
  });

  test('when it changes while it is read', async () => {
    const { server, bytes } = await workshop();
    const pack = openExisting({ name: server, kind: 'zip' }, { namespace: 'npc', isOlderAllowed: false });
    pack.add({ path: theirs, bytes: Buffer.from('new') });
    pack.add({ path: 'skins.json', bytes: Buffer.from('{\n}\n') });
    pack.finish(() => '');
    const edited = zipOf(LAYOUTS['Nexo']!);
    await writeFile(server, edited);
    expect(() => pack.put()).toThrow(/changed in the meantime, so it was left as it is/);
    pack.discard();
    expect(await bytes()).toEqual(Buffer.from(edited));
  });

  test('and reported as missing if it does not exist', async () => {
    const { server, into, takeOut } = await workshop();
    await rm(server);
    expect((await into()).err).toMatch(/There is no pack .*server\.zip.*To make a new one: --out/s);
    expect((await takeOut()).err).toMatch(/There is no pack/);
  });

  test('when it has no skins to remove', async () => {
    const { takeOut } = await workshop();
    expect((await takeOut()).err).toMatch(/has no skins of the namespace npc/);
  });
});

test('A pack that is also for older versions takes skins if the user says so', async () => {
  const { into, shown } = await workshop({
    'pack.mcmeta': JSON.stringify({ pack: { pack_format: 22, supported_formats: [22, 75] } }),
  });
  expect((await into({ allowOlder: true })).status).toBe(0);
  expect(await shown()).toEqual({ guard: 1, smith: 2 });
});

describe("Someone else's pack in a folder", () => {
  async function inFolder() {
    const shop = await workshop();
    const folder = join(shop.folder, 'server');
    for (const [path, text] of Object.entries(LAYOUTS['Nexo']!)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const files = async () => {
      const names = await readdir(folder, { recursive: true, withFileTypes: true });
      const paths = names
        .filter((one) => one.isFile())
        .map((one) => join(one.parentPath, one.name).slice(folder.length + 1));
      return Object.fromEntries(
        await Promise.all(
          paths.sort().map(async (path) => [path, (await readFile(join(folder, path))).toString('latin1')]),
        ),
      );
    };
    return {
      ...shop,
      folder,
      files,
      put: async (options = {}) => await shop.into({ into: folder, ...options }),
    };
  }

  test('takes skins among its files, and is as it was when they are removed', async () => {
    const { folder, files, put, takeOut } = await inFolder();
    const before = await files();
    expect((await put()).status).toBe(0);
    expect(Object.keys(await files()).filter((path) => !(path in before))).toEqual([
      'assets/npc/skins.json',
      'assets/npc/textures/entity/player/guard.png',
      'assets/npc/textures/entity/player/smith.png',
    ]);
    expect(await files()).toMatchObject(before);
    expect((await takeOut({ removeFrom: folder })).status).toBe(0);
    expect(await files()).toEqual(before);
    expect(await readdir(join(folder, 'assets'))).toEqual(['nexo']);
  });

  test('gets and loses no files in places that a link in it leads to', async () => {
    const { folder, put, takeOut } = await inFolder();
    await put();
    const elsewhere = `${folder}-elsewhere`;
    await rename(join(folder, 'assets/npc'), elsewhere);
    await symlink(elsewhere, join(folder, 'assets/npc'));
    const before = await readdir(elsewhere, { recursive: true });
    expect((await put({ namespace: 'npc' })).err).toMatch(/has assets\/npc, which is not a folder/);
    expect((await takeOut({ removeFrom: folder })).err).toMatch(/has no skins of the namespace npc/);
    expect(await readdir(elsewhere, { recursive: true })).toEqual(before);
  });

  test('is completed by the next run after a kill between two files', async () => {
    const { folder, files, put, draw } = await inFolder();
    await put();
    await cp(folder, `${folder}-before`, { recursive: true });
    await draw('guard.png', 3);
    await draw('smith.png', 4);
    await put();
    const after = await files();
    // Killed: the index knows both states, one file is the new one, the other still the old one.
    const index = join(folder, 'assets/npc/skins.json');
    const smith = 'assets/npc/textures/entity/player/smith.png';
    const underway = JSON.parse(await readFile(index, 'utf8'));
    const old = JSON.parse(await readFile(join(`${folder}-before`, 'assets/npc/skins.json'), 'utf8'));
    for (const path of Object.keys(underway.files)) underway.files[path].push(...old.files[path]);
    await writeFile(index, JSON.stringify(underway));
    await cp(join(`${folder}-before`, smith), join(folder, smith));
    expect((await put()).status).toBe(0);
    expect(await files()).toEqual(after);
  });
});

test.each<[string, Partial<PackOptions>, RegExp]>([
  ['no pack', { into: undefined } as unknown as Partial<PackOptions>, /Name the pack once/],
  ['two packs', { out: 'pack.zip' }, /Name the pack once/],
  ['an icon for it', { icon: true }, /--icon works only with --out/],
  ['an index for it', { index: 'i.json' }, /--index works only with --out/],
  ['other files to be replaced', { overwrite: true }, /--overwrite works only with --out/],
])("A run into someone else's pack refuses %s", async (_what, options, message) => {
  const { into } = await workshop();
  const { status, err } = await into(options);
  expect([status, err]).toEqual([2, expect.stringMatching(message)]);
});
