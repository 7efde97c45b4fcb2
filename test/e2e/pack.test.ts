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

test('The commands that generate prints use the textures in the pack, on stdout and in files', async () => {
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

test('A lockfile becomes a pack without its pictures, from the textures at the service', async () => {
  const { machine, run } = await machineWithSkins();
  expect((await run('generate', 'skins', '-r', '--out', 'made')).exitCode).toBe(0);
  await rename(join(machine.folder, 'skins'), join(machine.folder, 'elsewhere'));
  const { exitCode, stdout } = await run('pack', 'made/skins.lock', '--out', 'pack.zip', '--json');
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { skins: 2, failed: 0 }]);
});

test('Commands use the names in the pack, without a service or a key', async () => {
  const { machine, run } = await machineWithSkins();
  await writeFile(join(machine.folder, 'skins/anna.png'), skinPng(2)); // the same as tom.png
  await writeFile(join(machine.folder, 'skins/town/the_guard.png'), skinPng(3));
  await run('pack', 'skins', '-r', '--out', 'pack.zip', '--namespace', 'npc');
  const { skins } = JSON.parse(await readFile(join(machine.folder, 'pack.skins.json'), 'utf8'));
  const args = ['generate', 'skins', '-r', '--format', 'text-object', '--pack', 'pack.zip', '--json'];
  const made = await run(...args, '--base-url', 'http://127.0.0.1:9/');
  const used = [...made.stdout.matchAll(/texture:\\"([^"\\]+)/g)].map(([, location]) => location);
  expect([made.exitCode, used]).toEqual([0, skins.map(({ texture }: { texture: string }) => texture)]);
  expect(used).toHaveLength(4);
  const mixed = await run('generate', 'skins/tom.png', '--format', 'value,text-object', '--pack', 'pack.zip');
  expect(mixed.stdout).toContain('texture:"npc:entity/player/tom"');
  await writeFile(join(machine.folder, 'skins/new.png'), skinPng(4));
  const lacking = await run('generate', 'skins/new.png', '--format', 'text-object', '--pack', 'pack.zip');
  expect([lacking.exitCode, lacking.stdout]).toEqual([1, '']);
});
