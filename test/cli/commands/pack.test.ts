import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { type PackOptions, pack, runPack } from '../../../src/cli/commands/pack.ts';
import { parseGames } from '../../../src/pack/games.ts';
import { makePicture } from '../../../src/skin/picture.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { enlarge } from '../../../src/skin/regions.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { webServer } from '../../support/server/web-server.ts';
import { colourAt, drawFigure, fill, fillPart } from '../../support/skin/drawing.ts';

describeParsing('pack', pack, {
  taken: [
    [['a', '--out', 'p.zip'], ['a'], { out: 'p.zip' }],
    [
      [
        '--player',
        'Ann',
        '--out',
        'p/',
        '--datapack',
        'd',
        '--namespace',
        'npc',
        '--game',
        '26.1..',
        '--icon',
      ],
      [],
      {
        player: ['Ann'],
        out: 'p/',
        datapack: 'd',
        namespace: 'npc',
        game: { from: '26.1', to: '26.3' },
        icon: true,
      },
    ],
  ],
  refused: [
    [['a', '--out', 'p', '--namespace', 'minecraft'], /A namespace is Minecraft's own\./],
    [['a', '--out', 'p', '--game', '1.20'], /names Minecraft 1\.20, which takes no skins/],
  ],
});

/** A folder with two skins, and a way to pack it. */
async function workshop() {
  const folder = await ownFolder();
  const skins = join(folder, 'skins');
  await mkdir(skins);
  await writeFile(join(skins, 'Town Guard.png'), skinPng(1));
  await writeFile(join(skins, 'tom.png'), skinPng(2));
  const out = join(folder, 'pack.zip');
  const pack = async (
    { sources = [skins], ...options }: Partial<PackOptions> = {},
    more: Parameters<typeof runCommand>[1] = {},
  ) =>
    await runCommand(async (context) => await runPack(sources, { out, ...options }, context), {
      ...more,
      flags: { quiet: false, ...more.flags },
    });
  const index = async (path = join(folder, 'pack.skins.json')) => JSON.parse(await readFile(path, 'utf8'));
  return { folder, skins, out, pack, index };
}

/** The files of an archive, read by a program of others. */
async function filesIn(zip: string): Promise<Record<string, Buffer>> {
  const files = Object.entries(unzipSync(await readFile(zip)));
  return Object.fromEntries(files.map(([path, bytes]) => [path, Buffer.from(bytes)]));
}

test('pack turns a folder into a pack and prints its SHA-1 as server.properties takes it', async () => {
  const { out, pack, index } = await workshop();
  const { status, out: printed, err } = await pack({ namespace: 'npc' });
  const sha1 = hash('sha1', await readFile(out));
  expect([status, printed]).toEqual([0, `resource-pack-sha1=${sha1}\n`]);
  expect(err).toMatch(
    /^Wrote .*pack\.zip: 2 skins, \d+ KiB\. Also wrote .*pack\.skins\.json\.\n1\. Offer it to players: skinsmith serve --pack .*pack\.zip /,
  );
  const files = await filesIn(out);
  expect(Object.keys(files)).toEqual([
    'pack.mcmeta',
    'assets/npc/textures/entity/player/town_guard.png',
    'assets/npc/textures/entity/player/tom.png',
    'skins.json',
  ]);
  expect(files['assets/npc/textures/entity/player/tom.png']).toEqual(Buffer.from(skinPng(2)));
  expect(await index()).toMatchObject({
    generator: 'skinsmith pack',
    namespace: 'npc',
    game: '1.21.9..26.3',
    pack: 'pack.zip',
    sha1,
    skins: [
      {
        source: expect.stringContaining('Town Guard.png'),
        id: 'town_guard',
        name: 'Town Guard',
        variant: 'classic',
        pixels: pixelHash(drawSkin(1)),
        texture: 'npc:entity/player/town_guard',
      },
      { id: 'tom' },
    ],
  });
});

test('The same sources give the same bytes, and a new run replaces what the last one wrote', async () => {
  const { folder, out, pack } = await workshop();
  const datapack = join(folder, 'functions.zip');
  const both = async () => [await readFile(out), await readFile(datapack)];
  await pack({ datapack, icon: true });
  const first = await both();
  expect((await pack({ datapack, icon: true })).status).toBe(0);
  expect(await both()).toEqual(first);
  await writeFile(join(folder, 'skins', 'new.png'), skinPng(3));
  await pack({ datapack, icon: true });
  expect(Object.keys(await filesIn(out))).toContain('assets/skinsmith/textures/entity/player/new.png');
  expect(Object.keys(await filesIn(datapack))).toContain('data/skinsmith/function/summon/new.mcfunction');
  expect((await readdir(folder)).sort()).toEqual(['functions.zip', 'pack.skins.json', 'pack.zip', 'skins']);
});

test('With --json, pack prints one document about what it wrote', async () => {
  const { out, pack } = await workshop();
  const { out: printed } = await pack({}, { flags: { json: true } });
  const sha1 = hash('sha1', await readFile(out));
  expect(JSON.parse(printed)).toMatchObject({ file: out, sha1, skins: 2, textures: 2, failed: 0 });
});

test('A list gives skins their names, arms, capes and elytra', async () => {
  const { folder, out, pack, index } = await workshop();
  const cape = encodePng(fill(makePicture(64, 32), { x: 0, y: 0, width: 22, height: 17 }, [200, 0, 0, 255]));
  await writeFile(join(folder, 'red.png'), cape);
  const list = join(folder, 'list.csv');
  await writeFile(
    list,
    'source,name,variant,cape,elytra\nskins/tom.png,Smith,slim,red.png,red.png\nskins/tom.png,No cape,,none.png,\n',
  );
  const { status, err } = await pack({ sources: [], from: [list] });
  expect([status, err]).toEqual([1, expect.stringContaining('No file or folder none.png')]);
  expect(Object.keys(await filesIn(out))).toEqual([
    'pack.mcmeta',
    'assets/skinsmith/textures/entity/player/smith.png',
    'assets/skinsmith/textures/entity/cape/smith.png',
    'assets/skinsmith/textures/entity/elytra/smith.png',
    'skins.json',
  ]);
  expect((await index()).skins).toMatchObject([
    {
      id: 'smith',
      name: 'Smith',
      variant: 'slim',
      cape: 'skinsmith:entity/cape/smith',
      elytra: 'skinsmith:entity/elytra/smith',
    },
  ]);
});

test('Sources with equal names are distinguished and reported; unusable ones do not stop the others', async () => {
  const { skins, out, pack } = await workshop();
  await writeFile(join(skins, 'TOM!.png'), skinPng(3));
  await writeFile(join(skins, 'bad.png'), 'no picture');
  await writeFile(join(skins, 'hd.png'), encodePng(enlarge(drawSkin(4), 2)));
  await writeFile(join(skins, 'tom.PNG'), skinPng(3));
  const { status, err } = await pack();
  expect(status).toBe(1);
  expect(err).toContain('bad.png: The file is not a PNG picture.');
  expect(err).toMatch(/tom\.png: the name is taken, so the pack calls it tom-675950\./);
  expect(err).toContain('1 source could not be used.');
  expect(Object.keys(await filesIn(out)).map((path) => path.slice(path.lastIndexOf('/') + 1))).toEqual([
    'pack.mcmeta',
    'tom_.png',
    'town_guard.png',
    'hd.png',
    'tom-c64eee.png',
    'tom-675950.png',
    'skins.json',
  ]);
});

describe('A file or folder in the way of a pack', () => {
  test.each([
    ['a file of someone else', 'PK\x03\x04 of another program', 'output_exists'],
    ['a picture', Buffer.from(skinPng(1)), 'output_is_picture'],
  ])('stays: %s', async (_name, content, code) => {
    const { out, pack, folder } = await workshop();
    await writeFile(out, content);
    expect((await pack()).told?.code).toBe(code);
    expect(await readFile(out)).toEqual(Buffer.from(content));
    expect((await readdir(folder)).sort()).toEqual(['pack.zip', 'skins']);
  });

  test('stays: a skins.json of a Bedrock pack, as a zip has an index with its own name', async () => {
    const { pack, folder } = await workshop();
    const bedrock = join(folder, 'skins.json');
    await writeFile(bedrock, '{ "serialize_name": "Mine", "skins": [] }');
    expect((await pack()).status).toBe(0);
    expect((await pack({ out: join(folder, 'other.zip') })).status).toBe(0);
    expect(await readFile(bedrock, 'utf8')).toContain('Mine');
    const names = ['other.skins.json', 'other.zip', 'pack.skins.json', 'pack.zip', 'skins', 'skins.json'];
    expect((await readdir(folder)).sort()).toEqual(names);
  });

  test('stays: a folder with anything that its index does not name', async () => {
    const { pack, folder } = await workshop();
    const out = join(folder, 'pack');
    const datapack = join(folder, 'functions');
    expect((await pack({ out, datapack })).status).toBe(0);
    expect((await pack({ out, datapack, icon: true })).status).toBe(0);
    expect((await readdir(out)).sort()).toEqual(['assets', 'pack.mcmeta', 'pack.png', 'skins.json']);
    await writeFile(join(out, 'assets', 'mine.txt'), 'mine');
    const { told } = await pack({ out, datapack });
    expect(told?.message).toMatch(/has assets.mine\.txt, which skinsmith did not write/);
    expect(await readFile(join(out, 'assets', 'mine.txt'), 'utf8')).toBe('mine');
    expect((await readdir(folder)).sort()).toEqual(['functions', 'pack', 'skins']);
  });

  test('stays: the folder of the sources', async () => {
    const { pack, skins } = await workshop();
    expect((await pack({ out: skins })).told?.code).toBe('output_is_source');
  });
});

test('pack does not read its output as a source when it is below the sources', async () => {
  const { pack, skins } = await workshop();
  const options = { out: join(skins, 'pack'), recursive: true };
  await pack(options);
  expect(JSON.parse((await pack(options, { flags: { json: true } })).out)).toMatchObject({ skins: 2 });
});

test('pack writes nothing if there is nothing to pack or no pack is named', async () => {
  const { pack, skins, folder } = await workshop();
  expect((await pack({ sources: [] })).told?.code).toBe('no_source');
  expect((await pack({ out: join(folder, 'pack.jar') })).told?.code).toBe('not_a_pack');
  expect((await pack({ datapack: join(folder, 'pack.zip') })).told?.code).toBe('same_output');
  await rm(skins, { recursive: true });
  await mkdir(skins);
  expect((await pack()).told?.code).toBe('nothing_to_pack');
  expect(await readdir(folder)).toEqual(['skins']);
});

test('A run that is interrupted leaves the last pack, and nothing beside it', async () => {
  const { pack, folder, out } = await workshop();
  await pack();
  const before = await readFile(out);
  const stop = new AbortController();
  stop.abort();
  expect((await pack({ icon: true }, { signal: stop.signal })).told?.code).toBe('interrupted');
  expect(await readFile(out)).toEqual(before);
  expect((await readdir(folder)).sort()).toEqual(['pack.skins.json', 'pack.zip', 'skins']);
});

test('Players are fetched from Mojang and URLs from their addresses, without a service', async () => {
  const game = await runGame();
  game.addPlayer({ name: 'Ann_B', skin: { picture: drawSkin(9), variant: 'slim' } });
  const site = await webServer((_request, response) => void response.end(skinPng(5)));
  const { pack, index } = await workshop();
  const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
  const url = 'http://127.0.0.1:9/'; // where nothing listens
  const { status } = await pack({ sources: [`${site.url}/tim.png`], player: ['Ann_B'] }, { env, url });
  expect([status, (await index()).skins]).toMatchObject([
    0,
    [
      { id: 'tim', pixels: pixelHash(drawSkin(5)) },
      { id: 'ann_b', pixels: pixelHash(drawSkin(9)), variant: 'slim' },
    ],
  ]);
});

test('After an interruption, the next run uses what was fetched; after a complete run, everything is fetched again', async () => {
  const game = await runGame();
  const ann = game.addPlayer({ skin: { picture: drawSkin(9), variant: 'slim' } });
  const seen: string[] = [];
  let isBad = true;
  const site = await webServer((request, response) => {
    seen.push(String(request.url));
    response.end(request.url === '/bad.png' && isBad ? 'x' : skinPng(5));
  });
  const { pack, index, folder } = await workshop();
  const env = { SKINSMITH_DATA_DIR: join(folder, 'data') };
  const online = { ...env, SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
  const sources = ['tim', 'tom', 'bad'].map((name) => `${site.url}/${name}.png`);
  const wanted = { sources, player: [ann.id] };
  const first = await pack(wanted, { env });
  expect([first.told, seen.toSorted()]).toMatchObject([
    { exit: 'tryLater' },
    ['/bad.png', '/tim.png', '/tom.png'],
  ]);
  expect(first.err).toContain(
    '2 fetched textures are kept for 24 hours. Run the same command again to continue.',
  );
  isBad = false;
  const other = await pack({ sources: sources.slice(0, 1) }, { env }); // another command fetches what it needs
  expect([other.status, seen.splice(0).length]).toEqual([0, 4]);
  expect([(await pack(wanted, { env: online })).status, seen.splice(0)]).toEqual([0, ['/bad.png']]);
  expect((await index()).skins).toMatchObject([
    {},
    {},
    {},
    { pixels: pixelHash(drawSkin(9)), variant: 'slim' },
  ]);
  expect([(await pack(wanted, { env: online })).status, seen.length]).toEqual([0, 3]);
  expect(await readdir(join(folder, 'data/batches/packs'))).toEqual([]);
});

test('The pictures of a lockfile are taken from this machine, if they are still the same', async () => {
  const { pack, skins, folder, index } = await workshop();
  const url = 'http://127.0.0.1:9/texture/1';
  const value = Buffer.from(
    JSON.stringify({ textures: { SKIN: { url, metadata: { model: 'slim' } } } }),
  ).toString('base64');
  const lock = join(folder, 'skins.lock');
  const line = { source: 'skins/tom.png', pixels: pixelHash(drawSkin(2)), value, signature: 'c2ln' };
  await writeFile(lock, `${JSON.stringify(line)}\n`);
  expect((await pack({ sources: [lock] })).status).toBe(0);
  expect((await index()).skins).toMatchObject([{ id: 'skins/tom', variant: 'slim', pixels: line.pixels }]);
  await writeFile(join(skins, 'tom.png'), skinPng(3));
  expect((await pack({ sources: [lock] })).status).not.toBe(0);
});

describe('A skin whose base layer is see-through', () => {
  async function ghosts() {
    const shop = await workshop();
    const ghost = fillPart(drawFigure('classic'), 'body', 'classic', [200, 10, 20, 90]);
    await writeFile(join(shop.skins, 'ghost.png'), encodePng(ghost));
    const packed = async () =>
      (await filesIn(shop.out))['assets/skinsmith/textures/entity/player/ghost.png']!;
    return { ...shop, ghost, packed };
  }

  test('is made opaque, with its name in a warning and its own hash in the index', async () => {
    const { pack, packed, index, ghost } = await ghosts();
    const { status, err } = await pack();
    expect(status).toBe(0);
    expect(err).toMatch(
      /Made see-through base layers opaque, .*: \S*ghost\.png\. --keep-transparency leaves them/,
    );
    expect(colourAt(decodePng(await packed()), 20, 20)).toEqual([200, 10, 20, 255]);
    const { skins } = await index();
    expect(skins.find(({ id }: { id: string }) => id === 'ghost').pixels).toBe(pixelHash(ghost));
  });

  test('stays as it is with --keep-transparency', async () => {
    const { pack, packed, ghost } = await ghosts();
    const { err } = await pack({ keepTransparency: true });
    expect(err).not.toMatch(/opaque/);
    expect(await packed()).toEqual(encodePng(ghost));
  });

  test('is refused if nothing of it is visible', async () => {
    const { skins, pack, index } = await ghosts();
    await writeFile(join(skins, 'nothing.png'), encodePng(makePicture(64, 64)));
    const { status, err } = await pack();
    expect(status).toBe(1);
    expect(err).toMatch(/nothing\.png: The picture is fully transparent, so there is no skin to show\./);
    expect((await index()).skins).toHaveLength(3);
  });
});

test('The steps after a data pack name its functions, with one skin as an example', async () => {
  const { folder, pack } = await workshop();
  const datapack = join(folder, 'functions.zip');
  const { err } = await pack({ namespace: 'npc', datapack });
  const names = [...err.matchAll(/\/function npc:(\S+)/g)].map(([, name]) => name!);
  const functions = await filesIn(datapack);
  expect(names).toEqual(['lineup', 'remove', 'summon/town_guard', 'give/town_guard']);
  expect(names.filter((name) => functions[`data/npc/function/${name}.mcfunction`])).toEqual(names);
  expect(err).toMatch(/2\. Put .*functions\.zip into the folder datapacks of the world, and type \/reload\./);
});

test('The steps after a pack name its sources as a command takes them', async () => {
  const { folder, skins, pack } = await workshop();
  const list = join(folder, 'list.txt');
  await writeFile(list, 'skins/tom.png\n');
  const steps = [{}, { recursive: true }, { sources: [], from: [list] }].map(async (typed, at) => {
    const { err } = await pack({ ...typed, out: join(folder, `${at}.zip`) });
    return /skinsmith generate (.*) --format/.exec(err)?.[1];
  });
  expect(await Promise.all(steps)).toEqual([skins, `${skins} -r`, `--from ${list}`]);
});

test('A version of Minecraft that is newer than the known ones is taken with a warning', async () => {
  const { pack } = await workshop();
  const { status, err } = await pack({ game: parseGames('26.1..26.4') });
  expect(status).toBe(0);
  expect(err).toMatch(/Minecraft 26\.4 is newer than this skinsmith: the pack has the formats of 26\.3\./);
  expect((await pack({ game: parseGames('26.1') })).err).not.toMatch(/newer than this skinsmith/);
});
