import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { freshMachine, saying } from '../support/program/program.ts';
import { drawSkin, skinPng } from '../support/server/drawn-skins.ts';
import { runServer } from '../support/server/running-server.ts';
import { testWhole } from '../support/setup/extent.ts';
import { isWhole } from '../support/setup/whole-run.ts';

// Otherwise service/players/readers has what the mod reads, and the test below dresses names.
testWhole(
  'The steps of docs/skin-server.md lead from an empty folder to a skin that the mod reads',
  async () => {
    const machine = await freshMachine();
    const { url, key } = await machine.serve();
    await writeFile(join(machine.folder, 'steve.png'), skinPng(1));
    const here = { cwd: machine.folder, env: { SKINSMITH_BASE_URL: url, SKINSMITH_API_KEY: String(key) } };
    const run = async (...args: string[]) => await machine.run(args, here);
    const made = JSON.parse((await run('generate', 'steve.png', '--json')).stdout) as { uuid: string };
    const before = await fetch(`${url}/csl/Steve.json`);
    expect(before.status).toBe(404);
    expect(await run('wear', made.uuid, '--as', 'Steve')).toMatchObject({ exitCode: 0 });
    const profile = await (await fetch(`${url}/csl/Steve.json`)).json();
    expect(profile).toEqual({ username: 'Steve', skins: { default: pixelHash(drawSkin(1)) } });
  },
);

test('serve --wardrobe says where CustomSkinLoader reads, at its own address or the public one; serve alone does not', async () => {
  const said = async (...options: string[]) => {
    const child = (await freshMachine()).start(['serve', '--port', '0', '--no-color', ...options]);
    const [stdout, stderr] = await Promise.all([
      saying(child, 'stdout', /^Listening on .*\n/),
      options.length > 0 ? saying(child, 'stderr', /CustomSkinLoader.*\n/) : '',
    ]);
    child.kill();
    const heard = stderr || String((await child).stderr);
    return {
      url: stdout.match(/http\S+/)?.[0],
      root: heard.match(/CustomSkinLoader.* at (\S+?\/csl\/)/)?.[1],
    };
  };
  const local = await said('--wardrobe', 'operator');
  expect(local.root).toBe(`${local.url}/csl/`);
  if (!isWhole) return;
  const open = await said('--wardrobe', 'users', '--public-url', 'https://skins.example');
  expect(open.root).toBe('https://skins.example/csl/');
  expect((await said()).root).toBeUndefined();
});

test('Names are dressed, imported, listed and released; a private skin is worn only after a question', async () => {
  const machine = await freshMachine();
  const { owner, url, key } = await runServer();
  const env = { SKINSMITH_BASE_URL: url, SKINSMITH_API_KEY: String(key) };
  const run = async (...args: string[]) => await machine.run(args, { cwd: machine.folder, env });
  const { uuid } = (await owner.upload('/v2/generate', skinPng(1), { visibility: 'private' })).body.skin!;

  expect(await run('wear', uuid)).toMatchObject({ exitCode: 2 });
  const asked = await run('wear', uuid, '--as', 'Steve');
  expect(asked).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes') });
  expect((await owner.get('/v2/players/Steve')).status).toBe(404);
  expect((await run('wear', uuid, '--as', 'Steve', '--yes')).stdout).toMatch(
    /^Steve\t[0-9a-f]{32}\tclassic\t/,
  );

  const rows = ['name;skin;user', `Alex;;owner`, `Zoe;${'0'.repeat(32)};`, `Tom;${uuid};`];
  await writeFile(join(machine.folder, 'names.csv'), `\uFEFF${rows.join('\r\n')}\r\n`);
  const imported = await run('players', 'import', 'names.csv');
  expect(imported).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Imported 1 of 3 names.') });
  expect(imported.stderr).toContain('Zoe: ');
  expect(imported.stderr).toContain('Tom: This skin is private.');
  for (const text of ['name,skin\n', 'Name\r\n\r\n']) {
    await writeFile(join(machine.folder, 'empty.csv'), text);
    const stderr = expect.stringContaining('The list has no names.');
    expect(await run('players', 'import', 'empty.csv')).toMatchObject({ exitCode: 0, stdout: '', stderr });
  }
  for (const text of ['', 'skin,cape\n', 'source,name\nskin.png,Tom\n', 'name,skin\n"Tom,1\n']) {
    await writeFile(join(machine.folder, 'other.csv'), text);
    const stderr = expect.stringContaining('This is not a list of player names.');
    expect(await run('players', 'import', 'other.csv')).toMatchObject({ exitCode: 1, stdout: '', stderr });
  }

  expect((await run('players', 'list')).stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([
    'Alex',
    'Steve',
    '',
  ]);
  expect((await run('players', 'get', 'steve', '--json')).stdout).toContain('"by": "owner"');
  expect(await run('players', 'release', 'Steve')).toMatchObject({ exitCode: 2 });
  expect((await run('players', 'release', 'Steve', '--yes')).exitCode).toBe(0);
  const gone = await run('players', 'get', 'Steve');
  expect(gone).toMatchObject({ exitCode: 1, stdout: '' });
  expect(gone.stderr).toBe('error: No player of this service has this name.\n');
});
