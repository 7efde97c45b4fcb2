import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodePng } from '../../src/skin/png/decode.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { freshMachine } from '../support/program/program.ts';
import { drawSkin, skinPng } from '../support/server/drawn-skins.ts';
import { runServer } from '../support/server/running-server.ts';

const NOBODY = '0'.repeat(32);

/** A machine signed in to a service that has skins of these names; their UUIDs. */
async function deskWith(names: readonly string[]) {
  const machine = await freshMachine();
  const { owner, url, key } = await runServer();
  const uuids: string[] = [];
  for (const [n, name] of names.entries())
    uuids.push((await owner.upload('/v2/generate', skinPng(n), { name })).body.skin!.uuid);
  const env = { SKINSMITH_BASE_URL: url, SKINSMITH_API_KEY: String(key) };
  const run = async (...args: string[]) => await machine.run(args, { cwd: machine.folder, env });
  const skins = async (...args: string[]) => await run('skins', ...args);
  const sets = async (...args: string[]) => await run('sets', ...args);
  return { machine, owner, uuids, skins, sets };
}

describe('skins', () => {
  test('are listed, changed and deleted, one by one and several at a time', async () => {
    const { uuids, skins } = await deskWith(['red hat', 'blue hat']);
    const [red = '', blue = ''] = uuids;
    const found = await skins('list', '--filter', 'HAT red');
    expect(found.stdout).toBe(`${red}\tclassic\tpublic\tred hat\n`);

    const edited = await skins('edit', red, '--visibility', 'private', '--name', '');
    expect(edited).toMatchObject({ exitCode: 0, stdout: `${red}\tclassic\tprivate\t\n` });
    expect((await skins('list', '--public')).stdout).toMatch(new RegExp(`^${blue}\t.*\n$`));

    expect((await skins('edit', blue, '--tags', 'Robot, hat', '--json')).stdout).toMatch(
      /"tags": \[\s+"hat",\s+"robot"\s+\]/,
    );
    expect((await skins('list', '--public', '--tag', 'robot')).stdout).toContain(blue);
    expect((await skins('list', '--tag', 'hut')).stdout).toBe('');
    expect(await skins('edit', blue, '--tags', 'a/b')).toMatchObject({ exitCode: 1, stdout: '' });

    const both = await skins('edit', red, NOBODY, blue, '--visibility', 'unlisted');
    const rows = `${red}\tclassic\tunlisted\t\n${blue}\tclassic\tunlisted\tblue hat\n`;
    expect(both).toMatchObject({ exitCode: 1, stdout: rows, stderr: expect.stringContaining(NOBODY) });

    const asked = await skins('delete', red);
    expect(asked).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes') });
    const deleted = await skins('delete', '--yes', red, NOBODY, blue);
    expect(deleted).toMatchObject({ exitCode: 1, stdout: `${red}\n${blue}\n` });
    expect(deleted.stderr).toMatch(new RegExp(`^error: No skin ${NOBODY}`));
    expect((await skins('list', '--json')).stdout).toBe('[]\n');
  });

  test('are downloaded, private ones too, each into a file of its own', async () => {
    const { machine, owner, uuids, skins } = await deskWith(['hat', 'hat']);
    const [first = '', second = ''] = uuids;
    const edit = { body: '{"visibility":"private"}', headers: { 'content-type': 'application/json' } };
    await owner.send('PATCH', `/v2/skins/${second}`, edit);
    const out = join(machine.folder, 'a', 'b');
    const { exitCode, stdout, stderr } = await skins('download', first, NOBODY, second, '--out', out);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`No skin ${NOBODY}`)]);
    const files = [first, second].map((uuid) => join(out, `hat-${uuid.slice(0, 8)}.png`));
    expect(stdout).toBe(`${first}\t${files[0]}\that\n${second}\t${files[1]}\that\n`);
    for (const [n, file] of files.entries())
      expect(pixelHash(decodePng(await readFile(file)))).toBe(pixelHash(drawSkin(n)));
    expect(await readdir(out)).toHaveLength(2);
  });
});

describe('sets', () => {
  test('are made of skins or of a lockfile, changed, saved in each format, and deleted', async () => {
    const { machine, uuids, skins, sets } = await deskWith(['red', 'blue']);
    const [red = '', blue = ''] = uuids;
    const made = await sets('create', 'Royal Guards', red);
    expect(made).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^royal-guards\t1\tpublic\t[0-9a-f]{32}\tRoyal Guards\n$/),
    });
    expect(await sets('create', 'royal guards')).toMatchObject({ exitCode: 1, stdout: '' });
    await skins('export', '--out', 'all.lock');
    const both = await sets('create', 'both', '--from', 'all.lock', '--visibility', 'unlisted');
    expect(both.stdout).toMatch(/^both\t2\tunlisted\t/);
    await sets('edit', 'royal-guards', '--add', blue, '--remove', red, '--name', 'Guards');
    expect((await sets('get', 'guards')).stdout).toBe(`${blue}\tclassic\tpublic\tblue\n`);
    expect((await sets('list')).stdout.replaceAll(/[0-9a-f]{32}/g, 'UUID')).toBe(
      'both\t2\tunlisted\tUUID\tboth\nguards\t1\tpublic\tUUID\tGuards\n',
    );
    for (const format of ['zip', 'lock', 'pack', 'datapack'])
      expect((await sets('export', 'guards', '--format', format)).exitCode).toBe(0);
    const pack = await readFile(join(machine.folder, 'guards-pack.zip'));
    const again = await sets('export', 'guards', '--out', 'again.zip', '--format', 'pack');
    expect(again.stderr).toContain(`resource-pack-sha1=${hash('sha1', pack)}`);
    expect(await readFile(join(machine.folder, 'again.zip'))).toEqual(pack);
    expect((await sets('export', 'guards')).stderr).toContain('already exists');
    expect((await sets('export', 'guards', '-', '--format', 'lock')).stdout).toContain(blue);
    expect(await sets('delete', 'guards')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect((await sets('delete', 'guards', '--yes')).exitCode).toBe(0);
    expect(await sets('get', 'guards')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('No set has the name guards any more'),
    });
  });

  test('are refused before a request for invalid names and UUIDs, and for an edit without changes', async () => {
    const { sets } = await deskWith([]);
    for (const args of [
      ['create', 'a/b'],
      ['create', 'a', 'b'],
      ['edit', 'a'],
    ])
      expect(await sets(...args)).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
