import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test("A player whose texture is no PNG gets the game's own data at once, and is named by what draws pictures", async () => {
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
