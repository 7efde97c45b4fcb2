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
  const skins = async (...args: string[]) => await machine.run(['skins', ...args], { env });
  return { machine, owner, uuids, skins };
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
