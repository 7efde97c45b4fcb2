import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { freshMachine } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';

async function machineWithSkins() {
  const machine = await freshMachine();
  await mkdir(join(machine.folder, 'skins/town'), { recursive: true });
  await writeFile(join(machine.folder, 'skins/town/The Guard.png'), skinPng(1));
  await writeFile(join(machine.folder, 'skins/tom.png'), skinPng(2));
  const run = async (...args: string[]) => await machine.run(args, { cwd: machine.folder });
  return { machine, run };
}

test('The commands of generate use the textures that the pack has, on stdout and in files', async () => {
  const { machine, run } = await machineWithSkins();
  const packed = await run('pack', 'skins', '-r', '--out', 'pack.zip', '--namespace', 'npc');
  expect(packed.exitCode).toBe(0);
  const textures = Object.keys(unzipSync(await readFile(join(machine.folder, 'pack.zip'))));
  const args = ['generate', 'skins', '-r', '--format', 'mannequin,text-object', '--namespace', 'npc'];
  const { stdout } = await run(...args);
  const used = [...stdout.matchAll(/texture:"npc:([^"]+)"/g)].map(
    ([, path]) => `assets/npc/textures/${path}.png`,
  );
  expect(used).toHaveLength(4);
  expect(new Set(used)).toEqual(new Set(textures.filter((path) => path.endsWith('.png'))));
  expect((await run(...args, '--out', 'made')).exitCode).toBe(0);
  const file = await readFile(join(machine.folder, 'made/tom.mannequin.mcfunction'), 'utf8');
  expect(file).toBe(
    'summon mannequin ~ ~ ~ {profile:{texture:"npc:entity/player/tom",model:wide},description:{text:"tom"}}\n',
  );
});

test('A lockfile becomes a pack without its pictures, from the textures that the service has', async () => {
  const { machine, run } = await machineWithSkins();
  expect((await run('generate', 'skins', '-r', '--out', 'made')).exitCode).toBe(0);
  await rename(join(machine.folder, 'skins'), join(machine.folder, 'elsewhere'));
  const { exitCode, stdout } = await run('pack', 'made/skins.lock', '--out', 'pack.zip', '--json');
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { skins: 2, failed: 0 }]);
});
