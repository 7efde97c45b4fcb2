import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodePng } from '../../src/skin/png/decode.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { runGame } from '../support/fake-game/run-game.ts';
import { freshMachine } from '../support/program/program.ts';
import { drawSkin, skinPng } from '../support/server/drawn-skins.ts';
import { webServer } from '../support/server/web-server.ts';

test('With no service set, a list of a file, a URL of a private network and a player becomes skins', async () => {
  const game = await runGame();
  game.addPlayer({ name: 'Ann_B', skin: { picture: drawSkin(9), variant: 'slim' } });
  const site = await webServer((_request, response) => void response.end(skinPng(1)));
  const machine = await freshMachine();
  await writeFile(join(machine.folder, 'smith.png'), skinPng(2));
  await writeFile(join(machine.folder, 'all.txt'), `smith.png\n${site.url}/tom.png\nAnn_B\n`);
  const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
  const args = ['generate', '--from', 'all.txt', '--fetch-locally', '--out', 'out', '--json'];
  const { exitCode, stdout } = await machine.run(args, { cwd: machine.folder, env });
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([
    0,
    [{ name: 'smith' }, { name: 'tom' }, { name: 'Ann_B', variant: 'slim' }],
  ]);
});

test("A player whose texture is not a PNG gets Mojang's own data at once; commands that draw pictures report it", async () => {
  const game = await runGame();
  const ann = game.addPlayer({ name: 'Ann_B', skin: { picture: drawSkin(9) } });
  const hash = game.textures.keepFile(Buffer.from('ffd8ffe000104a46494600', 'hex'));
  ann.look = { skin: { hash, variant: 'slim' } };
  const machine = await freshMachine();
  const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
  const made = await machine.run(['generate', '--player', 'Ann_B', '--json'], { cwd: machine.folder, env });
  expect([made.exitCode, JSON.parse(made.stdout)]).toMatchObject([
    0,
    {
      variant: 'slim',
      texture: { url: `${game.addresses.textures}/texture/${hash}` },
      warnings: [{ code: 'texture_unreadable', message: expect.stringContaining('a JPEG picture') }],
    },
  ]);
  const drawn = await machine.run(['preview', 'Ann_B'], { cwd: machine.folder, env });
  expect([drawn.exitCode, drawn.stderr]).toEqual([1, expect.stringContaining('a JPEG picture')]);
});

test('download saves the texture of a player, value, hash, URL, lockfile or file, unchanged, and nothing else', async () => {
  const game = await runGame();
  const ann = game.addPlayer({ name: 'Ann_B', skin: { picture: drawSkin(9), variant: 'slim' } });
  const site = await webServer((request, response) =>
    request.url === '/page' ? void response.end('<!doctype html>') : void response.end(skinPng(1)),
  );
  const machine = await freshMachine();
  const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
  const run = async (...args: string[]) => await machine.run(args, { cwd: machine.folder, env });
  const read = async (file: string) => await readFile(join(machine.folder, file));
  const hash = ann.look.skin!.hash;
  const one = await run('download', '--player', 'Ann_B', '--out', 'ann.png', '--json');
  expect([one.exitCode, JSON.parse(one.stdout)]).toEqual([
    0,
    { source: 'Ann_B', file: 'ann.png', variant: 'slim', width: 64, height: 64 },
  ]);
  const made = JSON.parse((await run('generate', '--player', 'Ann_B', '--out', 'made', '--json')).stdout);
  const sources = [ann.id, hash, `${site.url}/tom.png`, made.value, 'made/skins.lock', 'ann.png'];
  const many = await run('download', ...sources, '--out', 'textures');
  expect([many.exitCode, many.stderr, many.stdout.trimEnd().split('\n').length]).toEqual([0, '', 6]);
  const files = many.stdout
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t')[1] ?? '');
  const pictures = await Promise.all(files.map(async (file) => pixelHash(decodePng(await read(file)))));
  expect(pictures.map((pixels) => (pixels === pixelHash(drawSkin(9)) ? 'ann' : 'other'))).toEqual([
    'ann',
    'ann',
    'other',
    'ann',
    'ann',
    'ann',
  ]);
  expect(await read('ann.png')).toEqual(await read(files[1]!));
  const piped = await run('download', hash.toUpperCase(), '--out', '-');
  expect(piped.exitCode).toBe(0);
  const page = await run(
    'download',
    `${site.url}/page`,
    'nothing.png',
    `${site.url}/b.png`,
    '--out',
    'textures',
  );
  expect([page.exitCode, page.stdout.trimEnd().split('\n').length]).toEqual([1, 1]);
  expect(page.stderr).toMatch(/answered with a page[\s\S]*No file or folder nothing.png/);
  const refused = await run('download', `${site.url}/tom.png`, '--out', 'ann.png');
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining('skinsmith did not write it'),
  ]);
});

test('Players of Bedrock Edition are sources of generate, pack and download, looked up once and never generated', async () => {
  const game = await runGame();
  game.geyser.add({
    gamertag: 'Some Name',
    xuid: '2535432196048835',
    skin: { picture: drawSkin(9), variant: 'slim' },
  });
  game.geyser.add({ gamertag: 'Bob', xuid: '2535432196048836' });
  const machine = await freshMachine();
  const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
  const run = async (...args: string[]) => await machine.run(args, { cwd: machine.folder, env });
  const made = await run('generate', '--player', '.Some_Name', '--out', 'made', '--json');
  expect([made.exitCode, JSON.parse(made.stdout)]).toMatchObject([0, { variant: 'slim', warnings: [] }]);
  const calls = game.calls.length;
  const again = await run('generate', '.Some_Name', '--as', 'user', '--out', 'made', '--frozen');
  expect([again.exitCode, game.calls.length]).toEqual([0, calls]);
  const saved = await run('download', 'bedrock:Some Name', '--out', 'some.png', '--json');
  expect([saved.exitCode, JSON.parse(saved.stdout)]).toMatchObject([0, { variant: 'slim' }]);
  expect(pixelHash(decodePng(await readFile(join(machine.folder, 'some.png'))))).toBe(pixelHash(drawSkin(9)));
  const packed = await run('pack', 'bedrock:some name', '2535432196048835', '--out', 'pack.zip', '--json');
  expect([packed.exitCode, JSON.parse(packed.stdout)]).toMatchObject([0, { skins: 2, textures: 1 }]);
  expect((await run('verify', 'made/skins.lock')).exitCode).toBe(0);
  const failed = await run('generate', 'bedrock:Bob', 'bedrock:Nobody', 'bedrock:Some Name');
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain('No Bedrock player is called Nobody.');
  expect(failed.stderr).toContain('joined a Java server through Geyser');
});
